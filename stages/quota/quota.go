// Package quota selects as many questions as a published benchmark has, by any
// combination of their labels. It belongs to no family.
package quota

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Register adds the stage.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "quota", "1", "keep as many questions as asked for, by labels, mirrored ones together", newQuota)
}

// Config configures the stage.
type Config struct {
	By       []string `json:"by" doc:"what a count is about: type, family, split, source (of the question's task, which must be among the inputs, or of its evidence), or the name of a label"`
	Counts   []Count  `json:"counts" doc:"how many questions to keep; the first entry that fits a question counts it"`
	Together string   `json:"together" doc:"label whose bearers are kept or dropped together; empty for none"`
	Unlisted string   `json:"unlisted" doc:"what happens to questions that no entry fits: drop or keep"`
	OnShort  string   `json:"on_short" doc:"what happens when there are fewer questions than asked for: fail ends the build, keep goes on with those there are and lists the shortage among the rejections"`
}

// Count asks for a number of questions.
type Count struct {
	Of    []string `json:"of" doc:"the value of each key of by, in its order; * fits any"`
	Count int      `json:"count" doc:"questions to keep"`
}

const (
	drop = "drop"
	keep = "keep"
	fail = "fail"
)

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	*c = Config{By: []string{"type"}, Counts: []Count{}, Together: "mirror_group", Unlisted: drop, OnShort: keep}
}

type quota struct{ cfg Config }

func newQuota(c Config) (pipeline.Stage, error) {
	if len(c.By) == 0 {
		return nil, fmt.Errorf("by is empty; name type, source or a label")
	}
	if c.Unlisted != drop && c.Unlisted != keep {
		return nil, fmt.Errorf("unlisted is %q; want drop or keep", c.Unlisted)
	}
	if c.OnShort != fail && c.OnShort != keep {
		return nil, fmt.Errorf("on_short is %q; want fail or keep", c.OnShort)
	}
	seen := map[string]bool{}
	for i, n := range c.Counts {
		name := strings.Join(n.Of, "\x00")
		switch {
		case len(n.Of) != len(c.By):
			return nil, fmt.Errorf("counts[%d].of has %d values and by has %d keys; give one value for each", i, len(n.Of), len(c.By))
		case n.Count < 0:
			return nil, fmt.Errorf("counts[%d].count is %d; want 0 or more", i, n.Count)
		case seen[name]:
			return nil, fmt.Errorf("counts[%d]: %s is listed twice", i, c.label(n))
		}
		seen[name] = true
	}
	return &quota{c}, nil
}

// label names an entry: source=hourvideo type=interference.
func (c Config) label(n Count) string {
	parts := make([]string, len(n.Of))
	for i, v := range n.Of {
		parts[i] = c.By[i] + "=" + v
	}
	return strings.Join(parts, " ")
}

// Spec accepts tasks only to look up the sources of questions.
func (*quota) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameQuestion, schemas.NameTask}, Emits: []string{schemas.NameQuestion}}
}

