package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// judge runs a gate on its items: the items that go on and one verdict each.
//
// pass, not applicable and insufficient go on; fail follows on_fail, see failed; error is
// neither, so the item is excluded and counts as a loss.
func (u *unitRun) judge(ctx context.Context, scope *pipeline.Scope, g pipeline.Gate) error {
	u.spec.Emits = append([]string{schemas.NameVerdict, schemas.NameProbes, schemas.NameFlagged}, u.spec.Accepts...)
	items, err := u.items(ctx)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return nil
	}
	judgements, err := g.Judge(ctx, scope, items)
	var r *pipeline.Rejection
	if errors.As(err, &r) && r.Transient && u.task.Each && ctx.Err() == nil {
		// No verdict yet: the next build judges it.
		scope.Reject(items[0].ID, r)
		return nil
	}
	if err != nil {
		return err
	}
	if len(judgements) != len(items) {
		return fmt.Errorf("the gate gave %d judgements for %d items", len(judgements), len(items))
	}
	for i, j := range judgements {
		if err := u.emitJudgement(ctx, scope, items[i], j); err != nil {
			return err
		}
	}
	return nil
}

func (u *unitRun) items(ctx context.Context) ([]pipeline.Record, error) {
	if u.task.Each {
		return []pipeline.Record{u.input}, nil
	}
	return loadRefs(ctx, u.rt.Store, u.task.Inputs)
}

// digest returns that of an item as a release holds it.
func (u *unitRun) digest(item pipeline.Record) (pipeline.Digest, error) {
	shown, err := u.rt.Registry.Disclose(item)
	if err != nil {
		return "", err
	}
	return pipeline.ItemDigest(shown)
}

// VerdictID returns the id of the record with a gate's verdict on an item.
func VerdictID(gate, item string) string { return gate + "/" + item }

func (u *unitRun) emitJudgement(ctx context.Context, scope *pipeline.Scope, item pipeline.Record, j pipeline.Judgement) error {
	gate := u.task.Identity.Name
	digest, err := u.digest(item)
	if err != nil {
		return fmt.Errorf("item %q: %w", item.ID, err)
	}
	verdict, err := pipeline.NewRecord(schemas.NameVerdict, VerdictID(gate, item.ID), schemas.Verdict{
		Item: item.ID, Gate: gate, Outcome: string(j.Outcome), Reason: j.Reason,
		CallsMade: int32(len(j.Probes)), CallsFull: int32(j.CallsFull), ItemDigest: string(digest),
	})
	if err != nil {
		return err
	}
	if err := u.emit(ctx, verdict); err != nil {
		return err
	}
	if err := u.emitProbes(ctx, item, j.Probes); err != nil {
		return err
	}
	switch j.Outcome {
	case pipeline.Pass, pipeline.NotApplicable, pipeline.Insufficient:
		return u.emit(ctx, item)
	case pipeline.Fail:
		return u.emitFailed(ctx, scope, item, j)
	case pipeline.GateError:
		scope.Reject(item.ID, pipeline.Reject("gate-error", "gate %s could not judge it: %s", gate, j.Reason))
		return nil
	}
	return fmt.Errorf("item %q: the gate gave the unknown outcome %q", item.ID, j.Outcome)
}

// emitFailed does with a flagged item what on_fail says: let it go on, let it go on
// under the labels that the gate offers, hand it on to be rewritten, or drop it.
// An item for which no labels are offered is dropped.
func (u *unitRun) emitFailed(ctx context.Context, scope *pipeline.Scope, item pipeline.Record, j pipeline.Judgement) error {
	switch {
	case u.task.Identity.OnFail == pipeline.OnFailKeep:
		return u.emit(ctx, item)
	case u.task.Identity.OnFail == pipeline.OnFailRelabel && len(j.Relabel) > 0:
		again, err := relabelled(item, j.Relabel)
		if err != nil {
			return err
		}
		return u.emit(ctx, again)
	case u.task.Identity.OnFail == pipeline.OnFailRevise:
		handed, err := u.flaggedRecord(item, j)
		if err != nil {
			return err
		}
		if err := u.emit(ctx, handed); err != nil {
			return err
		}
	}
	scope.Reject(item.ID, &pipeline.Rejection{Code: j.Code, Reason: j.Reason, Flagged: true})
	return nil
}

