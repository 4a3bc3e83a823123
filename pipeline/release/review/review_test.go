package review

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

func TestReadKeepsTheLastDecision(t *testing.T) {
	got, err := Read("a.jsonl", []byte(`{"item":"q2","annotator":"ann","draw":"d","decision":"accept"}
{"item":"q1","annotator":"bea","draw":"d","decision":"reject","note":"two are right"}

{"item":"q2","annotator":"ann","draw":"d","decision":"relabel","label":"reasoning=Y2"}
{"item":"q2","annotator":"ann","draw":"other","decision":"accept"}
`))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, r := range got {
		told = append(told, strings.Join([]string{r.Item, r.Sample, r.Annotator, Verdict(r)}, " "))
	}
	if want := []string{"q1 d bea reject", "q2 d ann relabel reasoning=Y2", "q2 other ann accept"}; !slices.Equal(told, want) {
		t.Errorf("%q, want %q", told, want)
	}
}

func TestWrongLinesAreNamed(t *testing.T) {
	const good = `{"item":"q","annotator":"a","draw":"d","decision":"accept"}`
	for line, want := range map[string]string{
		`{`:                            "unexpected EOF",
		`[]`:                           "want one JSON object",
		good + good:                    "data after",
		`{"item":"q","annotator":"a"}`: "draw is",
		`{"item":"q","annotator":"a","draw":"d","decision":"maybe"}`:                          `decision is "maybe"`,
		`{"item":"q","annotator":"a","draw":"d","decision":"relabel","label":"Y2"}`:           "a relabel wants key=value",
		`{"item":" q","annotator":"a","draw":"d","decision":"accept"}`:                        "without space",
		`{"item":"q","annotator":"a","draw":"d","decision":"accept","score":1}`:               `unknown field "score"`,
		`{"item":"q","annotator":"a","draw":"d","decision":"accept","note":"` + "\xff" + `"}`: "UTF-8",
		`{"note":"` + strings.Repeat("x", maxLine) + `"}`:                                     "at most",
	} {
		_, err := Read("who/a.jsonl", []byte(good+"\n\n"+line+"\n"))
		var at *LineError
		if !errors.As(err, &at) || at.Line != 3 || !strings.HasPrefix(err.Error(), "who/a.jsonl:3: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %q", line, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"item":"q","annotator":"a","draw":"d","decision":"relabel","label":"a=b","note":"x"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Read("f", b)
		for _, r := range got {
			if err != nil || Check(r) != nil {
				t.Errorf("%+v beside %v", r, err)
			}
		}
	})
}

func TestSettle(t *testing.T) {
	say := func(verdicts ...string) (out []schemas.Review) {
		for i, v := range verdicts {
			decision, label, _ := strings.Cut(v, " ")
			out = append(out, schemas.Review{Item: "q", Annotator: fmt.Sprint(i), Decision: decision, Label: label, Note: "as " + decision})
		}
		return out
	}
	for name, tc := range map[string]struct {
		said []schemas.Review
		want string
	}{
		"nobody":            {say(), ""},
		"one of two":        {say("accept"), ""},
		"both":              {say("reject", "reject"), "reject"},
		"one against one":   {say("accept", "reject"), ""},
		"two against one":   {say("accept", "reject", "accept"), "accept"},
		"one label":         {say("relabel a=b", "relabel a=b"), "relabel a=b"},
		"two labels":        {say("relabel a=b", "relabel a=c"), ""},
		"a label and a no":  {say("relabel a=b", "reject", "accept"), ""},
		"half is too few":   {say("reject", "reject", "accept", "accept"), ""},
		"three against one": {say("reject", "reject", "reject", "accept"), "reject"},
	} {
		s := FindMajority(tc.said, 2, "")
		got := strings.TrimSuffix(s.Decision+" "+s.Label[0]+"="+s.Label[1], " =")
		if got != tc.want || s.Of != len(tc.said) {
			t.Errorf("%s: %q, want %q: %+v", name, got, tc.want, s)
		}
		if tc.want != "" && (len(s.Notes) != 1 || !strings.Contains(s.Reason(), fmt.Sprintf("%d of %d annotators", s.For, s.Of))) {
			t.Errorf("%s: %s", name, s.Reason())
		}
	}
}

// drawOf draws from items of one kind, each with what it shares.
func drawOf(d pipeline.ReviewSample, items map[string][]string) []string {
	p := NewPopulation(d)
	for _, id := range slices.Sorted(maps.Keys(items)) {
		p.Add(schemas.Sampled{Item: id, Unit: id, Shares: items[id], Stratum: []string{id[:1]}})
	}
	return slices.Sorted(maps.Keys(p.Drawn()))
}

// TestDrawIsSteady: an item more changes a draw by that item at most.
func TestDrawIsSteady(t *testing.T) {
	items := map[string][]string{}
	for i := range 100 {
		items[fmt.Sprint("q", i)] = nil
	}
	d := pipeline.ReviewSample{By: []string{"type"}, Share: 0.1, Seed: 3}
	before := drawOf(d, items)
	items["qnew"] = nil
	after := drawOf(d, items)
	if len(before) != 10 || len(after) != 11 {
		t.Fatalf("%v, %v", before, after)
	}
	for _, id := range before {
		if !slices.Contains(after, id) {
			t.Errorf("%s is drawn no longer: %v", id, after)
		}
	}
}

// TestDrawSpreads: of a fact, and of a film, one item is drawn as long as there are others.
func TestDrawSpreads(t *testing.T) {
	fact := func(n int) string { return fmt.Sprint("fact ", n) }
	film := func(n int) string { return fmt.Sprint("pair ", n) }
	twins, films, strata, few := map[string][]string{}, map[string][]string{}, map[string][]string{}, map[string][]string{}
	for i := range 40 {
		twins[fmt.Sprint("q", i)] = []string{fact(i / 2), film(0)}
		films[fmt.Sprint("q", i)] = []string{fact(i), film(i / 4)}
		strata[fmt.Sprint(i%4, "q", i)] = []string{fact(i / 4), film(i / 8)}
		few[fmt.Sprint("q", i)] = []string{fact(i % 3)}
	}
	for name, tc := range map[string]struct {
		items map[string][]string
		share float64
		n     int
		of    string
		most  int
	}{
		"twins of one film":        {twins, 0.5, 20, "fact", 1},
		"films":                    {films, 0.25, 10, "pair", 1},
		"films are too few":        {films, 0.5, 20, "fact", 1},
		"facts of several strata":  {strata, 0.25, 12, "fact", 2},
		"facts are too few":        {few, 0.25, 10, "fact", 10},
		"all, as no other is left": {twins, 1, 40, "fact", 2},
	} {
		drawn := drawOf(pipeline.ReviewSample{By: []string{"type"}, Share: tc.share, Seed: 7}, tc.items)
		count, most := map[string]int{}, 0
		for _, id := range drawn {
			for _, s := range tc.items[id] {
				if strings.HasPrefix(s, tc.of) {
					count[s]++
					most = max(most, count[s])
				}
			}
		}
		if len(drawn) != tc.n || most > tc.most {
			t.Errorf("%s: %d drawn, want %d; %d share a %s, want %d", name, len(drawn), tc.n, most, tc.of, tc.most)
		}
	}
}
