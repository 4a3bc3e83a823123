package reviewing

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/pipeline/web"
	"github.com/memforge/memforge/pipeline/web/rounds"
	"github.com/memforge/memforge/schemas"
)

// decidePage compares an answer with the gold.
type decidePage struct {
	Head     web.Head         `json:"-"`
	Handle   string           `json:"handle"`
	Request  string           `json:"request"`
	Back     string           `json:"-"`
	Error    string           `json:"-"`
	Question schemas.Question `json:"question"`
	// Answered says in words what the person answered, Right whether gold says so: right,
	// wrong, or empty where a rule cannot tell.
	Answered string       `json:"answered"`
	Right    string       `json:"right"`
	Gold     string       `json:"gold"`
	Options  []option     `json:"-"`
	Evidence web.Evidence `json:"-"`
	Gates    []web.Gate   `json:"-"`
	// Silent are the gates that do not judge such a question.
	Silent   []web.Gate  `json:"-"`
	Criteria []criterion `json:"criteria"`
	Decision string      `json:"decision"`
	Note     string      `json:"note"`
	Fields   []field     `json:"fields"`
	Labels   []field     `json:"labels"`
	// Opened says that the fields are shown, Kept when the last decision was kept.
	Opened bool   `json:"-"`
	Kept   string `json:"kept,omitempty"`
	// Said is what others decided, for the keeper.
	Said []said `json:"-"`
}

// option is an option with the mark that the person sees: its place, for the keeper its key.
type option struct {
	Mark string
	schemas.Option
}

// Marked is the option with its mark.
func (o option) Marked() string { return o.Mark + ". " + o.Text }

// options are those of a question as the person sees them, before the answer and after.
func (p *Pages) options(person string, q schemas.Question) (out []option) {
	if p.isKeeper(person) {
		for _, o := range q.Options {
			out = append(out, option{o.Key, o})
		}
		return out
	}
	for i, o := range rounds.OptionsFor(p.round.Seed, person, q) {
		out = append(out, option{strconv.Itoa(i + 1), o})
	}
	return out
}

type criterion struct {
	Key   string `json:"key"`
	Text  string `json:"text"`
	Given string `json:"given,omitempty"`
	// Values say what the label that is asked about may be, Now what it is.
	Values []pipeline.LabelValue `json:"values,omitempty"`
	Now    string                `json:"now,omitempty"`
}

// field is a text of the question that may be changed.
type field struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Old   string `json:"old"`
	Value string `json:"-"`
	Long  bool   `json:"-"`
	// Values are all that a label may be.
	Values []string `json:"values,omitempty"`
}

// compare lays an item out with its gold. Given has what was sent, if that was refused.
func (p *Pages) compare(r *http.Request, person string, it *rounds.Item, given url.Values) (decidePage, error) {
	item, err := p.catalog.Item(r.Context(), it.QuestionID)
	if err != nil {
		return decidePage{}, err
	}
	evidence, err := web.LoadEvidence(r.Context(), p.catalog, item, true, true)
	if err != nil {
		return decidePage{}, err
	}
	if !p.isKeeper(person) {
		evidence.KeepToItem()
	}
	state := p.round.State(person, it.QuestionID)
	page := decidePage{
		Handle: p.round.Handle(person, it.QuestionID), Request: p.newID(), Question: it.Question, Evidence: evidence,
		Decision: given.Get("decision"), Note: given.Get("note"), Opened: given.Get("decision") == rounds.DecisionRevise,
	}
	page.Options = p.options(person, it.Question)
	page.Gold = goldText(it.Question, page.Options)
	page.Answered, page.Right = answerText(page.Options, state.Answered)
	page.Gates = web.NewGates(&item.Question, item.Verdicts)
	if i := slices.IndexFunc(page.Gates, func(g web.Gate) bool { return g.Class == "na" }); i >= 0 {
		page.Gates, page.Silent = page.Gates[:i], page.Gates[i:]
	}
	if state.Decided != nil && given == nil {
		page.Decision, page.Note, page.Kept = state.Decided.Decision, state.Decided.Note, state.Decided.Time
		if page.Decision == schemas.DecisionRelabel {
			page.Decision = rounds.DecisionRevise
		}
	}
	for _, c := range p.criteria(it.Family) {
		one := criterion{Key: c.Key, Text: c.Text, Given: given.Get("criterion." + c.Key), Values: c.Values, Now: it.Labels[c.Label]}
		if state.Decided != nil && given == nil {
			one.Given = state.Decided.Criteria[c.Key]
		}
		page.Criteria = append(page.Criteria, one)
	}
	page.addFields(state.Decided, given, p.editableLabels(it.Question), func(key string) []string { return p.labelValues(it.Family, key) })
	if _, before := p.round.Place(person, it.QuestionID); before != "" {
		page.Back = p.round.Handle(person, before)
	}
	return page, nil
}

