package rounds

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

func question(id string) schemas.Question {
	q := schemas.Question{QuestionID: id, Type: "colour", Question: "What is the colour in " + id + "?", Explanation: "It is seen.", Labels: map[string]string{"aspect": "colour"}}
	q.SetOptions(schemas.Option{Text: "red", Role: schemas.RoleCorrect}, schemas.Option{Text: "blue", Role: schemas.RoleDistractor}, schemas.Option{Text: "green", Role: schemas.RoleDistractor})
	return q
}

func items(t *testing.T, qs ...schemas.Question) (out []Item) {
	t.Helper()
	for _, q := range qs {
		it, err := NewItem(q, []string{q.Type}, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, it)
	}
	return out
}

func some(n int) (out []schemas.Question) {
	for i := range n {
		out = append(out, question(fmt.Sprintf("q%03d", i)))
	}
	return out
}

func config(n int, people ...string) Config {
	c := Config{Show: ShowClues, ReviewSample: pipeline.ReviewSample{Name: "review", Schema: schemas.NameQuestion, By: []string{"type"}, Share: 1, Seed: 1, Annotators: n, Keeper: "kim"}}
	for _, name := range people {
		c.People = append(c.People, Person{Name: name})
	}
	return c
}

func begin(t *testing.T, dir string, c Config, all []Item) *Round {
	t.Helper()
	r, err := Open(dir, c, all, func() time.Time { return time.Unix(0, 0) })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *Round) entry(kind, item string) Entry {
	return Entry{Request: fmt.Sprint(kind, item, len(r.journals["kim"].entries)), Kind: kind, Item: item, Digest: r.items[item].Digest}
}

