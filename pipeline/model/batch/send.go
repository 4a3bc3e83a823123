package batch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/wire"
)

// Servers gives the client of a model by its name in pipeline.yaml.
type Servers func(name string) (*wire.Client, error)

// Submit uploads a file that Export wrote and starts its batch, which the ledger
// remembers.
func Submit(ctx context.Context, l *ledger.Ledger, path string, data []byte, servers Servers) (ledger.Batch, error) {
	first, n, err := look(data)
	if err != nil {
		return ledger.Batch{}, fmt.Errorf("submit %s: %w", path, err)
	}
	p, ok, err := l.PendingOf(ctx, first.CustomID)
	if err != nil {
		return ledger.Batch{}, fmt.Errorf("submit %s: %w", path, err)
	}
	if !ok {
		return ledger.Batch{}, fmt.Errorf("submit %s: request %s does not wait (any more); export again", path, first.CustomID)
	}
	c, err := servers(p.Name)
	if err != nil {
		return ledger.Batch{}, fmt.Errorf("submit %s: %w", path, err)
	}
	sent, err := c.Submit(ctx, filepath.Base(path), data, first.URL)
	if err != nil {
		return ledger.Batch{}, err
	}
	b := ledger.Batch{ID: sent.ID, Name: p.Name, State: sent.State, Requests: n}
	// The batch runs and costs: remember it even if the user stops now.
	return b, l.SaveBatch(context.WithoutCancel(ctx), b)
}

// look reads the first line of a batch file and counts all.
func look(data []byte) (first line, n int, err error) {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for ; lines.Scan(); n++ {
		if n > 0 {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &first); err != nil {
			return first, 0, fmt.Errorf("it is no batch file: %w", err)
		}
	}
	if n == 0 || first.CustomID == "" {
		return first, 0, errors.New("it is no batch file: its first line has no custom_id")
	}
	return first, n, lines.Err()
}

// Polled is what became of a batch.
type Polled struct {
	ledger.Batch
	Ended    bool
	Problem  string
	Imported Imported
}

// Poll looks at every batch under way and takes in the results of those that
// ended. What failed or expired waits for the next export.
func Poll(ctx context.Context, l *ledger.Ledger, servers Servers) ([]Polled, error) {
	all, err := l.Batches(ctx)
	if err != nil {
		return nil, err
	}
	var polled []Polled
	for _, b := range all {
		p, err := pollOne(ctx, l, b, servers)
		if err != nil {
			return polled, err
		}
		polled = append(polled, p)
	}
	return polled, nil
}

func pollOne(ctx context.Context, l *ledger.Ledger, b ledger.Batch, servers Servers) (Polled, error) {
	c, err := servers(b.Name)
	if err != nil {
		return Polled{}, fmt.Errorf("batch %s: %w", b.ID, err)
	}
	now, err := c.Poll(ctx, b.ID)
	if err != nil {
		return Polled{}, err
	}
	b.State = now.State
	p := Polled{Batch: b, Ended: now.Ended, Problem: now.Problem}
	if !now.Ended {
		return p, l.SaveBatch(ctx, b)
	}
	for _, file := range now.Results {
		got, err := Import(ctx, l, bytes.NewReader(file))
		if err != nil {
			return p, fmt.Errorf("batch %s: %w", b.ID, err)
		}
		p.Imported.add(got)
	}
	return p, l.DropBatch(ctx, b.ID)
}

func (i *Imported) add(other Imported) {
	i.Answered += other.Answered
	i.Failed += other.Failed
	i.Unknown += other.Unknown
	if i.Reason == "" {
		i.Reason = other.Reason
	}
}