// addFields lists what may be changed, with the texts that were sent or decided on.
func (d *decidePage) addFields(decided *rounds.Entry, given url.Values, labels []string, values func(key string) []string) {
	value := func(name, old string) string {
		switch {
		case given.Has("field." + name):
			return given.Get("field." + name)
		case given == nil && decided != nil:
			for _, c := range decided.Changes {
				if c.Field == name {
					return c.New
				}
			}
			if key, set, ok := strings.Cut(decided.Label, "="); ok && name == "labels."+key {
				return set
			}
		}
		return old
	}
	for _, name := range review.EditableFields(d.Question) {
		old, _ := review.Field(&d.Question, name)
		f := field{Name: name, Title: fieldTitle(name, d.Options), Old: old, Value: value(name, old), Long: len(old) > 60}
		d.Fields = append(d.Fields, f)
		d.Opened = d.Opened || f.Value != old
	}
	for _, key := range labels {
		old := d.Question.Labels[key]
		f := field{Name: "labels." + key, Title: key, Old: old, Value: value("labels."+key, old), Values: values(key)}
		d.Labels = append(d.Labels, f)
		d.Opened = d.Opened || f.Value != old
	}
}

// fieldTitle names a field to an annotator.
func fieldTitle(name string, options []option) string {
	parts := strings.Split(name, ".")
	switch {
	case name == "choice_question":
		return "question before the options"
	case parts[0] == "options":
		i := slices.IndexFunc(options, func(o option) bool { return o.Key == parts[1] })
		return "option " + options[i].Mark
	case parts[0] == "evidence" && parts[2] == "span":
		return "seconds of evidence " + parts[1]
	case parts[0] == "evidence":
		return "caption of evidence " + parts[1] + ", in this question alone"
	}
	return name
}

func goldText(q schemas.Question, options []option) string {
	for _, o := range options {
		if o.Key == q.AnswerKey {
			return o.Marked()
		}
	}
	return cmp.Or(q.AnswerText, q.AnswerCall)
}

func answerText(options []option, a *rounds.Answer) (text, right string) {
	if a == nil {
		return "", ""
	}
	if a.Right != nil {
		right = map[bool]string{true: "right", false: "wrong"}[*a.Right]
	}
	for _, o := range options {
		if o.Key == a.Option {
			return o.Marked(), right
		}
	}
	return cmp.Or(a.Text, "cannot be told from what is shown"), right
}

// writeDecide shows an answered item.
func (p *Pages) writeDecide(w http.ResponseWriter, r *http.Request, person string, it *rounds.Item, code int, refused string, given url.Values) error {
	page, err := p.compare(r, person, it, given)
	if err != nil {
		return err
	}
	place, _ := p.round.Place(person, it.QuestionID)
	page.Head = p.head(person, fmt.Sprintf("Decide %d", place), "q", "question")
	page.Head.Keys = keysOf(decideKeys, page.Back != "", len(page.Evidence.Films) > 0)
	page.Error = refused
	if wantsJSON(r) {
		if refused != "" {
			return &pageError{code, refused}
		}
		web.WriteJSON(w, code, page)
		return nil
	}
	p.render.Write(w, code, "decide", page)
	return nil
}

// entry reads the form of an item. The request id is made with the page, so that a form sent
// twice is kept once.
func (p *Pages) entry(r *http.Request, person, kind string) (*rounds.Item, rounds.Entry, error) {
	if err := r.ParseForm(); err != nil {
		return nil, rounds.Entry{}, &pageError{http.StatusBadRequest, fmt.Sprintf("The form cannot be read: %v.", err)}
	}
	it, ok := p.round.Find(person, r.PostForm.Get("handle"))
	if p.isKeeper(person) {
		it, ok = p.round.Item(r.PostForm.Get("item"))
	}
	if !ok {
		return nil, rounds.Entry{}, &pageError{http.StatusNotFound, "There is no such item in your order."}
	}
	e := rounds.Entry{Request: r.PostForm.Get("request"), Kind: kind, Item: it.QuestionID, Digest: it.Digest}
	if len(e.Request) < 16 || len(e.Request) > 100 || strings.HasPrefix(e.Request, "shown ") {
		return nil, e, &pageError{http.StatusBadRequest, "The form has no request id. Load the page again."}
	}
	// What browsers measure is a hint, not a fact: what is no number of hours counts as none.
	if ms, err := strconv.ParseInt(r.PostForm.Get("active"), 10, 64); err == nil && ms > 0 && ms < 12*3600*1000 {
		e.ActiveMS = ms
	}
	return it, e, nil
}

