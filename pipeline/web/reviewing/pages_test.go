package reviewing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/videorelease"
	"github.com/memforge/memforge/pipeline/web"
	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/pipeline/web/rounds"
	"github.com/memforge/memforge/schemas"
)

// showMedia shows the spans of the evidence, as views do.
func showMedia(q *schemas.Question) (string, []rounds.Piece, error) {
	out := []rounds.Piece{{Media: q.Media[0], From: 1, To: 2}, {Text: "<script>alert(1)</script>\u202e"}}
	return q.Setting, out, nil
}

// openRelease opens a small release and returns its questions.
func openRelease(t *testing.T) (*catalog.Catalog, []schemas.Question) {
	t.Helper()
	var all []schemas.Question
	dir, err := videorelease.Write(t.Context(), t.TempDir(), func(qs []schemas.Question) []schemas.Question { all = qs; return qs })
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Open(t.Context(), dir, catalog.Options{NoIndex: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, all
}

// begin opens a round over questions and its pages.
func begin(t *testing.T, c *catalog.Catalog, dir string, qs []schemas.Question, people ...string) *Pages {
	t.Helper()
	config := rounds.Config{Show: rounds.ShowClues, ReviewSample: pipeline.ReviewSample{Name: "review", Schema: schemas.NameQuestion, By: []string{"type"}, Share: 1, Seed: 1, Annotators: len(people), Keeper: "kim"}}
	for _, name := range people {
		config.People = append(config.People, rounds.Person{Name: name})
	}
	var items []rounds.Item
	for _, q := range qs {
		it, err := rounds.NewItem(q, []string{q.Type}, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, it)
	}
	round, err := rounds.Open(dir, config, items, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { round.Close() })
	p, err := New(round, c, showMedia, pipeline.NewRegistry().ReviewCriteria)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// client is one person with a browser that runs no script.
type client struct {
	t    *testing.T
	base string
	http *http.Client
	name string
}

// serve serves pages behind the checks of package web; tokens are names with a tail.
func serve(t *testing.T, p *Pages) func(name string) client {
	t.Helper()
	tokens := map[string]string{}
	for _, name := range p.round.Persons() {
		tokens[name+"-token"] = name
	}
	server := httptest.NewUnstartedServer(nil)
	server.Config.Handler = web.Access{Hosts: []string{server.Listener.Addr().String()}, Tokens: tokens, Cookie: "c", Post: true}.Protect(p.Handler())
	server.Start()
	t.Cleanup(server.Close)
	return func(name string) client { return client{t, server.URL, server.Client(), name} }
}

func (c client) send(method, path string, form url.Values) (int, string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.name+"-token")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", c.base)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// shown is what a scripted reviewer reads.
type shown struct {
	Done     bool     `json:"done"`
	Handle   string   `json:"handle"`
	Request  string   `json:"request"`
	Form     string   `json:"form"`
	Question any      `json:"question"`
	Options  []string `json:"options"`
	Right    string   `json:"right"`
}

func (c client) read(path string) (s shown) {
	c.t.Helper()
	code, body := c.send(http.MethodGet, path, nil)
	if err := json.Unmarshal([]byte(body), &s); err != nil || code != http.StatusOK {
		c.t.Fatalf("%s: %d %s, %v", path, code, body, err)
	}
	return s
}

// TestNoByteBeforeAnAnswerFollowsFromGold writes pages and JSON of every question, with its
// gold and with another: they are the same bytes, and name neither id nor type.
func TestNoByteBeforeAnAnswerFollowsFromGold(t *testing.T) {
	c, all := openRelease(t)
	pages := func(change func(*schemas.Question)) map[string]string {
		qs := slices.Clone(all)
		for i := range qs {
			qs[i].Options, qs[i].Evidence = slices.Clone(qs[i].Options), slices.Clone(qs[i].Evidence)
			change(&qs[i])
		}
		p := begin(t, c, filepath.Join(t.TempDir(), "r"), qs, "ann")
		p.newID = func() string { return "request-request-request" }
		get := serve(t, p)("ann")
		out := map[string]string{}
		for _, q := range qs {
			at := "/review/item/" + p.round.Handle("ann", q.QuestionID)
			for _, path := range []string{at, at + "?as=json"} {
				code, body := get.send(http.MethodGet, path, nil)
				if code != http.StatusOK {
					t.Fatalf("%s: %d %s", q.QuestionID, code, body)
				}
				out[q.QuestionID+path] = body
			}
		}
		return out
	}
	secret := func(q *schemas.Question) {
		q.Explanation, q.Labels = "Zebra.", map[string]string{"zebra": "zebra"}
	}
	one := pages(secret)
	other := pages(func(q *schemas.Question) {
		secret(q)
		q.Explanation, q.Type, q.Labels["okapi"], q.Split = "Okapi.", "okapi", "okapi", "okapi"
		for i := range q.Options {
			q.Options[i].Role = schemas.RoleDistractor
		}
		last := &q.Options[len(q.Options)-1]
		last.Role, q.AnswerKey, q.AnswerText = schemas.RoleCorrect, last.Key, last.Text
		for i := range q.Evidence {
			q.Evidence[i].Role, q.Evidence[i].Caption = schemas.RoleDistractor, "okapi"
		}
	})
	if len(one) != 2*len(all) || len(all) < 10 {
		t.Fatalf("%d pages of %d questions", len(one), len(all))
	}
	for at, body := range one {
		if body != other[at] {
			t.Errorf("%s: gold tells these apart:\n%s\n%s", at, body, other[at])
		}
		id, _, _ := strings.Cut(at, "/review/")
		for _, word := range []string{"Zebra", "zebra", schemas.RoleIntrusion, schemas.RoleCorrect, "<script>alert", id} {
			if strings.Contains(body, word) {
				t.Errorf("%s: %q is sent", at, word)
			}
		}
	}
}

// review has a scripted annotator answer and decide all items. Each form is sent twice, as
// by an impatient finger or a broken line.
func (c client) review(gold map[string]string, wrong, reject func(question string) bool) {
	twice := func(path string, form url.Values) string {
		code, body := c.send(http.MethodPost, path, form)
		if again, second := c.send(http.MethodPost, path, form); code != http.StatusOK || again != http.StatusOK {
			c.t.Errorf("%s %v: %d %s, then %d %s", path, form, code, body, again, second)
		}
		return body
	}
	for {
		s := c.read("/review.json")
		if s.Done {
			return
		}
		question := fmt.Sprint(s.Question)
		place := slices.Index(s.Options, gold[question])
		if wrong(question) {
			place = (place + 1) % len(s.Options)
		}
		var after shown
		body := twice("/review/answer?as=json", url.Values{"handle": {s.Handle}, "request": {s.Request}, "form": {s.Form}, "answer": {fmt.Sprint(place + 1)}, "sure": {"sure"}, "active": {"1500"}})
		if err := json.Unmarshal([]byte(body), &after); err != nil || (after.Right == "wrong") != wrong(question) {
			c.t.Errorf("%s: %s, %v", question, body, err)
			return
		}
		decision := url.Values{"handle": {s.Handle}, "request": {after.Request}, "decision": {"accept"}, "criterion.answerable": {"yes"}, "active": {"500"}}
		if reject(question) {
			decision.Set("decision", "reject")
			decision.Set("note", "two are right")
		}
		twice("/review/decide?as=json", decision)
	}
}

// TestThreeReviewAtOnceOverPages loses no decision, keeps each once, and lets the keeper see
// figures and settle what is disputed; the others see neither.
func TestThreeReviewAtOnceOverPages(t *testing.T) {
	c, all := openRelease(t)
	for i := range all { // one text, one question
		all[i].Question = fmt.Sprintf("%d: %s", i, all[i].Question)
		all[i].QuestionMCQ = schemas.MCQ(all[i].Question, all[i].Options)
	}
	gold, number := map[string]string{}, map[string]int{}
	for i, q := range all {
		gold[q.Question], number[q.Question] = q.AnswerText, i
	}
	p := begin(t, c, filepath.Join(t.TempDir(), "r"), all, "ann", "ben", "cho")
	as := serve(t, p)
	var wait sync.WaitGroup
	for i, name := range []string{"ann", "ben", "cho"} {
		wait.Go(func() {
			as(name).review(gold, func(q string) bool { return number[q] == i }, func(q string) bool { return number[q] == 3 && i > 0 || number[q] == 4 && i == 2 })
		})
	}
	wait.Wait()
	if got := len(p.round.Decisions()); got != 3*len(all) {
		t.Errorf("%d decisions of %d", got, 3*len(all))
	}
	for _, rec := range p.round.Records() {
		if rec.ActiveMS != 2000 || rec.Criteria["answerable"] != "yes" || rec.Shown == "" {
			t.Errorf("%+v", rec)
		}
	}
	for _, path := range []string{"/review/round", "/review/round.json", "/review/settle/x", "/review/export/decisions.jsonl", "/tables", "/item/" + all[0].QuestionID, "/session/x"} {
		if code, body := as("ann").send(http.MethodGet, path, nil); code != http.StatusForbidden {
			t.Errorf("ann gets %s: %d %s", path, code, body)
		}
	}
	for _, path := range []string{"/nothing", "/review/nothing", "/review/item/x"} {
		if code, body := as("ann").send(http.MethodGet, path, nil); code != http.StatusNotFound || strings.Contains(body, "Nothing was kept") {
			t.Errorf("ann gets %s: %d %s", path, code, body)
		}
	}
	kim := as("kim")
	var f rounds.Figures
	if code, body := kim.send(http.MethodGet, "/review/round.json", nil); code != http.StatusOK || json.Unmarshal([]byte(body), &f) != nil {
		t.Fatalf("%d %s", code, body)
	}
	if want := 3*len(all) - 3; f.Accuracy[0].Right != want || len(f.Agreement.Pairs) != 3 || len(f.Disputed) != 0 {
		t.Errorf("%d right, want %d: %+v", f.Accuracy[0].Right, want, f)
	}
	for path, want := range map[string]string{"/review/round": "right when blind", "/review/settle/" + all[3].QuestionID: "two are right", "/review/export/decisions.jsonl": `"decision":"reject"`, "/tables": "questions"} {
		if code, body := kim.send(http.MethodGet, path, nil); code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("kim gets %s: %d, no %q: %s", path, code, want, body)
		}
	}
	form := url.Values{"item": {all[3].QuestionID}, "request": {"a-request-of-the-keeper"}, "take": {"accept"}}
	if code, body := kim.send(http.MethodPost, "/review/settle", form); code != http.StatusOK {
		t.Errorf("%d %s", code, body)
	}
	if s := p.round.State("kim", all[3].QuestionID); s.Decided == nil || s.Decided.Decision != schemas.DecisionAccept {
		t.Errorf("settled as %+v", s.Decided)
	}
	if code, _ := as("ann").send(http.MethodPost, "/review/settle", form); code != http.StatusForbidden {
		t.Errorf("ann settles: %d", code)
	}
}

// TestProposalsOverPages changes wording and a span, and shows again what cannot be kept.
func TestProposalsOverPages(t *testing.T) {
	c, all := openRelease(t)
	q := all[0]
	p := begin(t, c, filepath.Join(t.TempDir(), "r"), all[:1], "ann")
	ann := serve(t, p)("ann")
	s := ann.read("/review.json")
	decide := func(change url.Values) (int, string) {
		form := url.Values{"handle": {s.Handle}, "request": {"request-" + fmt.Sprint(len(change)) + "-of-a-decision"}, "decision": {"revise"}, "note": {"stilted"}}
		for k, v := range change {
			form[k] = v
		}
		return ann.send(http.MethodPost, "/review/decide", form)
	}
	if code, body := decide(url.Values{"field.question": {"Which?"}}); code != http.StatusUnprocessableEntity || !strings.Contains(body, "Answer the question first") {
		t.Errorf("%d %s", code, body)
	}
	if code, _ := ann.send(http.MethodPost, "/review/answer", url.Values{"handle": {s.Handle}, "request": {s.Request}, "form": {"of another form"}, "answer": {"1"}}); code != http.StatusConflict {
		t.Errorf("an answer to another form: %d", code)
	}
	if code, body := ann.send(http.MethodPost, "/review/answer", url.Values{"handle": {s.Handle}, "request": {s.Request}, "form": {s.Form}, "answer": {"0"}}); code != http.StatusOK || !strings.Contains(body, "By the criteria of the paper") || strings.Contains(body, "<script>alert") {
		t.Errorf("%d %s", code, body)
	}
	for want, change := range map[string]url.Values{
		"Change what is to be revised": {"note": {" "}},
		"choose Revise to propose":     {"decision": {"accept"}, "field.question": {"Which?"}},
		"Say why":                      {"decision": {"reject"}, "note": {""}},
		"Decide: accept":               {"decision": {""}},
		"the new text has 0 bytes":     {"field.question": {" "}},
	} {
		if code, body := decide(change); code != http.StatusUnprocessableEntity || !strings.Contains(body, want) {
			t.Errorf("%v: %d, want %q", change, code, want)
		}
	}
	if code, body := decide(url.Values{"field.question": {"Which?"}, "x": nil, "y": nil, "z": nil}); code != http.StatusOK || !strings.Contains(body, "All 1 items are decided") {
		t.Errorf("%d %s", code, body)
	}
	if got := p.round.Proposals(); len(got) != 1 || got[0].Changes[0] != (schemas.ProposedChange{Field: "question", Old: q.Question, New: "Which?"}) {
		t.Errorf("%+v", got)
	}
	var lines bytes.Buffer
	if err := rounds.WriteLines(&lines, p.round.Proposals()); err != nil || strings.Count(lines.String(), "\n") != 1 {
		t.Errorf("%s, %v", &lines, err)
	}
	if code, body := ann.send(http.MethodGet, "/review/item/"+s.Handle, nil); code != http.StatusOK || !strings.Contains(body, `value="Which?"`) && !strings.Contains(body, ">Which?</textarea>") {
		t.Errorf("the proposal is not shown again: %d", code)
	}
}

// TestRefusedFormsComeBack sends values that no form offers: each is refused with the form
// and its contents, and a second answer does not change the first.
func TestRefusedFormsComeBack(t *testing.T) {
	c, all := openRelease(t)
	all[0].Labels, all[1].Labels = map[string]string{"mood": "calm", schemas.LabelFact: "f1"}, map[string]string{"mood": "tense", schemas.LabelFact: "f2"}
	p := begin(t, c, filepath.Join(t.TempDir(), "r"), all[:2], "ann")
	ann := serve(t, p)("ann")
	s := ann.read("/review/item/" + p.round.Handle("ann", all[0].QuestionID) + "?as=json")
	send := func(path string, form url.Values, change url.Values) (int, string) {
		for k, v := range change {
			form[k] = v
		}
		return ann.send(http.MethodPost, path, form)
	}
	answer := func(change url.Values) (int, string) {
		return send("/review/answer", url.Values{"handle": {s.Handle}, "request": {s.Request}, "form": {s.Form}, "answer": {"2"}, "sure": {"guess"}}, change)
	}
	for want, change := range map[string]url.Values{
		"How sure you are is":     {"sure": {"maybe"}},
		"has no field":            {"criterion.x": {"yes"}},
		"more than once":          {"sure": {"sure", "guess"}},
		"There is no such option": {"answer": {"99"}},
		"Answer, or say":          {"answer": {""}},
		"has 2001 characters":     {"text": {strings.Repeat("\u00e4", 2001)}},
		`value="guess" checked`:   {"answer": {"none"}},
		`value="2" checked`:       {"sure": {"Sure"}},
	} {
		if code, body := answer(change); code != http.StatusUnprocessableEntity || !strings.Contains(body, want) || !strings.Contains(body, `name="sure"`) {
			t.Errorf("%v: %d, want 422 and %q", change, code, want)
		}
	}
	if p.round.State("ann", all[0].QuestionID).Answered != nil {
		t.Error("a refused answer was kept")
	}
	if code, body := answer(nil); code != http.StatusOK || !strings.Contains(body, "You answered <b><bdi>2. "+s.Options[1]) || strings.Contains(body, "Whole session") || strings.Contains(body, "<kbd>s</kbd>") {
		t.Errorf("answer: %d %s", code, body)
	}
	for _, change := range []url.Values{{"answer": {"1"}}, {"answer": {"1"}, "request": {"another-request-id"}}, {"answer": {"99"}, "request": {"another-request-id"}}} {
		if code, body := answer(change); code != http.StatusConflict || !strings.Contains(body, "your first answer stands") {
			t.Errorf("%v: %d, want 409 and the first answer", change, code)
		}
	}
	decide := func(change url.Values) (int, string) {
		return send("/review/decide", url.Values{"handle": {s.Handle}, "request": {"request-of-a-decision"}, "decision": {"accept"}, "note": {"my note"}}, change)
	}
	for want, change := range map[string]url.Values{
		"answered with yes or no":               {"criterion.answerable": {"maybe"}},
		"has no field &#34;criterion.x&#34;":    {"criterion.x": {"yes"}},
		"has no field &#34;field.nonsense&#34;": {"field.nonsense": {"x"}},
		"field.labels.fact":                     {"decision": {"revise"}, "field.labels.fact": {"f2"}},
		"Label mood is one of calm, tense":      {"decision": {"revise"}, "field.labels.mood": {"X9"}},
		"Decide: accept, revise or reject":      {"decision": {"relabel"}},
		"has 2500 characters":                   {"note": {strings.Repeat("n", 2500)}},
		"You said no to a criterion":            {"criterion.answerable": {"no"}, "note": {" "}},
		"Was: <del>":                            {"field.question": {"Which?"}},
	} {
		if code, body := decide(change); code != http.StatusUnprocessableEntity || !strings.Contains(body, want) || !change.Has("note") && !strings.Contains(body, `value="my note"`) {
			t.Errorf("%v: %d, want 422 and %q", change, code, want)
		}
	}
	if code, _ := decide(url.Values{"decision": {"revise"}, "field.labels.mood": {"tense"}}); code != http.StatusOK {
		t.Errorf("relabel: %d", code)
	}
	if code, body := decide(nil); code != http.StatusUnprocessableEntity || !strings.Contains(body, "sent before with other contents") {
		t.Errorf("a request with other contents: %d", code)
	}
	if d := p.round.State("ann", all[0].QuestionID).Decided; d == nil || d.Label != "mood=tense" {
		t.Errorf("decided %+v", d)
	}
}
