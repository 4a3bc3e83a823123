package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// Gain is what pictures add for one model (MMStar: multi-modal gain), and how
// much of the rest is known without any evidence (multi-modal leakage). All
// scores are shares of right answers over the same questions: those with a picture
// that were asked about under every view of the row.
type Gain struct {
	Model string `json:"model"`
	// Label and Value confine the row to questions with that value of the label; empty
	// is all.
	Label string `json:"label,omitempty"`
	Value string `json:"value,omitempty"`
	// Without names the view that shows no picture: text, minimal_caption, none.
	Without   string `json:"without"`
	Questions int    `json:"questions"`
	// FirstCalls says that some gate stopped as soon as its verdict was settled.
	// Then which calls follow depends on answers, and of its calls about an item
	// the first counts alone, which was drawn.
	FirstCalls bool `json:"first_calls"`
	// Seeing is S_v, with all evidence; Blind is S_wv, under Without; Gain is
	// S_v - S_wv.
	Seeing Interval `json:"s_v"`
	Blind  Interval `json:"s_wv"`
	Gain   Interval `json:"gain"`
	// Base is the score of the same model from question and options alone, and
	// Leakage max(0, S_wv - base). They are null where nothing was asked so, and
	// where that is the view compared.
	Base    *Interval `json:"base"`
	Leakage *Interval `json:"leakage"`
}

// The gates whose answers are compared, and what they show.
const (
	viewOracle = "oracle"
	viewNone   = "none"
)

// blindViews show no picture, in the order in which they are told.
func blindViews() []string {
	return []string{"text", "minimal_caption", "dense_caption", "task_aware_caption", "caption_only", viewNone}
}

// gainLabels are those that gains are told by: the two axes of MemEye.
func gainLabels() []string { return []string{schemas.LabelGranularity, schemas.LabelReasoning} }

// maxValues bounds the values of a label that gains are told by: a stranger's release
// may have any.
const maxValues = 16

// viewOf returns the view under which a gate has models answer, if gains compare it.
func (t *recomputer) viewOf(info manifest.GateInfo) string {
	gate, err := t.reg.Gate(t.identity(info))
	if err != nil {
		return ""
	}
	s, ok := gate.(pipeline.Solver)
	if !ok || !slices.Contains(append(blindViews(), viewOracle), s.AnswerView()) {
		return ""
	}
	return s.AnswerView()
}

// answerScore counts the answers of a model about one form of an item under one view.
type answerScore struct{ right, calls float64 }

type viewScores struct {
	// asked are the forms that were asked about.
	asked map[*schemas.Question]bool
	// by model and form
	by    map[string]map[*schemas.Question]answerScore
	first bool
}

// gains compares what models answer with and without pictures.
func (t *recomputer) gains(c release.Contents) ([]Gain, error) {
	views := map[string]*viewScores{}
	for _, info := range c.Manifest.Gates {
		if name := t.viewOf(info); name != "" {
			if views[name] == nil {
				views[name] = &viewScores{asked: map[*schemas.Question]bool{}, by: map[string]map[*schemas.Question]answerScore{}}
			}
			t.addCalls(info, views[name])
		}
	}
	out := []Gain{}
	with := views[viewOracle]
	if with == nil {
		return out, nil
	}
	clusters := Clusters(c)
	for _, model := range slices.Sorted(maps.Keys(with.by)) {
		for _, name := range blindViews() {
			if views[name] == nil {
				continue
			}
			row := viewContrast{model: model, without: name, seed: t.seed, clusters: clusters, with: with, blind: views[name]}
			if name != viewNone {
				row.base = views[viewNone]
			}
			rows, err := row.gains()
			if err != nil {
				return nil, fmt.Errorf("multi-modal gain of %s: %w", model, err)
			}
			out = append(out, rows...)
		}
	}
	return out, nil
}

// addCalls adds the calls of a gate that count.
func (t *recomputer) addCalls(info manifest.GateInfo, s *viewScores) {
	id := t.identity(info)
	gate, err := t.reg.Gate(id)
	starter, ok := gate.(pipeline.FirstCaller)
	if err != nil || !ok {
		return
	}
	partial := slices.ContainsFunc(t.verdicts[info.Name], func(v schemas.Verdict) bool { return v.CallsMade < v.CallsFull })
	s.first = s.first || partial
	for item, probes := range t.probes[info.Name] {
		q := t.Question(item, info.Name)
		if q == nil || len(q.Evidence) > maxPieces || !showsPictures(q) {
			continue
		}
		s.asked[q] = true
		if partial {
			probes = firstOf(id, starter, q, probes)
		}
		for _, p := range probes {
			s.count(cmp.Or(info.Models[p.Role], pipeline.BuiltInModel), q, p.Mark)
		}
	}
}

// showsPictures reports whether a question or its evidence shows anything. The views of
// a question without pictures differ in no picture, so it says nothing of gains.
func showsPictures(q *schemas.Question) bool {
	return len(q.Media) > 0 || len(q.QuestionMedia) > 0 || slices.ContainsFunc(q.Evidence, func(e schemas.Evidence) bool { return e.Media != "" })
}