func (p *Pages) goTo(w http.ResponseWriter, r *http.Request, to string) error {
	if wantsJSON(r) {
		to += "?as=json"
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

func (p *Pages) skip(w http.ResponseWriter, r *http.Request, person string) error {
	_, e, err := p.entry(r, person, rounds.KindSkipped)
	if err != nil {
		return err
	}
	e.Request = "skip " + e.Request
	if _, err := p.round.Act(person, e); err != nil {
		return err
	}
	return p.goTo(w, r, p.nextPath(r))
}

// nextPath is where the next item is found.
func (p *Pages) nextPath(r *http.Request) string {
	if wantsJSON(r) {
		return "/review.json"
	}
	return "/review"
}

// decide keeps a decision and goes on. A refused one is shown again as it was sent.
func (p *Pages) decide(w http.ResponseWriter, r *http.Request, person string) error {
	it, e, err := p.entry(r, person, rounds.KindDecided)
	if err != nil {
		return err
	}
	reason := p.fillDecision(it, &e, r.PostForm)
	if reason == "" {
		if _, err := p.round.Act(person, e); err != nil {
			reason = refusal(err)
			if reason == "" {
				return err
			}
		}
	}
	if reason != "" {
		return p.writeDecide(w, r, person, it, http.StatusUnprocessableEntity, reason, r.PostForm)
	}
	return p.goTo(w, r, p.nextPath(r))
}

// refusal is the reason of a refused entry, empty for any other error.
func refusal(err error) string {
	if refused, ok := err.(*rounds.ActError); ok {
		return refused.Reason
	}
	return ""
}

// fillDecision reads a decision from a form. The reason says why it cannot be kept.
func (p *Pages) fillDecision(it *rounds.Item, e *rounds.Entry, form url.Values) (reason string) {
	if reason := p.checkDecisionForm(it, form); reason != "" {
		return reason
	}
	e.Decision, e.Note, e.Criteria = form.Get("decision"), strings.TrimSpace(form.Get("note")), map[string]string{}
	for _, c := range p.criteria(it.Family) {
		if v := form.Get("criterion." + c.Key); v == "yes" || v == "no" {
			e.Criteria[c.Key] = v
		}
	}
	var labels []string
	for _, name := range review.EditableFields(it.Question) {
		old, _ := review.Field(&it.Question, name)
		now := strings.TrimSpace(strings.ReplaceAll(form.Get("field."+name), "\r\n", "\n"))
		if form.Has("field."+name) && now != strings.TrimSpace(old) {
			e.Changes = append(e.Changes, schemas.ProposedChange{Field: name, Old: old, New: now})
		}
	}
	for _, key := range p.editableLabels(it.Question) {
		name := "field.labels." + key
		if now := strings.TrimSpace(form.Get(name)); form.Has(name) && now != it.Labels[key] {
			labels = append(labels, key+"="+now)
		}
	}
	changed := len(e.Changes) + len(labels)
	switch {
	case e.Decision != rounds.DecisionRevise && changed > 0 && e.Decision != schemas.DecisionReject:
		return "You changed the question: choose Revise to propose the changes, or undo them."
	case len(labels) > 1 || len(labels) == 1 && len(e.Changes) > 0:
		return "Propose one label alone, without other changes: a label is settled by votes, other changes by the next build."
	}
	if e.Decision == schemas.DecisionAccept && e.Note == "" && slices.Contains(slices.Collect(maps.Values(e.Criteria)), "no") {
		return "You said no to a criterion: say why you accept the question, or decide otherwise."
	}
	if e.Decision != rounds.DecisionRevise {
		e.Changes = nil
		return ""
	}
	if len(labels) == 1 {
		e.Decision, e.Label = schemas.DecisionRelabel, labels[0]
	}
	return ""
}
