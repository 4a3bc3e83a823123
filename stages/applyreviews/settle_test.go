package applyreviews

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// collection is eight questions, the last two of them copies, and decisions.
func collection(t *testing.T, decisions ...string) []pipeline.Record {
	t.Helper()
	var out []pipeline.Record
	add := func(schema, id string, v any) {
		r, err := pipeline.NewRecord(schema, id, v)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	for i := range 8 {
		id := fmt.Sprint("q", i)
		q := schemas.Question{QuestionID: id, Type: "a", Labels: map[string]string{"kind": "old"}}
		if i >= 6 {
			q.Labels[schemas.LabelMirror] = "m"
		}
		add(schemas.NameQuestion, id, q)
	}
	for i, d := range decisions {
		f := strings.Fields(d + " .")
		add(schemas.NameReview, fmt.Sprintf("r%03d", i), schemas.Review{Item: f[0], Annotator: f[1], Sample: "review", Decision: f[2], Label: strings.Trim(f[3], ".")})
	}
	return out
}

// all are two accepting decisions about each of the seven questions that differ.
func all() (out []string) {
	for i := range 7 {
		out = append(out, fmt.Sprintf("q%d ann accept", i), fmt.Sprintf("q%d bea accept", i))
	}
	return out
}

func config(share float64, undecided string) *Config {
	var c Config
	c.SetDefaults()
	c.Share, c.Undecided = share, undecided
	return &c
}

const golden = "3 559d59db48af5054ea04014e585f87a2bc59839e8c3a0a75e406f7db106d1168"

func TestConformance(t *testing.T) {
	testkit.ConformStage(t, testkit.Subject{
		Register: Register, Use: "review.settle", Config: config(0.5, keep), Golden: golden,
		Inputs: collection(t, "q0 ann reject", "q0 bea reject", "q1 ann relabel kind=new", "q1 bea relabel kind=new", "q7 ann reject", "q7 bea reject"),
	})
}

// TestGoldenSpoiled pins what is settled with one value of a review wrong.
func TestGoldenSpoiled(t *testing.T) {
	s := testkit.Subject{Register: Register, Use: "review.settle", Config: config(0.5, keep), Inputs: collection(t, "q0 ann reject", "q0 bea reject", "q1 ann relabel kind=new", "q1 bea relabel kind=new", "q7 ann reject", "q7 bea reject")}
	s.CheckSpoiledInput(t, pipeline.KindStage, "spoiled-first", 0)
	s.CheckSpoiledInput(t, pipeline.KindStage, "spoiled-last", len(s.Inputs)-1)
}

// run runs the stage as a build does.
func run(t *testing.T, c *Config, in []pipeline.Record) (map[string]schemas.Question, []pipeline.Rejection, error) {
	t.Helper()
	out, lost, err := testkit.Subject{Register: Register, Use: "review.settle", Config: c, Inputs: in}.Run(t)
	qs := map[string]schemas.Question{}
	for _, r := range out {
		if r.Schema != schemas.NameQuestion {
			continue
		}
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil {
			t.Fatal(err)
		}
		qs[r.ID] = q
	}
	return qs, lost, err
}

func TestDecisionsTakeEffect(t *testing.T) {
	in := collection(t, append(all(), "q0 cid reject", "q1 cid reject", "q1 dan reject", "q1 eva reject", "q2 cid relabel kind=new", "q7 cid reject", "q7 dan reject", "q7 eva reject", "gone ann reject")...)
	qs, lost, err := run(t, config(1, refuse), in)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, l := range lost {
		ids = append(ids, l.ID+" "+l.Code)
		if !strings.Contains(l.Reason, "3 of 5 annotators decided so") || l.ID == "q7" && !strings.Contains(l.Reason, "with its copy") {
			t.Errorf("%+v", l)
		}
	}
	slices.Sort(ids)
	if want := []string{"q1 reviewed-out", "q6 reviewed-out", "q7 reviewed-out"}; !slices.Equal(ids, want) || len(qs) != 5 {
		t.Errorf("lost %v, want %v; %d are left", ids, want, len(qs))
	}
	if qs["q2"].Labels["kind"] != "old" {
		t.Errorf("one of three relabels: %v", qs["q2"].Labels)
	}
	qs, _, err = run(t, config(1, keep), collection(t, "q2 ann relabel kind=new", "q2 bea relabel kind=new"))
	if err != nil || qs["q2"].Labels["kind"] != "new" || qs["q3"].Labels["kind"] != "old" {
		t.Errorf("%v, %v", qs["q2"].Labels, err)
	}
}

// TestWhatIsOpenIsRefused: one decision too few, or two that differ.
func TestWhatIsOpenIsRefused(t *testing.T) {
	decisions := slices.DeleteFunc(all(), func(d string) bool { return d == "q3 bea accept" || d == "q4 bea accept" })
	decisions = append(decisions, "q4 bea reject")
	_, _, err := run(t, config(1, refuse), collection(t, decisions...))
	var open *review.UndecidedError
	if !errors.As(err, &open) || !slices.Equal(open.Missing, []string{"q3"}) || !slices.Equal(open.Disputed, []string{"q4"}) || open.Drawn != 7 {
		t.Fatalf("%v", err)
	}
	if qs, lost, err := run(t, config(1, keep), collection(t, decisions...)); err != nil || len(qs) != 8 || len(lost) != 0 {
		t.Errorf("%d left, %v, %v", len(qs), lost, err)
	}
	if qs, _, err := run(t, config(1, refuse), collection(t, all()...)); err != nil || len(qs) != 8 {
		t.Errorf("%d left, %v", len(qs), err)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for name, edit := range map[string]func(*Config){
		"share": func(c *Config) { c.Share = 0 }, "by": func(c *Config) { c.By = nil }, "source": func(c *Config) { c.By = []string{"source"} },
		"of": func(c *Config) { c.Of = schemas.NameReview }, "draw": func(c *Config) { c.Sample = "" }, "annotators": func(c *Config) { c.Annotators = 0 }, "undecided": func(c *Config) { c.Undecided = "drop" },
	} {
		c := config(0.1, refuse)
		edit(c)
		if _, err := newApplyReviews(*c); err == nil {
			t.Errorf("%s passes", name)
		}
	}
}

func TestForecastKeepsQuestionsAndDecisions(t *testing.T) {
	var cfg Config
	cfg.SetDefaults()
	s, err := newApplyReviews(cfg)
	if err != nil {
		t.Fatal(err)
	}
	in := pipeline.Volume{schemas.NameQuestion: {Records: 30}, schemas.NameReview: {Records: 8, Rough: true}, schemas.NameTask: {Records: 3}}
	f := s.(pipeline.Forecaster).Forecast(in)
	if len(f.Out) != 3 || f.Out[schemas.NameSampled].Records != 30 || f.Out[schemas.NameQuestion].Records != 30 || !f.Out[schemas.NameReview].Rough || f.CPU <= 0 || f.Unknown != "" {
		t.Errorf("%+v", f)
	}
}
