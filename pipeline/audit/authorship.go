package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// authorship checks the questions that are said to be written by a model. Such questions
// cannot be derived again, so a forger could escape by labelling any question as one.
type authorship struct {
	findings
	*Items
	stepGraph
	gates      map[string]manifest.GateInfo
	verdicts   map[[2]string]schemas.Verdict // by gate and item
	rejections map[[2]string]schemas.Rejection
	// authors and revisers are the stages that asked a model, by model: those that
	// questions begin at, and those that rewrite.
	authors, revisers map[string][]string
	// first and later count the forms of questions by who wrote them.
	first, later map[string]map[string]bool
}

// checkWritten returns nil where the release says of no question that a model wrote it.
func checkWritten(reg *pipeline.Registry, c release.Contents) []Part {
	w := newAuthorship(reg, c)
	said := 0
	for _, q := range c.Questions {
		said += w.question(q)
	}
	for _, f := range c.Flagged {
		said += w.question(f.Question)
	}
	if said == 0 {
		return nil
	}
	w.checkNumbers(w.first, w.authors, "written")
	w.checkNumbers(w.later, w.revisers, "rewritten")
	slices.Sort(w.findings)
	return []Part{part("questions that models wrote", slices.Compact(w.findings))}
}

func newAuthorship(reg *pipeline.Registry, c release.Contents) *authorship {
	w := &authorship{
		Items: indexBuiltin(c), stepGraph: newStepGraph(reg, c), gates: map[string]manifest.GateInfo{},
		verdicts: map[[2]string]schemas.Verdict{}, rejections: map[[2]string]schemas.Rejection{},
		authors: map[string][]string{}, revisers: map[string][]string{},
		first: map[string]map[string]bool{}, later: map[string]map[string]bool{},
	}
	for _, g := range c.Manifest.Gates {
		w.gates[g.Name] = g
	}
	for _, v := range c.Verdicts {
		w.verdicts[[2]string{v.Gate, v.Item}] = v
	}
	for _, r := range c.Rejections {
		if !schemas.Excluded(r.Code) {
			w.rejections[[2]string{r.Stage, r.ID}] = r
		}
	}
	read := w.upstream(c.Manifest.From...)
	for _, n := range c.Manifest.Models {
		if n.Kind != string(pipeline.KindStage) || len(c.Manifest.From) > 0 && !read[n.Step] {
			continue
		}
		for _, model := range modelsOf(n) {
			if w.writes(n, schemas.NameFlagged) {
				w.revisers[model] = append(w.revisers[model], n.Step)
			}
			if w.writes(n, "") {
				w.authors[model] = append(w.authors[model], n.Step)
			}
		}
	}
	return w
}

// writes reports whether a stage may have asked a model for questions, from records of a
// schema. A plugin that this program does not have may have.
func (w *authorship) writes(n manifest.StepModels, from string) bool {
	s, known := w.reg.DefaultSpec(pipeline.KindStage, n.Use)
	if !known {
		return true
	}
	reads := from == "" && !readsQuestions(s) || slices.Contains(s.Accepts, from)
	return reads && len(s.Asks) > 0 && slices.Contains(s.Emits, schemas.NameQuestion)
}

func modelsOf(n manifest.StepModels) (models []string) {
	for _, m := range n.Models {
		models = append(models, m.Model)
	}
	if len(n.Rules) > 0 {
		models = append(models, pipeline.BuiltInModel)
	}
	return models
}

// question is 1 where a model is said to have written it.
func (w *authorship) question(q schemas.Question) int {
	by := q.Labels[schemas.LabelAuthor]
	switch {
	case len(q.Revisions) > 0:
		w.checkRewrite(q, by)
	case q.Labels[schemas.LabelRevision] != "" || q.Labels[schemas.LabelRevisedFrom] != "":
		w.add("%s: its labels say that it was rewritten, and it has no revisions", q.QuestionID)
	case by == "":
		return 0
	case len(w.authors[by]) == 0:
		w.add("%s: it was written by %q, and no stage of the build asked that model for questions", q.QuestionID, by)
	default:
		addID(w.first, by, q.QuestionID)
	}
	return 1
}

func addID(of map[string]map[string]bool, by, id string) {
	if of[by] == nil {
		of[by] = map[string]bool{}
	}
	of[by][id] = true
}

// checkNumbers compares the number of questions by each model with what the steps that
// asked it gave.
func (w *authorship) checkNumbers(by map[string]map[string]bool, nodes map[string][]string, what string) {
	for model, ids := range by {
		gave := int64(0)
		for _, node := range nodes[model] {
			gave += w.rows[node].Out
		}
		if len(w.rows) > 0 && int64(len(ids)) > gave {
			w.add("%d questions are %s by %q, and the steps that asked it gave %d", len(ids), what, model, gave)
		}
	}
}

