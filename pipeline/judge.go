package pipeline

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/schemas"
)

// judge runs a gate on its items: the items that go on and one verdict each.
//
// pass and insufficient go on; fail follows on_fail (drop or keep); error is
// neither, so the item is withheld and counts as a loss.
func (u *unit) judge(ctx context.Context, scope *Scope, g Gate) error {
	u.spec.Emits = append([]string{schemas.NameVerdict, schemas.NameProbe}, u.spec.Accepts...)
	items, err := u.items(ctx)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return nil
	}
	judgements, err := g.Judge(ctx, scope, items)
	if err != nil {
		return err
	}
	if len(judgements) != len(items) {
		return fmt.Errorf("the gate gave %d judgements for %d items", len(judgements), len(items))
	}
	for i, j := range judgements {
		if err := u.apply(ctx, scope, items[i], j); err != nil {
			return err
		}
	}
	return nil
}

func (u *unit) items(ctx context.Context) ([]Record, error) {
	if u.task.Each {
		return []Record{u.input}, nil
	}
	return loadRefs(ctx, u.rt.Store, u.task.Inputs)
}

func (u *unit) apply(ctx context.Context, scope *Scope, item Record, j Judgement) error {
	gate := u.task.Identity.Name
	verdict, err := NewRecord(schemas.NameVerdict, gate+"/"+item.ID, schemas.Verdict{
		Item: item.ID, Gate: gate, Outcome: string(j.Outcome), Reason: j.Reason,
		CallsMade: int32(len(j.Probes)), CallsFull: int32(j.CallsFull),
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
	case Pass, Insufficient:
		return u.emit(ctx, item)
	case Fail:
		if u.task.Identity.OnFail == "keep" {
			return u.emit(ctx, item)
		}
		scope.Reject(item.ID, &Rejection{Code: j.Code, Reason: j.Reason, Flagged: true})
		return nil
	case GateError:
		scope.Reject(item.ID, Reject("gate-error", "gate %s could not judge it: %s", gate, j.Reason))
		return nil
	}
	return fmt.Errorf("item %q: the gate gave the unknown outcome %q", item.ID, j.Outcome)
}

// emitProbes gives one record per question asked about an item.
func (u *unit) emitProbes(ctx context.Context, item Record, probes []schemas.Probe) error {
	for _, p := range probes {
		p.Item, p.Gate = item.ID, u.task.Identity.Name
		id := fmt.Sprintf("%s/%s/%s/%s/%d/%d", p.Gate, p.Item, p.View, p.Role, p.Rotation, p.Run)
		rec, err := NewRecord(schemas.NameProbe, id, p)
		if err != nil {
			return err
		}
		if err := u.emit(ctx, rec); err != nil {
			return err
		}
	}
	return nil
}
