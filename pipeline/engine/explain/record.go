package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/schemas"
)

// NotFoundError says that no step of the newest build gave or lost the record.
type NotFoundError struct{ ID string }

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("no record %q in the newest build; ids stand in the release's tables (question_id, task_id, media record ids) and in the rejections", e.ID)
}

// Line is one statement about a record, indented by Depth along its descent.
type Line struct {
	Depth int
	Text  string
}

// maxListed bounds how many changed inputs of a fold are followed.
const maxListed = 5

// Record says where a record comes from and why it was rebuilt, back to the
// source item or the field of the configuration that changed.
func Record(ctx context.Context, reg *pipeline.Registry, st pipeline.Store, id string) ([]Line, error) {
	h, err := load(ctx, st)
	if err != nil {
		return nil, err
	}
	t := &trace{h: h, reg: reg, seen: map[string]bool{}}
	found := false
	for _, n := range h.now.build.Steps {
		u, ok, err := t.producer(ctx, h.now, n.Name, id)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		found = true
		if err := t.unit(ctx, 0, n, u, id); err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, &NotFoundError{ID: id}
	}
	return t.lines, nil
}

type trace struct {
	h     *history
	reg   *pipeline.Registry
	lines []Line
	seen  map[string]bool
}

func (t *trace) addLine(depth int, format string, args ...any) {
	t.lines = append(t.lines, Line{Depth: depth, Text: fmt.Sprintf(format, args...)})
}

// producer finds the unit of a step that gave or lost the record. A unit that
// only passed an input on (a gate) counts too.
func (t *trace) producer(ctx context.Context, v *view, node, id string) (pipeline.Unit, bool, error) {
	units, err := t.h.unitsOf(ctx, v, node)
	if err != nil {
		return pipeline.Unit{}, false, err
	}
	for _, u := range units {
		out := slices.ContainsFunc(u.Out, func(r pipeline.Ref) bool { return r.ID == id })
		lost := slices.ContainsFunc(u.Rejections, func(r pipeline.Rejection) bool { return r.ID == id })
		if out || lost {
			return u, true, nil
		}
	}
	return pipeline.Unit{}, false, nil
}

func (t *trace) unit(ctx context.Context, depth int, n pipeline.BuildStep, u pipeline.Unit, id string) error {
	mark := n.Name + "\x00" + string(u.Key)
	if t.seen[mark] {
		return nil
	}
	t.seen[mark] = true
	verb := "given"
	for _, r := range u.Rejections {
		if r.ID != id {
			continue
		}
		if verb = lossOf(u); !r.Flagged { // else the verdict below says why
			verb += " (" + r.Message() + ")"
		}
	}
	t.addLine(depth, "%s: %s by step %s (%s), key %.12s", id, verb, n.Name, plugin(n), u.Key)
	if err := errors.Join(t.file(ctx, depth+1, u, id), t.verdict(ctx, depth+1, n, u, id)); err != nil {
		return err
	}
	before, known, err := t.before(ctx, n.Name, u)
	if err != nil {
		return err
	}
	if !known {
		t.addLine(depth+1, "new: the build before had no such task")
		return t.inputs(ctx, depth+1, n, u, nil)
	}
	if before.Key == u.Key {
		t.addLine(depth+1, "reused: its key is the one of the build before")
		return nil
	}
	then, _ := t.h.then.node(n.Name)
	diffs := DiffIdentity(then.Identity, n.Identity)
	for _, d := range diffs {
		t.addLine(depth+1, "rebuilt because %s", d)
	}
	if len(diffs) > 0 && n.Identity.Kind == pipeline.KindSource {
		return nil
	}
	return t.inputs(ctx, depth+1, n, u, &before)
}

// file says of which file the record is, and what is odd about it.
func (t *trace) file(ctx context.Context, depth int, u pipeline.Unit, id string) error {
	for _, ref := range append(slices.Clone(u.Out), u.In) {
		if ref.ID != id || !t.reg.HasSourceFile(ref.Schema) {
			continue
		}
		recs, err := t.h.store.Records(ctx, []pipeline.Digest{ref.Digest})
		if err != nil {
			return fmt.Errorf("file of %s: %w", id, err)
		}
		told, err := t.reg.SourceFile(recs[0])
		if err != nil {
			return fmt.Errorf("file of %s: %w", id, err)
		}
		if told.File != "" {
			t.addLine(depth, "it is %s", told.File)
		}
		for _, n := range told.Notes {
			t.addLine(depth, "noted: %s: %s", n.Code, n.Text)
		}
		return nil
	}
	return nil
}

func (t *trace) verdict(ctx context.Context, depth int, n pipeline.BuildStep, u pipeline.Unit, id string) error {
	if n.Identity.Kind != pipeline.KindGate {
		return nil
	}
	for _, ref := range u.Out {
		if ref.Schema != schemas.NameVerdict || ref.ID != engine.VerdictID(n.Name, id) {
			continue
		}
		recs, err := t.h.store.Records(ctx, []pipeline.Digest{ref.Digest})
		if err != nil {
			return fmt.Errorf("verdict of %s on %s: %w", n.Name, id, err)
		}
		v, err := pipeline.Decode[schemas.Verdict](recs[0])
		if err != nil {
			return fmt.Errorf("verdict of %s on %s: %w", n.Name, id, err)
		}
		t.addLine(depth, "verdict: %s", strings.TrimSuffix(outcomeWords(v.Outcome)+", "+v.Reason, ", "))
	}
	return nil
}

