package applyreviews

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// Codes of what review.revise leaves out.
const (
	// CodeReworded is that of a question in the place of which another stands.
	CodeReworded = "reworded"
	// CodeStaleProposal is that of a proposal about another form of its question, or about
	// a question that is not there.
	CodeStaleProposal = "stale-proposal"
	// CodeSpanOutside is that of a proposed span that is not within its film.
	CodeSpanOutside = "span-outside-film"
	// CodeProposalsDiffer is that of proposals that give one field different texts.
	CodeProposalsDiffer = "proposals-differ"
)

// ReviseConfig configures review.revise.
type ReviseConfig struct {
	Keeper string `json:"keeper" doc:"who settles disputes: of several proposals about a question the keeper's stands"`
}

// reviseStage changes questions as annotators propose. It stands before the gates, so that
// they judge what it gives.
type reviseStage struct{ cfg ReviseConfig }

func newRevise(c ReviseConfig) (pipeline.Stage, error) { return &reviseStage{c}, nil }

// Spec implements pipeline.Stage.
func (s *reviseStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameQuestion, schemas.NameProposal, schemas.NameMedia}, Emits: []string{schemas.NameQuestion}}
}

// Forecast implements pipeline.Forecaster.
func (s *reviseStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	q := in[schemas.NameQuestion]
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameQuestion: q}, CPU: readCPU * (q.Records + in[schemas.NameProposal].Records + in[schemas.NameMedia].Records)}
}

// proposed is a proposal with the id of its record.
type proposed struct {
	record string
	schemas.Proposal
}

// revision is what becomes of a question, and of those in the same words: the changes, and
// what is added to its id.
type revision struct {
	of, suffix string
	changes    []schemas.ProposedChange
	by         []string
}

// Fold implements pipeline.Fold.
func (s *reviseStage) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	about, seconds := map[string][]proposed{}, map[string]float64{}
	for rec, err := range in.All {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		switch rec.Schema {
		case schemas.NameProposal:
			p, err := pipeline.Decode[schemas.Proposal](rec)
			if err != nil {
				return err
			}
			about[p.Item] = append(about[p.Item], proposed{rec.ID, p})
		case schemas.NameMedia:
			m, err := pipeline.Decode[schemas.Media](rec)
			if err != nil {
				return err
			}
			seconds[m.MediaID] = m.Duration
		}
	}
	revised, shared, err := s.revisions(scope, in, about, seconds)
	if err != nil {
		return err
	}
	for _, item := range slices.Sorted(maps.Keys(about)) {
		rejectProposals(scope, about[item], CodeStaleProposal, "no question "+item+" comes to this step")
	}
	return emitRevised(scope, in, revised, shared, emit)
}

// revisions works out what becomes of questions by their ids, and of their copies by the
// words they share. It takes the proposals that are used out of about. seconds are the
// lengths of films.
func (s *reviseStage) revisions(scope *pipeline.Scope, in pipeline.Collection, about map[string][]proposed, seconds map[string]float64) (revised, shared map[string]revision, err error) {
	revised, shared = map[string]revision{}, map[string]revision{}
	for rec, err := range in.All {
		if err != nil {
			return nil, nil, err
		}
		if rec.Schema != schemas.NameQuestion || len(about[rec.ID]) == 0 {
			continue
		}
		q, err := pipeline.Decode[schemas.Question](rec)
		if err != nil {
			return nil, nil, err
		}
		r := revision{of: rec.ID}
		words := sharedWords(q)
		// What was changed may be changed again: later proposals name the changed form.
		for id := rec.ID; len(about[id]) > 0; id = q.QuestionID {
			list := about[id]
			delete(about, id)
			next, changes, by, err := s.apply(scope, q, list, seconds)
			if err != nil {
				return nil, nil, err
			}
			if len(changes) == 0 {
				break
			}
			q, r.changes, r.by = next, append(r.changes, changes...), append(r.by, by...)
		}
		if len(r.changes) == 0 {
			continue
		}
		r.suffix = strings.TrimPrefix(q.QuestionID, rec.ID)
		r.by = slices.Compact(slices.Sorted(slices.Values(r.by)))
		revised[rec.ID] = r
		r.changes = slices.DeleteFunc(slices.Clone(r.changes), func(c schemas.ProposedChange) bool { return !review.IsAboutWords(c) })
		if words != "" && len(r.changes) > 0 {
			shared[words] = r
		}
	}
	return revised, shared, nil
}

