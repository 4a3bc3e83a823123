package batch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/wire"
)

// Servers gives the client of a model by its name in pipeline.yaml.
type Servers func(name string) (*wire.Client, error)

// Submit uploads a file that Export wrote and starts its batch, which the ledger
// remembers together with its requests: no build asks them until they are
// answered or the batch is dropped. A file of which a request is in a batch
// already, is being asked, or waits no more is refused as a *ledger.TakenError.
func Submit(ctx context.Context, l *ledger.Ledger, path string, data []byte, servers Servers) (ledger.Batch, error) {
	b, err := submit(ctx, l, filepath.Base(path), data, servers)
	if err != nil {
		return b, fmt.Errorf("submit %s: %w", path, err)
	}
	return b, nil
}

func submit(ctx context.Context, l *ledger.Ledger, name string, data []byte, servers Servers) (ledger.Batch, error) {
	url, keys, err := readBatchFile(data)
	if err != nil {
		return ledger.Batch{}, err
	}
	p, err := checkWaiting(ctx, l, keys)
	if err != nil {
		return ledger.Batch{}, err
	}
	c, err := servers(p.Name)
	if err != nil {
		return ledger.Batch{}, err
	}
	file, err := c.Upload(ctx, name, data)
	if err != nil {
		return ledger.Batch{}, err
	}
	begun := ledger.Batch{ID: unconfirmedPrefix + file, Name: p.Name, State: "started, and its server never said so", Requests: len(keys)}
	if err := l.BeginBatch(ctx, begun, keys); err != nil {
		return ledger.Batch{}, err
	}
	// From here on it may run and cost: remember it even if the user stops now.
	ctx = context.WithoutCancel(ctx)
	sent, err := c.Start(ctx, file, url)
	if err != nil {
		return ledger.Batch{}, startError(ctx, l, begun.ID, err)
	}
	b := ledger.Batch{ID: sent.ID, Name: p.Name, State: sent.State, Requests: len(keys)}
	return b, l.ConfirmBatch(ctx, begun.ID, b)
}

// unconfirmedPrefix marks the id of a batch of which no more is known than its file.
const unconfirmedPrefix = "unheard-"

// startError frees the requests of a batch that its server refused. A batch whose start was
// not answered may run.
func startError(ctx context.Context, l *ledger.Ledger, id string, err error) error {
	var server *model.ServerError
	if errors.As(err, &server) && server.Reason == model.Unavailable {
		return fmt.Errorf("%w; the batch may run all the same, so its requests stay taken: look at the server, then import its results or `memforge batch drop %s`", err, id)
	}
	return errors.Join(err, l.DropBatch(ctx, id))
}

// checkWaiting checks that all requests wait and are free, and returns the first.
func checkWaiting(ctx context.Context, l *ledger.Ledger, keys []pipeline.Key) (ledger.Pending, error) {
	taken := &ledger.TakenError{Requests: len(keys)}
	for _, k := range keys {
		in, waits, err := l.FindBatch(ctx, k)
		if err != nil {
			return ledger.Pending{}, err
		}
		switch {
		case !waits:
			taken.Gone++
		case in != "":
			taken.Taken, taken.Batch = taken.Taken+1, in
		}
	}
	if taken.Gone+taken.Taken > 0 {
		return ledger.Pending{}, taken
	}
	first, _, err := l.FindPending(ctx, keys[0])
	return first, err
}

func readBatchFile(data []byte) (url string, keys []pipeline.Key, err error) {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for n := 1; lines.Scan(); n++ {
		var one line
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return "", nil, fmt.Errorf("it is no batch file: line %d: %w", n, err)
		}
		if _, err := pipeline.ParseDigest(string(one.CustomID)); err != nil {
			return "", nil, fmt.Errorf("it is no batch file: line %d has no custom_id that memforge gave", n)
		}
		if url == "" {
			url = one.URL
		}
		keys = append(keys, one.CustomID)
	}
	if len(keys) == 0 {
		return "", nil, errors.New("it is no batch file: it has no line")
	}
	return url, keys, lines.Err()
}

// Polled is what became of a batch.
type Polled struct {
	ledger.Batch
	Ended    bool
	Problem  string
	Imported Imported
}

// Poll looks at every batch under way and takes in the results of those that
// ended. What failed or expired waits for the next export. A batch that cannot be
// looked at keeps no other from being: the errors of all are joined.
func Poll(ctx context.Context, l *ledger.Ledger, servers Servers) ([]Polled, error) {
	all, err := l.Batches(ctx)
	if err != nil {
		return nil, err
	}
	var polled []Polled
	var errs []error
	for _, b := range all {
		if ctx.Err() != nil {
			return polled, errors.Join(append(errs, context.Cause(ctx))...)
		}
		p, err := pollOne(ctx, l, b, servers)
		if err != nil {
			errs = append(errs, fmt.Errorf("batch %s of %s: %w; if it is lost, `memforge batch drop %s` lets its requests be exported again", b.ID, b.Name, err, b.ID))
			continue
		}
		polled = append(polled, p)
	}
	return polled, errors.Join(errs...)
}

func pollOne(ctx context.Context, l *ledger.Ledger, b ledger.Batch, servers Servers) (Polled, error) {
	if strings.HasPrefix(b.ID, unconfirmedPrefix) {
		return Polled{}, errors.New("its start was never confirmed; see on the server whether it runs, and import its results")
	}
	c, err := servers(b.Name)
	if err != nil {
		return Polled{}, err
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
		got, err := Import(ctx, l, bytes.NewReader(file), false)
		if err != nil {
			return p, err
		}
		p.Imported.add(got)
	}
	return p, l.DropBatch(ctx, b.ID)
}