// relabelled returns a record with some of its labels changed. It has labels to be changed,
// an object of texts.
func relabelled(item pipeline.Record, labels map[string]string) (pipeline.Record, error) {
	var fields map[string]json.RawMessage
	all := map[string]string{}
	if err := json.Unmarshal(item.Data, &fields); err != nil {
		return pipeline.Record{}, fmt.Errorf("relabel %s %q: %w", item.Schema, item.ID, err)
	}
	if err := json.Unmarshal(fields[labelsField], &all); err != nil {
		return pipeline.Record{}, fmt.Errorf("relabel %s %q: it has no labels that a gate can change; use on_fail drop or keep: %w", item.Schema, item.ID, err)
	}
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, labels)
	b, err := pipeline.Canonical(all)
	if err != nil {
		return pipeline.Record{}, err
	}
	fields[labelsField] = b
	return pipeline.NewRecord(item.Schema, item.ID, fields, item.Blobs...)
}

// labelsField is where a record has its labels.
const labelsField = "labels"

// mostProbed bounds the bytes of what is asked about an item in one record, well
// below MaxRecordBytes: JSON may escape what models say. probeBytes is what a
// probe takes besides that.
const (
	mostProbed = 256 << 10
	probeBytes = 1 << 10
)

// emitProbes gives what was asked about an item, in one record unless the answers
// are long.
func (u *unitRun) emitProbes(ctx context.Context, item pipeline.Record, probes []schemas.Probe) error {
	gate := u.task.Identity.Name
	for part := 0; len(probes) > 0; part++ {
		n := probesTogether(probes)
		list := slices.Clone(probes[:n])
		probes = probes[n:]
		for i := range list {
			list[i].Item, list[i].Gate = item.ID, gate
		}
		rec, err := pipeline.NewRecord(schemas.NameProbes, fmt.Sprintf("probes/%s/%s/%d", gate, item.ID, part), schemas.Probes{Probes: list})
		if err != nil {
			return err
		}
		if err := u.emit(ctx, rec); err != nil {
			return err
		}
	}
	return nil
}

// probesTogether returns how many of the first probes share a record: at least one.
func probesTogether(probes []schemas.Probe) int {
	size := 0
	for i, p := range probes {
		size += len(p.Response) + len(p.Reason) + probeBytes
		if i > 0 && size > mostProbed {
			return i
		}
	}
	return len(probes)
}

// Bounds of what a reviser reads of the answers that a gate got.
const (
	maxAnswers     = 8
	maxAnswerChars = 1000
)

func (u *unitRun) flaggedRecord(item pipeline.Record, j pipeline.Judgement) (pipeline.Record, error) {
	gate := u.task.Identity.Name
	return pipeline.NewRecord(schemas.NameFlagged, "flagged/"+gate+"/"+item.ID, schemas.Flagged{
		Item: item.ID, Schema: item.Schema, Record: item.Data,
		Gate: gate, Use: u.task.Identity.Use, Code: j.Code, Reason: j.Reason, Answers: answers(j.Probes),
	}, item.Blobs...)
}

// answers returns the answers of probes, in their order, the first of each view and
// role before any other: what a second order of the options or a second sample
// brought tells less.
func answers(probes []schemas.Probe) []schemas.ModelAnswer {
	type key struct{ view, role string }
	seen := map[key]bool{}
	var first, more []schemas.ModelAnswer
	for _, p := range probes {
		s := schemas.ModelAnswer{View: p.View, Role: p.Role, Answer: p.Answer, Mark: p.Mark, Response: cutText(p.Response, maxAnswerChars)}
		if k := (key{p.View, p.Role}); !seen[k] {
			seen[k] = true
			first = append(first, s)
			continue
		}
		more = append(more, s)
	}
	all := append(first, more...)
	return all[:min(len(all), maxAnswers)]
}

func cutText(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "..."
}