// apply returns a question as the proposals about it want it. Proposals that do not fit are
// rejected.
func (s *reviseStage) apply(scope *pipeline.Scope, q schemas.Question, list []proposed, seconds map[string]float64) (schemas.Question, []schemas.ProposedChange, []string, error) {
	digest, err := review.ContentDigest(q)
	if err != nil {
		return q, nil, nil, err
	}
	fits := func(p proposed) bool { return p.Digest == string(digest) }
	for _, p := range list {
		if !fits(p) {
			rejectProposals(scope, []proposed{p}, CodeStaleProposal, fmt.Sprintf("%s is now %.12s; the proposal is about %.12s", p.Item, digest, p.Digest))
		}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(p proposed) bool { return !fits(p) })
	if i := slices.IndexFunc(list, func(p proposed) bool { return s.cfg.Keeper != "" && p.Annotator == s.cfg.Keeper }); i >= 0 {
		list = list[i : i+1]
	}
	changes, by, differ := mergeChanges(list)
	if differ != "" {
		rejectProposals(scope, list, CodeProposalsDiffer, fmt.Sprintf("%s give %s different texts; let the keeper settle it", strings.Join(by, " and "), differ))
		return q, nil, nil, nil
	}
	next, err := review.ApplyChanges(q, changes)
	if err == nil {
		if why := scope.CheckQuestion(q, next, nil); len(why) > 0 {
			err = errors.New(strings.Join(why, "; "))
		}
	}
	code := CodeStaleProposal
	if err == nil {
		code, err = CodeSpanOutside, review.CheckSpans(q, changes, seconds)
	}
	if err != nil {
		rejectProposals(scope, list, code, err.Error())
		return q, nil, nil, nil
	}
	next.QuestionID += "-p" + string(pipeline.DigestOf(fmt.Appendf(nil, "%q", changes)))[:8]
	return next, changes, by, nil
}

// mergeChanges joins the changes of proposals. differ names a field to which they give
// different texts.
func mergeChanges(list []proposed) (changes []schemas.ProposedChange, by []string, differ string) {
	for _, p := range list {
		by = append(by, p.Annotator)
		for _, c := range p.Changes {
			i := slices.IndexFunc(changes, func(o schemas.ProposedChange) bool { return o.Field == c.Field })
			switch {
			case i < 0:
				changes = append(changes, c)
			case changes[i] != c:
				differ = c.Field
			}
		}
	}
	slices.SortFunc(changes, func(a, b schemas.ProposedChange) int { return strings.Compare(a.Field, b.Field) })
	slices.Sort(by)
	return changes, by, differ
}

func rejectProposals(scope *pipeline.Scope, list []proposed, code, why string) {
	for _, p := range list {
		lost := pipeline.Reject(code, "proposal of %s about %s: %s", p.Annotator, p.Item, why)
		lost.Flagged = true
		scope.Reject(p.record, lost)
	}
}

// sharedWords names the words of a question of a mirror group, whose copies change with it.
func sharedWords(q schemas.Question) string {
	if q.Labels[schemas.LabelMirror] == "" {
		return ""
	}
	return fmt.Sprintf("%q %q %q %q", q.Labels[schemas.LabelMirror], q.Question, q.QuestionMCQ, q.AnswerKey)
}

// emitRevised emits every question, changed where it or one in the same words was.
func emitRevised(scope *pipeline.Scope, in pipeline.Collection, revised, shared map[string]revision, emit func(pipeline.Record) error) error {
	for rec, err := range in.All {
		if err != nil {
			return err
		}
		if rec.Schema != schemas.NameQuestion {
			continue
		}
		if len(revised) > 0 {
			if rec, err = revisedRecord(scope, rec, revised, shared); err != nil {
				return err
			}
		}
		if err := emit(rec); err != nil {
			return err
		}
	}
	return nil
}

func revisedRecord(scope *pipeline.Scope, rec pipeline.Record, revised, shared map[string]revision) (pipeline.Record, error) {
	q, err := pipeline.Decode[schemas.Question](rec)
	if err != nil {
		return rec, err
	}
	r, ok := revised[rec.ID]
	if !ok {
		if r, ok = shared[sharedWords(q)]; !ok {
			return rec, nil
		}
	}
	next, err := review.ApplyChanges(q, r.changes)
	if err != nil {
		return rec, fmt.Errorf("review.revise: %s, in the words of %s: %w", rec.ID, r.of, err)
	}
	next.QuestionID += r.suffix
	next.Labels = map[string]string{}
	maps.Copy(next.Labels, q.Labels)
	next.Labels[schemas.LabelProposalOf], next.Labels[schemas.LabelProposedBy] = rec.ID, strings.Join(r.by, ", ")
	lost := pipeline.Reject(CodeReworded, "%s stands in its place, as %s proposed", next.QuestionID, strings.Join(r.by, ", "))
	lost.Flagged = true
	scope.Reject(rec.ID, lost)
	return pipeline.NewRecord(rec.Schema, next.QuestionID, next, rec.Blobs...)
}