func outcomeWords(outcome string) string {
	switch outcome {
	case schemas.NotApplicable:
		return "not applicable"
	case schemas.Insufficient:
		return "too little data"
	}
	return outcome
}

func lossOf(u pipeline.Unit) string {
	if slices.ContainsFunc(u.Out, func(r pipeline.Ref) bool { return r.Schema == schemas.NameFlagged }) {
		return "handed on to be rewritten"
	}
	return "dropped"
}

// plugin says what a step is, and in which round of which loop it stands.
func plugin(n pipeline.BuildStep) string {
	s := fmt.Sprintf("%s %s %s", n.Identity.Kind, n.Identity.Use, n.Identity.Version)
	if _, round := pipeline.SplitRound(n.Name); round > 0 {
		s += fmt.Sprintf(", round %d of revising", round)
	}
	return s
}

// before finds the unit of the previous build that answers to u.
func (t *trace) before(ctx context.Context, node string, u pipeline.Unit) (pipeline.Unit, bool, error) {
	if t.h.then == nil {
		return pipeline.Unit{}, false, nil
	}
	units, err := t.h.unitsOf(ctx, t.h.then, node)
	if err != nil {
		return pipeline.Unit{}, false, err
	}
	i := slices.IndexFunc(units, func(o pipeline.Unit) bool { return o.In.ID == u.In.ID })
	if i < 0 {
		return pipeline.Unit{}, false, nil
	}
	return units[i], true, nil
}

// inputs follows what went into a unit to the steps upstream.
func (t *trace) inputs(ctx context.Context, depth int, n pipeline.BuildStep, u pipeline.Unit, before *pipeline.Unit) error {
	if n.Identity.Kind == pipeline.KindSource {
		if before != nil {
			t.addLine(depth, "rebuilt because the source's files changed")
		}
		return nil
	}
	if u.In.ID != "" {
		return t.input(ctx, depth, u, before)
	}
	return t.foldInputs(ctx, depth, n, before)
}

func (t *trace) input(ctx context.Context, depth int, u pipeline.Unit, before *pipeline.Unit) error {
	if before != nil && before.In.Digest != u.In.Digest {
		t.addLine(depth, "rebuilt because its input %s changed", u.In.ID)
		if err := t.fields(ctx, depth+1, before.In, u.In); err != nil {
			return err
		}
	}
	return t.upstream(ctx, depth, u.In)
}

// fields says which fields of a record changed, if the old one is still kept.
func (t *trace) fields(ctx context.Context, depth int, before, now pipeline.Ref) error {
	recs, err := t.h.store.Records(ctx, []pipeline.Digest{before.Digest, now.Digest})
	if err != nil {
		t.addLine(depth, "the record as it was is no longer in the store")
		return nil
	}
	for _, d := range diffJSON("data", recs[0].Data, recs[1].Data) {
		t.addLine(depth, "%s", d)
	}
	return nil
}

func (t *trace) upstream(ctx context.Context, depth int, ref pipeline.Ref) error {
	for _, n := range t.h.now.build.Steps {
		units, err := t.h.unitsOf(ctx, t.h.now, n.Name)
		if err != nil {
			return err
		}
		for _, u := range units {
			if u.In != ref && slices.Contains(u.Out, ref) {
				return t.unit(ctx, depth, n, u, ref.ID)
			}
		}
	}
	return nil
}

// foldInputs says which of a fold's inputs differ from the build before.
func (t *trace) foldInputs(ctx context.Context, depth int, n pipeline.BuildStep, before *pipeline.Unit) error {
	if before == nil {
		return nil
	}
	listed := 0
	for _, from := range n.From {
		now, err := t.outputs(ctx, t.h.now, from)
		if err != nil {
			return err
		}
		then, err := t.outputs(ctx, t.h.then, from)
		if err != nil {
			return err
		}
		known := make(map[string]pipeline.Ref, len(then))
		for _, ref := range then {
			known[ref.ID] = ref
		}
		for _, ref := range now {
			if known[ref.ID] == ref || listed >= maxListed {
				continue
			}
			listed++
			t.addLine(depth, "rebuilt because its input %s is new or changed", ref.ID)
			if err := t.upstream(ctx, depth+1, ref); err != nil {
				return err
			}
		}
	}
	if listed == 0 {
		t.addLine(depth, "rebuilt because inputs it had are gone")
	}
	return nil
}

func (t *trace) outputs(ctx context.Context, v *view, node string) ([]pipeline.Ref, error) {
	units, err := t.h.unitsOf(ctx, v, node)
	if err != nil {
		return nil, err
	}
	var refs []pipeline.Ref
	for _, u := range units {
		refs = append(refs, u.Out...)
	}
	return refs, nil
}
