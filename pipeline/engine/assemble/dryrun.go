package assemble

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/ledger/ledgerurl"
)

// PlannedRequest is a request as it would be put to a model.
type PlannedRequest struct {
	pipeline.Origin
	pipeline.Request
	// Model is what answers for its role.
	Model string
}

// DryRunResult is what a step would ask.
type DryRunResult struct {
	Requests []PlannedRequest
	// Waits says that more would be asked, which follows from answers that are not
	// there yet.
	Waits bool
	// Store holds the pictures of the requests, until Close.
	Store pipeline.Store
	close func() error
}

// Close removes the pictures.
func (r *DryRunResult) Close() error { return r.close() }

// DryRun runs a step over records that its upstreams gave and lists what it asks
// of models: nothing is sent and nothing is kept. Answers that are recorded are
// used, and so is the built-in model where it plays the role. inputs chooses the
// records; it is not called for a step that asks nothing.
func DryRun(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, st pipeline.Store, node string, inputs func(engine.Step) ([]pipeline.Ref, error), opt Options) (*DryRunResult, error) {
	offline := *cfg
	offline.Run.MaxCost = nil // nothing is paid for
	opt.Only, opt.Offline, opt.MaxCost = node, true, nil
	only, err := confine(&offline, opt)
	if err != nil {
		return nil, err
	}
	steps, err := only.Plan.Resolve(ctx, reg)
	if err != nil {
		return nil, err
	}
	step := steps[slices.IndexFunc(steps, func(s engine.Step) bool { return s.Name == node })]
	if len(step.Spec.Asks) == 0 {
		return &DryRunResult{Store: st, close: func() error { return nil }}, nil
	}
	task := pipeline.Task{Step: node, Identity: step.Identity, Each: step.Each}
	if task.Inputs, err = inputs(step); err != nil {
		return nil, err
	}
	return dryRun(ctx, reg, only, st, step, task, opt)
}

func dryRun(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, st pipeline.Store, step engine.Step, task pipeline.Task, opt Options) (*DryRunResult, error) {
	models, err := openModels(ctx, cfg, withLedger([]engine.Step{step}, ledgerurl.Exists(cfg.LedgerDir())), opt)
	if err != nil {
		return nil, err
	}
	scratch, err := newScratch(st)
	if err != nil {
		return nil, errors.Join(err, models.close())
	}
	out := &DryRunResult{Store: scratch, close: scratch.Close}
	var mu sync.Mutex
	rt := engine.Runtime{Registry: reg, Store: scratch, Models: models.runtimeModels(), TempRoot: scratch.dir, Heard: func(o pipeline.Origin, r pipeline.Request) {
		mu.Lock()
		defer mu.Unlock()
		out.Requests = append(out.Requests, PlannedRequest{Origin: o, Request: r, Model: modelNameOf(step, r.Role)})
	}}
	if rt.Models == nil {
		rt.Models = noModels{}
	}
	failed := engine.DryRun(ctx, rt, task)
	out.Waits = slices.ContainsFunc(failed, isUnanswered)
	err = errors.Join(append(slices.DeleteFunc(failed, isUnanswered), models.close())...)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("rehearse: %w", err), scratch.Close())
	}
	return out, nil
}

// withLedger leaves out the steps where there are no recorded answers: opening a
// ledger would make one.
func withLedger(steps []engine.Step, there bool) []engine.Step {
	if there {
		return steps
	}
	return nil
}

func modelNameOf(s engine.Step, role string) string {
	m, ok := s.Identity.Models[role]
	if !ok {
		return pipeline.BuiltInModel
	}
	return m.Name
}

// isUnanswered reports whether all that is wrong is that an answer is not there.
func isUnanswered(err error) bool {
	var miss *model.MissError
	return errors.As(err, &miss) || errors.Is(err, errUnanswered)
}

// errUnanswered answers a request without a recorded answer.
var errUnanswered = errors.New("no answer is recorded")

// noModels answers nothing.
type noModels struct{}

func (noModels) Ask(context.Context, *pipeline.Scope, pipeline.Request) (pipeline.Reply, error) {
	return pipeline.Reply{}, errUnanswered
}

func (noModels) Embed(context.Context, *pipeline.Scope, string, []string) ([][]float32, error) {
	return nil, errUnanswered
}

// scratch is a store over one that is only read: what is put into it lies in a
// folder of its own until it is closed. It takes blobs and no results.
type scratch struct {
	pipeline.Store
	dir string
}

func newScratch(under pipeline.Store) (*scratch, error) {
	dir, err := os.MkdirTemp("", "memforge-show-")
	if err != nil {
		return nil, fmt.Errorf("make a scratch folder: %w", err)
	}
	return &scratch{under, dir}, nil
}

// Close removes what was put.
func (s *scratch) Close() error { return os.RemoveAll(s.dir) }

func (s *scratch) path(d pipeline.Digest) string { return filepath.Join(s.dir, string(d)) }

func (s *scratch) has(d pipeline.Digest) bool {
	_, err := os.Stat(s.path(d))
	return err == nil
}

// PutBlob implements pipeline.Store.
func (s *scratch) PutBlob(_ context.Context, r io.Reader) (pipeline.Blob, error) {
	f, err := os.CreateTemp(s.dir, "put-")
	if err != nil {
		return pipeline.Blob{}, fmt.Errorf("put blob: %w", err)
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, h), r)
	if err = errors.Join(err, f.Close()); err != nil {
		return pipeline.Blob{}, fmt.Errorf("put blob: %w", err)
	}
	b := pipeline.Blob{Digest: pipeline.Digest(hex.EncodeToString(h.Sum(nil))), Size: n}
	return b, os.Rename(f.Name(), s.path(b.Digest))
}

// PutFile implements pipeline.Store.
func (s *scratch) PutFile(ctx context.Context, path string, move bool) (pipeline.Blob, error) {
	f, err := os.Open(path)
	if err != nil {
		return pipeline.Blob{}, fmt.Errorf("put file: %w", err)
	}
	b, err := s.PutBlob(ctx, f)
	err = errors.Join(err, f.Close())
	if err == nil && move {
		err = os.Remove(path)
	}
	return b, err
}

// OpenBlob implements pipeline.Store.
func (s *scratch) OpenBlob(ctx context.Context, d pipeline.Digest) (io.ReadCloser, error) {
	if s.has(d) {
		return os.Open(s.path(d))
	}
	return s.Store.OpenBlob(ctx, d)
}

// BlobPath implements pipeline.Store.
func (s *scratch) BlobPath(ctx context.Context, d pipeline.Digest) (string, error) {
	if s.has(d) {
		return s.path(d), nil
	}
	return s.Store.BlobPath(ctx, d)
}

// MissingBlobs implements pipeline.Store.
func (s *scratch) MissingBlobs(ctx context.Context, ds []pipeline.Digest) ([]pipeline.Digest, error) {
	var asked []pipeline.Digest
	for _, d := range ds {
		if !s.has(d) {
			asked = append(asked, d)
		}
	}
	return s.Store.MissingBlobs(ctx, asked)
}
