package written

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/kit/glob"
)

// mostBytes bounds the file of a life.
const mostBytes = 8 << 20

// KeptConfig names a folder of written lives.
type KeptConfig struct {
	Path    string   `json:"path" doc:"folder with a file a life, relative to pipeline.yaml"`
	Include []string `json:"include" doc:"patterns of the files"`
	License string   `json:"license" doc:"SPDX id of the licence of the lives"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *KeptConfig) SetDefaults() {
	*c = KeptConfig{Path: "lives", Include: []string{"*.json"}, License: License}
}

type keptSource struct{ cfg KeptConfig }

func newKept(c KeptConfig) (pipeline.Source, error) {
	if c.Path == "" || len(c.Include) == 0 {
		return nil, errors.New("path and include: required; name the folder with the lives, and its files")
	}
	_, err := glob.Compile(c.Include, nil)
	return keptSource{c}, err
}

// Spec declares what is given.
func (s keptSource) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{NameLife}, License: s.cfg.License}
}

// Needs names the folder.
func (s keptSource) Needs() []pipeline.Need {
	return []pipeline.Need{{From: fetch.Local, Root: s.cfg.Path, Include: s.cfg.Include, MaxBytes: mostBytes, License: s.cfg.License}}
}

// Read emits a life a file. A file that is none, or of which something does not follow, is
// rejected with the reasons.
func (s keptSource) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	seen := map[string]bool{}
	for _, a := range slices.SortedFunc(slices.Values(assets), func(a, b pipeline.Asset) int { return cmp.Compare(a.Path, b.Path) }) {
		if a.Problem != nil {
			scope.Reject(a.Path, a.Problem)
			continue
		}
		b, err := scope.ReadBlob(ctx, a.Blob, mostBytes)
		if err != nil {
			return fmt.Errorf("read the life of %s: %w", a.Path, err)
		}
		l, err := ParseLife(b)
		if err == nil && seen[l.Plan.ID] {
			err = fmt.Errorf("another file has the life %q, too", l.Plan.ID)
		}
		if err != nil {
			scope.Reject(a.Path, pipeline.Reject(CodePlan, "%v", err))
			continue
		}
		seen[l.Plan.ID] = true
		r, err := pipeline.NewRecord(NameLife, l.Plan.ID, l)
		if why := (*pipeline.Rejection)(nil); errors.As(err, &why) { // too large
			scope.Reject(a.Path, why)
			continue
		}
		if err != nil {
			return err
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

// ParseLife reads the file of a life and checks that everything in it follows from its plan
// and readings.
func ParseLife(b []byte) (Life, error) {
	var l Life
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return l, fmt.Errorf("it is no life: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return l, errors.New("something stands behind the life")
	}
	if !lifeName.MatchString(l.Plan.ID) {
		return l, fmt.Errorf("the life is called %q; name it by letters, digits and dashes", l.Plan.ID)
	}
	if why := l.Check(); len(why) > 0 {
		return l, fmt.Errorf("%d faults: %s", len(why), strings.Join(why[:min(len(why), 5)], "; "))
	}
	return l, nil
}