// TestThreeAnnotatorsAtOnce scripts three annotators with known errors on 300 items. No
// decision is lost, also over a restart, and the figures are those worked out by hand.
func TestThreeAnnotatorsAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "reviews", "review")
	all := items(t, some(300)...)
	c := config(3, "ann", "ben", "cho")
	c.People[2].Model = true
	scripts := map[string]struct{ every, from int }{"ann": {10, 0}, "ben": {20, 15}, "model reviewer cho": {5, 30}}
	number := map[string]int{}
	for i, it := range all {
		number[it.QuestionID] = i
	}
	work := func(r *Round, person string, most int) error {
		for range most {
			id, ok := r.Next(person)
			if !ok {
				return nil
			}
			answer, decide := r.entry(KindAnswered, id), r.entry(KindDecided, id)
			answer.Answer = &Answer{Option: "A"}
			if number[id]%scripts[person].every == 0 {
				answer.Answer.Option = "B"
			}
			decide.Decision, decide.ActiveMS = schemas.DecisionAccept, int64(number[id]*1000)
			if from := scripts[person].from; number[id] >= from && number[id] < from+30 {
				decide.Decision, decide.Note = schemas.DecisionReject, "two are right"
			}
			if _, err := r.Act(person, answer); err != nil {
				return err
			}
			if _, err := r.Act(person, decide); err != nil {
				return err
			}
		}
		return nil
	}
	for _, most := range []int{150, 300} {
		r := begin(t, dir, c, all)
		var wait sync.WaitGroup
		for person := range scripts {
			wait.Go(func() {
				if err := work(r, person, most); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	r := begin(t, dir, c, all)
	defer r.Close()
	if got := len(r.Decisions()); got != 900 {
		t.Fatalf("%d decisions of 900", got)
	}
	f, err := r.Figures()
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-4 {
			t.Errorf("%s is %.4f, by hand %.4f", what, got, want)
		}
	}
	// ann rejects 0-29, ben 15-44, cho 30-59. Of each pair .82 agree by chance; 270, 240 and
	// 270 of 300 do. 60 items are split in three, 90 of 900 labels are rejections.
	near("kappa of ann and ben", f.Agreement.Pairs[0].Kappa.Value, (0.9-0.82)/0.18)
	near("kappa of ann and cho", f.Agreement.Pairs[1].Kappa.Value, (0.8-0.82)/0.18)
	near("kappa of ben and cho", f.Agreement.Pairs[2].Kappa.Value, (0.9-0.82)/0.18)
	near("alpha", f.Agreement.Alpha.Value, 1-899*120.0/(900*899-810*809-90*89))
	near("accuracy of humans", f.Accuracy[0].Value, (270+285)/600.0)
	near("accuracy of the model", f.Accuracy[1].Value, 240/300.0)
	if f.Accuracy[0].Reviewer != "human" || f.Accuracy[1].Reviewer != "model reviewer" || f.People[2].Reviewer != "model reviewer" {
		t.Errorf("%+v", f.Accuracy)
	}
	// 15-29 and 30-44 are rejected by two of three, the rest accepted by two or three.
	if len(f.Disputed) != 0 || f.MedianMS != 150_000 || math.Abs(f.Long-179/300.0) > 1e-6 {
		t.Errorf("disputed %v, median %d, long %g", f.Disputed, f.MedianMS, f.Long)
	}
	if err := r.Export(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "..", "review.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	said, err := review.Read("review.jsonl", b)
	if err != nil || len(said) != 900 || !slices.Equal(said, r.Decisions()) {
		t.Errorf("a build reads %d decisions, %v", len(said), err)
	}
	if human := bytes.Count(b, []byte(`"annotator":"cho"`)); human > 0 || !bytes.Contains(b, []byte(`"annotator":"model reviewer cho"`)) {
		t.Errorf("the model stands as a human in %d decisions", human)
	}
}

// TestOrdersDiffer gives every annotator the items in another order, and options too.
func TestOrdersDiffer(t *testing.T) {
	all := items(t, some(40)...)
	r := begin(t, filepath.Join(t.TempDir(), "a"), config(2, "ann", "ben", "cho"), all)
	defer r.Close()
	again := begin(t, filepath.Join(t.TempDir(), "b"), config(2, "cho", "ben", "ann"), all)
	defer again.Close()
	seen := map[string]int{}
	for _, person := range []string{"ann", "ben", "cho"} {
		if !slices.Equal(r.orders[person], again.orders[person]) || slices.IsSorted(r.orders[person]) {
			t.Errorf("order of %s: %v", person, r.orders[person])
		}
		for _, id := range r.orders[person] {
			seen[id]++
		}
	}
	for _, it := range all {
		if seen[it.QuestionID] != 2 {
			t.Errorf("%d see %s; want 2", seen[it.QuestionID], it.QuestionID)
		}
	}
	places := map[string]int{}
	for _, it := range all {
		places[OptionsFor(1, "ann", it.Question)[0].Text]++
	}
	if len(places) != 3 {
		t.Errorf("first options: %v", places)
	}
}

// scrambled is a question with another gold: nothing of what is shown before an answer may
// tell it apart.
func scrambled(q schemas.Question) schemas.Question {
	q.Options = slices.Clone(q.Options)
	for i := range q.Options {
		q.Options[i].Role = schemas.RoleDistractor
	}
	q.Options[2].Role = schemas.RoleCorrect
	q.AnswerKey, q.AnswerText, q.Explanation, q.Type = "C", "green", "Another.", "other"
	q.Labels = map[string]string{"aspect": "size"}
	return q
}

func TestNothingBeforeAnAnswerFollowsFromGold(t *testing.T) {
	show := func(q *schemas.Question) (string, []Piece, error) { return q.Setting, nil, nil }
	seen := func(q schemas.Question) string {
		r := begin(t, filepath.Join(t.TempDir(), "r"), config(1, "ann"), items(t, q))
		defer r.Close()
		b, err := r.Blind("ann", q.QuestionID, show)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	q := question("family/kind-0001/Q01")
	got := seen(q)
	if want := seen(scrambled(q)); got != want {
		t.Errorf("gold shows:\n%s\n%s", got, want)
	}
	for _, word := range []string{"family", "kind-0001/Q01\"", schemas.RoleCorrect, schemas.RoleDistractor, "seen", "aspect"} {
		if strings.Contains(got, word) && word != "family" {
			t.Errorf("%q is shown: %s", word, got)
		}
	}
}

func TestWhatIsRefused(t *testing.T) {
	r := begin(t, filepath.Join(t.TempDir(), "r"), config(1, "ann", "ben"), items(t, some(8)...))
	defer r.Close()
	mine, ok := r.Next("ann")
	theirs, ok2 := r.Next("ben")
	if !ok || !ok2 {
		t.Fatal("nothing to do")
	}
	entry := func(kind, item string, change func(*Entry)) Entry {
		e := r.entry(kind, item)
		change(&e)
		return e
	}
	answer := func(option string) func(*Entry) { return func(e *Entry) { e.Answer = &Answer{Option: option} } }
	for name, tc := range map[string]struct {
		e    Entry
		want string
	}{
		"decided first":  {entry(KindDecided, mine, func(e *Entry) { e.Decision = schemas.DecisionAccept }), "Answer the question first"},
		"another's item": {entry(KindAnswered, theirs, answer("A")), "not yours"},
		"no option":      {entry(KindAnswered, mine, answer("Z")), "no such option"},
		"another form":   {entry(KindAnswered, mine, func(e *Entry) { e.Digest = "x"; e.Answer = &Answer{} }), "was changed"},
		"no item":        {Entry{Request: "r", Kind: KindAnswered, Item: "q999"}, "no such item"},
	} {
		_, err := r.Act("ann", tc.e)
		var refused *ActError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	if _, err := r.Act("ann", entry(KindAnswered, mine, answer(""))); err != nil {
		t.Fatal(err)
	}
	if s := r.State("ann", mine); s.Answered == nil || *s.Answered.Right {
		t.Errorf("it cannot be told, and that counts as %+v", s.Answered)
	}
	second := entry(KindAnswered, mine, func(e *Entry) { e.Request = "again"; e.Answer = &Answer{Option: "A"} })
	if _, err := r.Act("ann", second); err == nil || !strings.Contains(err.Error(), "first answer stands") {
		t.Error(err)
	}
	if _, err := r.Act("ann", entry(KindDecided, mine, func(e *Entry) { e.Decision = schemas.DecisionReject })); err == nil || !strings.Contains(err.Error(), "why") {
		t.Error(err)
	}
}

// TestADecisionAboutAnotherFormIsStale changes a question in the release as its annotator
// proposed: the proposal stays, nobody's decision about the old form counts, and somebody
// else decides about the new one.
func TestADecisionAboutAnotherFormIsStale(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	q := question("q000")
	r := begin(t, dir, config(2, "ann", "ben"), items(t, q))
	for _, person := range []string{"ann", "ben"} {
		a, d := r.entry(KindAnswered, q.QuestionID), r.entry(KindDecided, q.QuestionID)
		a.Answer, d.Decision = &Answer{Option: "A", Sure: "sure"}, schemas.DecisionAccept
		if person == "ann" {
			d.Decision, d.Note, d.Changes = DecisionRevise, "stilted", []schemas.ProposedChange{{Field: "question", Old: q.Question, New: "Which colour is it?"}}
		}
		if _, err := r.Act(person, a); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Act(person, d); err != nil {
			t.Fatal(err)
		}
	}
	f, err := r.Figures()
	if err != nil || len(f.Disputed) != 1 || len(f.Proposed) != 1 || len(r.Decisions()) != 1 || len(r.Proposals()) != 1 {
		t.Fatalf("%+v, %v, %d decisions, %d proposals", f, err, len(r.Decisions()), len(r.Proposals()))
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	proposals := r.Proposals()
	changed, err := review.ApplyChanges(q, proposals[0].Changes)
	if err != nil {
		t.Fatal(err)
	}
	r = begin(t, dir, config(1, "ann", "ben"), items(t, changed)) // under the same id
	if got := r.Decisions(); len(got) != 0 || len(r.Proposals()) != 1 {
		t.Errorf("decisions about the old form count: %+v", got)
	}
	if recs := r.Records(); len(recs) != 2 || !recs[0].Stale {
		t.Errorf("%+v", recs)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	changed.QuestionID += "-p01234567" // as review.revise names it
	changed.Labels[schemas.LabelProposedBy] = "ann"
	r = begin(t, dir, config(1, "ann", "ben"), items(t, changed))
	defer r.Close()
	if _, ok := r.Next("ann"); ok {
		t.Error("ann decides about her own proposal")
	}
	if id, ok := r.Next("ben"); !ok || id != changed.QuestionID {
		t.Errorf("ben gets %q", id)
	}
}

// TestRevisions: a reason alone asks for a rewrite, and is no proposal; a span stays in its film.
func TestRevisions(t *testing.T) {
	q := question("q000")
	film := strings.Repeat("a", 64)
	q.Evidence = []schemas.Evidence{{Kind: schemas.EvidenceMedia, Ref: film + "#t=1.00,2.00", Role: schemas.RoleClue}}
	all := items(t, q)
	all[0].Seconds = map[string]float64{film: 9.5}
	r := begin(t, filepath.Join(t.TempDir(), "r"), config(1, "ann"), all)
	defer r.Close()
	a := r.entry(KindAnswered, q.QuestionID)
	a.Answer = &Answer{Option: "A"}
	if _, err := r.Act("ann", a); err != nil {
		t.Fatal(err)
	}
	revise := func(note, span string) error {
		d := r.entry(KindDecided, q.QuestionID)
		d.Request, d.Decision, d.Note = "revise "+note+span, DecisionRevise, note
		if span != "" {
			d.Changes = []schemas.ProposedChange{{Field: "evidence.1.span", Old: "1.00,2.00", New: span}}
		}
		_, err := r.Act("ann", d)
		return err
	}
	for span, want := range map[string]string{
		"": "say under Why", "1.00,12.00": "ends at 12.00 s, its film at 9.50 s", "9.00,9.60": "its film at 9.50 s", "-1.00,2.00": "two times in seconds",
		"5.00,3.00": "two times in seconds", "3.00,3.00": "two times in seconds", "NaN,2.00": "two times in seconds", "1.00,+Inf": "two times in seconds", "1.00,1e5": "two times in seconds",
	} {
		if err := revise("", span); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("span %q: %v, want %q", span, err, want)
		}
	}
	if err := revise("ask for the first colour", ""); err != nil {
		t.Fatal(err)
	}
	f, err := r.Figures()
	if err != nil || len(r.Proposals()) != 0 || len(r.Decisions()) != 0 || len(f.Proposed) != 1 || f.People[0].Decisions[DecisionRevise] != 1 {
		t.Errorf("%+v, %v; %+v, %+v", f, err, r.Proposals(), r.Decisions())
	}
	if recs := r.Records(); len(recs) != 1 || recs[0].Decision != DecisionRevise || recs[0].Note != "ask for the first colour" {
		t.Errorf("%+v", recs)
	}
	if err := revise("", "8.00,9.51"); err != nil || len(r.Proposals()) != 1 {
		t.Errorf("%v, %+v", err, r.Proposals())
	}
}

// TestSkippedItemsComeLast and are decided about in the end.
func TestSkippedItemsComeLast(t *testing.T) {
	r := begin(t, filepath.Join(t.TempDir(), "r"), config(1, "ann"), items(t, some(3)...))
	defer r.Close()
	first, _ := r.Next("ann")
	if _, err := r.Act("ann", r.entry(KindSkipped, first)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		id, ok := r.Next("ann")
		if !ok || id == first {
			t.Fatalf("next is %q", id)
		}
		a, d := r.entry(KindAnswered, id), r.entry(KindDecided, id)
		a.Answer, d.Decision = &Answer{Option: "A"}, schemas.DecisionAccept
		if _, err := r.Act("ann", a); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Act("ann", d); err != nil {
			t.Fatal(err)
		}
	}
	if id, ok := r.Next("ann"); !ok || id != first || r.Progress("ann") != (Progress{2, 1, 3}) {
		t.Errorf("last comes %q, %+v", id, r.Progress("ann"))
	}
}

func TestOneProcessHasARound(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	r := begin(t, dir, config(1, "ann"), items(t, some(1)...))
	defer r.Close()
	if _, err := Open(dir, config(1, "ann"), items(t, some(1)...), time.Now); err == nil || !strings.Contains(err.Error(), "open elsewhere") {
		t.Error(err)
	}
	n := 0
	token := func() string { n++; return fmt.Sprintf("token-%020d", n) }
	first, err := r.Tokens(token)
	again, err2 := r.Tokens(token)
	if err != nil || err2 != nil || len(first) != 2 || fmt.Sprint(first) != fmt.Sprint(again) {
		t.Errorf("%v, %v, %v, %v", first, again, err, err2)
	}
	if s, err := os.Stat(filepath.Join(dir, "tokens.json")); err != nil || s.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", s, err)
	}
}

func TestConfigurationsOfRounds(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"nobody reviews":   func(c *Config) { c.People = nil },
		"named twice":      func(c *Config) { c.People[1].Name = "ANN" },
		"a keeper is no":   func(c *Config) { c.Keeper = "ben" },
		"want letters":     func(c *Config) { c.People[0].Name = "../ann" },
		"name more":        func(c *Config) { c.Annotators = 3 },
		"pages show":       func(c *Config) { c.Schema = schemas.NameSession },
		"want a share":     func(c *Config) { c.Share = 0 },
		"show is":          func(c *Config) { c.Show = "gold" },
		"draw \"a/b\"":     func(c *Config) { c.Name = "a/b" },
		"annotator \"m.\"": func(c *Config) { c.People[0].Name = "m." },
	} {
		c := config(1, "ann", "ben")
		change(&c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := config(1, "ann", "b.e@x", "c-1").Check(); err != nil {
		t.Error(err)
	}
}

// TestOptionAtIsTheOneShown: a place names the option that the person saw there, and no other.
func TestOptionAtIsTheOneShown(t *testing.T) {
	r := begin(t, t.TempDir(), config(1, "ann"), items(t, some(3)...))
	defer r.Close()
	for id, it := range r.items {
		b, err := r.Blind("ann", id, func(*schemas.Question) (string, []Piece, error) { return "", nil, nil })
		if err != nil {
			t.Fatal(err)
		}
		for place := range len(b.Options) + 2 {
			key, ok := r.OptionAt("ann", it, place)
			at := slices.IndexFunc(it.Question.Options, func(o schemas.Option) bool { return o.Key == key })
			if shown := place >= 1 && place <= len(b.Options); ok != shown || ok && it.Question.Options[at].Text != b.Options[place-1] {
				t.Errorf("%s, place %d: %q, %t", id, place, key, ok)
			}
		}
	}
}