// checkRewrite compares the last revision of a question with the form that it was
// rewritten from, what the gate found wrong with that form, and the model that was
// asked. Earlier revisions are those of that form.
func (w *authorship) checkRewrite(q schemas.Question, by string) {
	last := q.Revisions[len(q.Revisions)-1]
	for _, r := range q.Revisions {
		if len(w.revisers[r.Model]) == 0 {
			w.add("%s: it was rewritten by %q, and no stage of the build asked that model for questions in the place of flagged ones", q.QuestionID, r.Model)
		}
	}
	addID(w.later, last.Model, q.QuestionID)
	if by != last.Model {
		w.add("%s: its author is %q, and %q rewrote it last", q.QuestionID, by, last.Model)
	}
	old := w.Question(last.Item, last.Gate)
	if old == nil || last.Item == q.QuestionID {
		w.add("%s: it was rewritten from %q, and no flagged question is that", q.QuestionID, last.Item)
		return
	}
	if old.Question != last.Question || !slices.Equal(old.Revisions, q.Revisions[:len(q.Revisions)-1]) {
		w.add("%s: the words and revisions that it was rewritten from are not those of %s", q.QuestionID, last.Item)
	}
	if first := cmp.Or(old.Labels[schemas.LabelRevisedFrom], old.QuestionID); q.Labels[schemas.LabelRevisedFrom] != first {
		w.add("%s: it was first %q, its label says %q", q.QuestionID, first, q.Labels[schemas.LabelRevisedFrom])
	}
	for _, what := range changedFields(*old, q) {
		w.add("%s: it has another %s than %s, which it was rewritten from", q.QuestionID, what, last.Item)
	}
	if !w.flagged(last, *old) {
		w.add("%s: it was rewritten because %s found %q (%s) against %s, and that gate handed nothing on to be rewritten for it", q.QuestionID, last.Gate, last.Reason, last.Code, last.Item)
	}
}

// changedFields names what a rewrite changed besides words: it may give other words to
// the same question and nothing more.
func changedFields(old, q schemas.Question) (what []string) {
	say := func(name string, same bool) {
		if !same {
			what = append(what, name)
		}
	}
	say("family", old.Family == q.Family)
	say("task", old.TaskID == q.TaskID)
	say("type", old.Type == q.Type)
	say("key of the answer", old.AnswerKey == q.AnswerKey)
	say("list of media", slices.Equal(old.Media, q.Media))
	say("evidence", slices.Equal(old.Evidence, q.Evidence))
	say("row of keys and roles", slices.EqualFunc(old.Options, q.Options, func(a, b schemas.Option) bool { return a.Key == b.Key && a.Role == b.Role }))
	return what
}

// flagged reports whether the gate of a revision handed the form before it on to
// be rewritten, or a copy of that form with the same words.
func (w *authorship) flagged(r schemas.Revision, old schemas.Question) bool {
	if w.gates[r.Gate].OnFail != pipeline.OnFailRevise || w.rows[r.Gate].Revised == 0 {
		return false
	}
	if w.failed(r.Gate, r.Item, r.Code, r.Reason) {
		return true
	}
	item, reason, ok := pipeline.SplitCopyReason(r.Reason)
	if !ok || !w.failed(r.Gate, item, r.Code, reason) {
		return false
	}
	lead, mirror := w.Question(item, r.Gate), old.Labels[schemas.LabelMirror]
	return lead != nil && mirror != "" && lead.Labels[schemas.LabelMirror] == mirror && lead.Question == old.Question
}

func (w *authorship) failed(gate, item, code, reason string) bool {
	key := [2]string{gate, item}
	return w.verdicts[key].Outcome == schemas.Fail && w.rejections[key].Code == code && w.rejections[key].Reason == reason
}

// familyCheck compares the family that questions and tasks state with what else tells
// it: their task, their media, and who wrote them. A forger could escape by a family
// without derivations.
type familyCheck struct {
	findings
	tasks, media map[string]string
	// wrote are those of all that writes questions in the build, where told.
	wrote              []string
	told               bool
	checked, unchecked int
}

func checkFamilies(reg *pipeline.Registry, c release.Contents) Part {
	f := familyCheck{tasks: map[string]string{}, media: map[string]string{}}
	f.wrote, f.told = newStepGraph(reg, c).writers()
	for _, m := range c.Media {
		if family := reg.ClaimedBy(m); family != "" {
			f.media[m.MediaID] = family
		}
	}
	for _, t := range c.Tasks {
		f.tasks[t.TaskID] = t.Family
		f.item("task "+t.TaskID, t.Family, t.Media)
	}
	for _, q := range c.Questions {
		f.question(q)
	}
	for _, q := range c.Flagged {
		f.question(q.Question)
	}
	p := part("families of questions", f.findings)
	p.Checked, p.Unchecked = f.checked, f.unchecked
	if f.unchecked > 0 {
		p.Why = fmt.Sprintf("of %d nothing but their task says the family", f.unchecked)
	}
	return p
}

func (f *familyCheck) question(q schemas.Question) {
	if of, known := f.tasks[q.TaskID]; known && of != q.Family {
		f.add("%s: it is of family %q and its task of %q", q.QuestionID, q.Family, of)
	}
	if f.item(q.QuestionID, q.Family, q.Media) {
		f.checked++
		return
	}
	f.unchecked++
}

// item reports whether anything tells the family of an item.
func (f *familyCheck) item(id, family string, media []string) bool {
	told := f.told
	if f.told && !slices.Contains(f.wrote, family) {
		f.add("%s: it is of family %q, and what writes questions in the build writes those of %s", id, family, strings.Join(f.wrote, ", "))
	}
	for _, m := range media {
		of := f.media[m]
		told = told || of != ""
		if of != "" && of != family {
			f.add("%s: it is of family %q, and only %s makes media as %s", id, family, of, m)
		}
	}
	return told
}