// firstOf returns the probe of the call that was picked to be the first, if it is there.
func firstOf(id pipeline.Identity, g pipeline.FirstCaller, q *schemas.Question, probes []schemas.Probe) []schemas.Probe {
	first, ok, err := engine.FirstCall(id, g, pipeline.NewItem(schemas.NameQuestion, q.QuestionID, q))
	return slices.DeleteFunc(slices.Clone(probes), func(p schemas.Probe) bool {
		return err != nil || !ok || p.View != first.View || p.Role != first.Role || p.Rotation != first.Rotation || p.Sample != first.Sample
	})
}

func (s *viewScores) count(model string, q *schemas.Question, mark string) {
	if mark != schemas.MarkRight && mark != schemas.MarkWrong {
		return
	}
	if s.by[model] == nil {
		s.by[model] = map[*schemas.Question]answerScore{}
	}
	m := s.by[model][q]
	m.calls++
	if mark == schemas.MarkRight {
		m.right++
	}
	s.by[model][q] = m
}

// viewContrast compares one model under two or three views.
type viewContrast struct {
	model, without    string
	label, value      string // where confined
	seed              uint64
	clusters          map[string]string
	with, blind, base *viewScores
}

// gains are the gain over all questions, and over those of each value of a label.
func (r viewContrast) gains() (out []Gain, err error) {
	values := map[string]map[string]bool{}
	for q := range r.with.asked {
		for _, label := range gainLabels() {
			if v := q.Labels[label]; v != "" {
				if values[label] == nil {
					values[label] = map[string]bool{}
				}
				values[label][v] = true
			}
		}
	}
	rows := []viewContrast{r}
	for _, label := range gainLabels() {
		all := slices.Sorted(maps.Keys(values[label]))
		for _, v := range all[:min(len(all), maxValues)] {
			one := r
			one.label, one.value = label, v
			rows = append(rows, one)
		}
	}
	for _, row := range rows {
		g, ok, err := row.gain()
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, g)
		}
	}
	return out, nil
}

// gain is not ok where the model has no score under one of the views.
func (r viewContrast) gain() (out Gain, ok bool, err error) {
	forms := r.commonForms(r.with, r.blind, r.base)
	if r.base != nil && len(r.samples(r.base, forms)) == 0 {
		r.base = nil
		forms = r.commonForms(r.with, r.blind)
	}
	a, b := r.samples(r.with, forms), r.samples(r.blind, forms)
	if len(a) == 0 || len(b) == 0 {
		return out, false, nil
	}
	out = Gain{Model: r.model, Label: r.label, Value: r.value, Without: r.without, Questions: len(forms), FirstCalls: r.with.first || r.blind.first || r.base != nil && r.base.first}
	if out.Seeing, err = r.mean("with", a); err != nil {
		return out, false, err
	}
	if out.Blind, err = r.mean("without", b); err != nil {
		return out, false, err
	}
	if out.Gain, err = r.between("gain", a, b); err != nil || r.base == nil {
		return out, true, err
	}
	c := r.samples(r.base, forms)
	base, err := r.mean("base", c)
	if err != nil {
		return out, false, err
	}
	leak, err := r.between("leakage", b, c)
	out.Base, out.Leakage = &base, &Interval{Value: max(0, leak.Value), Low: max(0, leak.Low), High: max(0, leak.High)}
	return out, true, err
}

// commonForms returns the forms asked about under all views, by id.
func (r viewContrast) commonForms(views ...*viewScores) (forms []*schemas.Question) {
	for q := range r.with.asked {
		if r.label != "" && q.Labels[r.label] != r.value {
			continue
		}
		if !slices.ContainsFunc(views, func(s *viewScores) bool { return s != nil && !s.asked[q] }) {
			forms = append(forms, q)
		}
	}
	slices.SortFunc(forms, func(a, b *schemas.Question) int {
		return cmp.Or(cmp.Compare(a.QuestionID, b.QuestionID), cmp.Compare(a.Question, b.Question), cmp.Compare(a.QuestionMCQ, b.QuestionMCQ))
	})
	return forms
}

func (r viewContrast) samples(s *viewScores, forms []*schemas.Question) (out []agreement.Score) {
	for _, q := range forms {
		if m, ok := s.by[r.model][q]; ok {
			out = append(out, agreement.Score{Cluster: cmp.Or(r.clusters[q.QuestionID], q.QuestionID), Value: m.right / m.calls})
		}
	}
	return out
}

// seedLabels returns the labels that seed an interval.
func (r viewContrast) seedLabels(what string) []string {
	out := []string{"gain", r.model, r.without, what}
	if r.label != "" {
		out = append(out, r.label, r.value)
	}
	return out
}

func (r viewContrast) mean(what string, a []agreement.Score) (Interval, error) {
	i, err := agreement.MeanInterval(a, agreement.NewRand(r.seed, r.seedLabels(what)...))
	return Interval(i), err
}

func (r viewContrast) between(what string, a, b []agreement.Score) (Interval, error) {
	i, err := agreement.ContrastInterval(a, b, agreement.NewRand(r.seed, r.seedLabels(what)...))
	return Interval(i), err
}