func (s *quota) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	entries, err := s.readQuestions(ctx, in)
	if err != nil {
		return err
	}
	wanted := make([]int, len(s.cfg.Counts))
	for i, c := range s.cfg.Counts {
		wanted[i] = c.Count
	}
	rank := func(group string) uint64 { return scope.Rand("group", group).Uint64() }
	kept, had := choose(entries, wanted, s.cfg.Unlisted == keep, rank)
	if err := s.reportShortage(scope, kept, had, entries); err != nil {
		return err
	}
	for rec, err := range in.All {
		if err != nil {
			return err
		}
		e, ours := entries[rec.ID]
		if !ours {
			continue
		}
		if kept[rec.ID] {
			err = emit(rec)
		} else {
			scope.Reject(rec.ID, s.rejectSurplus(e))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *quota) readQuestions(ctx context.Context, in pipeline.Collection) (map[string]entry, error) {
	sources, err := s.taskSources(in)
	if err != nil {
		return nil, err
	}
	out := map[string]entry{}
	for rec, err := range in.All {
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if rec.Schema != schemas.NameQuestion {
			continue
		}
		q, err := pipeline.Decode[schemas.Question](rec)
		if err != nil {
			return nil, err
		}
		values := make([]string, len(s.cfg.By))
		for i, key := range s.cfg.By {
			values[i] = q.GroupValue(key, sourceOf(q, sources[q.TaskID]))
		}
		e := entry{rule: -1, values: values}
		e.rule = slices.IndexFunc(s.cfg.Counts, func(c Count) bool { return matchesValues(c.Of, values) })
		if s.cfg.Together != "" {
			e.group = q.Labels[s.cfg.Together]
		}
		out[rec.ID] = e
	}
	return out, nil
}

func (s *quota) taskSources(in pipeline.Collection) (map[string][]string, error) {
	out := map[string][]string{}
	if !slices.Contains(s.cfg.By, "source") {
		return out, nil
	}
	for rec, err := range in.All {
		if err != nil {
			return nil, err
		}
		if rec.Schema != schemas.NameTask {
			continue
		}
		t, err := pipeline.Decode[schemas.Task](rec)
		if err != nil {
			return nil, err
		}
		out[t.TaskID] = t.SourceRecords
	}
	return out, nil
}

func sourceOf(q schemas.Question, sources []string) string {
	all := map[string]bool{}
	for _, id := range sources {
		all[id] = true
	}
	for _, e := range q.Evidence {
		if len(sources) == 0 && e.SourceID != "" {
			all[e.SourceID] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(all)), "+")
}

func matchesValues(of, values []string) bool {
	for i, v := range of {
		if v != "*" && v != values[i] {
			return false
		}
	}
	return true
}

// rejectSurplus says why a question is not kept. It is no loss: the question is
// good, and another configuration may use it.
func (s *quota) rejectSurplus(e entry) *pipeline.Rejection {
	why := pipeline.Reject("no-quota", "no entry of counts fits %s; list it, or set unlisted to keep", s.cfg.label(Count{Of: e.values}))
	if e.rule >= 0 {
		c := s.cfg.Counts[e.rule]
		why = pipeline.Reject("over-quota", "%s has its %d questions, or too little room for this one and those it belongs with", s.cfg.label(c), c.Count)
	}
	why.Flagged = true
	return why
}

func (s *quota) reportShortage(scope *pipeline.Scope, kept map[string]bool, had []int, entries map[string]entry) error {
	got := make([]int, len(had))
	for id := range kept {
		if rule := entries[id].rule; rule >= 0 {
			got[rule]++
		}
	}
	var short []string
	for i, c := range s.cfg.Counts {
		if got[i] >= c.Count {
			continue
		}
		text := fmt.Sprintf("%s: %d of %d questions, chosen from %d", s.cfg.label(c), got[i], c.Count, had[i])
		short = append(short, text)
		if s.cfg.OnShort == keep {
			why := pipeline.Reject("short", "%s; add videos, ask more questions of each, or lower the count", text)
			why.Flagged = true
			scope.Reject("quota "+s.cfg.label(c), why)
		}
	}
	if len(short) > 0 && s.cfg.OnShort == fail {
		return &pipeline.ShortageError{Short: short}
	}
	return nil
}

// pickCPU is what choosing takes a question, in seconds.
const pickCPU = 1e-4

// Forecast implements pipeline.Forecaster: every count is met if there are as
// many questions in all.
func (s *quota) Forecast(in pipeline.Volume) pipeline.Forecast {
	q := in[schemas.NameQuestion]
	wanted := 0.0
	for _, c := range s.cfg.Counts {
		wanted += float64(c.Count)
	}
	kept := q
	if s.cfg.Unlisted == drop {
		kept.Records = min(q.Records, wanted)
	}
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameQuestion: kept}, CPU: pickCPU * q.Records}
}

// entry is what selection needs to know of a question.
type entry struct {
	rule   int    // index of the count it falls under, -1 for none
	group  string // those it is kept or dropped with; empty for alone
	values []string
}

// choose chooses questions so that no count is exceeded and groups stay whole.
// A group with a question that falls under no count is dropped, or with spare
// chosen by its other questions alone. Groups are tried in the order of rank,
// which must not depend on the other groups: then a question more or less
// changes the choice only near itself. It returns the chosen ids and how many
// questions each count could choose from.
func choose(entries map[string]entry, wanted []int, spare bool, rank func(group string) uint64) (kept map[string]bool, had []int) {
	members := map[string][]string{}
	had = make([]int, len(wanted))
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		e := entries[id]
		name := "one " + id
		if e.group != "" {
			name = "group " + e.group
		}
		members[name] = append(members[name], id)
		if e.rule >= 0 {
			had[e.rule]++
		}
	}
	room := slices.Clone(wanted)
	kept = map[string]bool{}
	for _, name := range sortByRank(members, rank) {
		need := map[int]int{}
		for _, id := range members[name] {
			need[entries[id].rule]++
		}
		if spare {
			delete(need, -1)
		}
		if !roomSuffices(room, need) {
			continue
		}
		for rule, n := range need {
			room[rule] -= n
		}
		for _, id := range members[name] {
			kept[id] = true
		}
	}
	return kept, had
}

func roomSuffices(room []int, need map[int]int) bool {
	for rule, n := range need {
		if rule < 0 || room[rule] < n {
			return false
		}
	}
	return true
}

func sortByRank(members map[string][]string, rank func(string) uint64) []string {
	ranks := map[string]uint64{}
	for name := range members {
		ranks[name] = rank(name)
	}
	return slices.SortedFunc(maps.Keys(members), func(a, b string) int {
		return cmp.Or(cmp.Compare(ranks[a], ranks[b]), cmp.Compare(a, b))
	})
}
