package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model/client"
)

// taskBatch is a group of tasks that travels together.
type taskBatch struct {
	// Build is the id of the order that the tasks are of. Run names the run: an order
	// that is given again has a budget anew.
	Build    string            `json:"build"`
	Run      string            `json:"run"`
	Resource pipeline.Resource `json:"resource"`
	Tasks    []pipeline.Task   `json:"tasks"`
}

// reply says what became of a parcel, beside what is in the store.
type reply struct {
	Parcel pipeline.Digest `json:"parcel"`
	// Faults are the errors of tasks, by their place in the parcel.
	Faults map[int]*Fault `json:"faults,omitempty"`
	// Passing are results that no store keeps, see engine.Found.
	Passing []pipeline.Result `json:"passing,omitempty"`
	// Spent is what the worker asked of models, by node, and has not told yet.
	Spent map[string]client.Total `json:"spent,omitempty"`
}

func encode(v any) ([]byte, error) {
	b, err := pipeline.Canonical(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return b, nil
}

func decode[T any](b []byte) (v T, err error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err = dec.Decode(&v); err != nil {
		err = fmt.Errorf("read %T: %w", v, err)
	}
	return v, err
}
