package release

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// sampleStatements are two statements about an original that the media of the sample show
// and one about an original that none shows.
func sampleStatements() schemas.Statements {
	shown, hidden := string(pipeline.DigestOf([]byte("c"))), string(pipeline.DigestOf([]byte("nowhere")))
	return schemas.Statements{
		Events: []schemas.StatedEvent{
			{Original: shown, From: 3.2, To: 5, Kind: "picks up", Actors: []string{"the baker"}, Objects: []string{"red cup"}, Text: "SALE", SourceID: "clips", StatedBy: schemas.StatedByScript},
			{Original: hidden, To: 1, Kind: "enters", SourceID: "clips", StatedBy: schemas.StatedBySource},
		},
		Labels: []schemas.StatedLabel{
			{Original: shown, Attribute: schemas.AttributeTitle, Value: "North Pier", SourceID: "clips", StatedBy: schemas.StatedByScript},
			{Original: shown, From: 1, To: 2, Attribute: "action", Value: "wave", SourceID: "clips", StatedBy: "model-1"},
		},
	}
}

// TestStatementsAreWrittenOnce gives the same statements in two records, as two
// compositions of one video do.
func TestStatementsAreWrittenOnce(t *testing.T) {
	store, in := sample(t, 3)
	in.Records = append(in.Records, record(t, schemas.NameStatements, "again", sampleStatements()))
	c, err := Read(t.Context(), write(t, store, t.TempDir(), in).Dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Events) != 1 || len(c.Labels) != 2 || c.Events[0].EventID == "" {
		t.Errorf("events %+v\nlabels %+v; want each once, and none of an original that is not shown", c.Events, c.Labels)
	}
}

// TestStatementsAreHeldAgainstTheirIDs changes single values of written rows.
func TestStatementsAreHeldAgainstTheirIDs(t *testing.T) {
	for name, forge := range map[string]func(*content){
		"original":  func(c *content) { c.events[0].Original = string(pipeline.DigestOf([]byte("x"))) },
		"time":      func(c *content) { c.events[0].From += 0.01 },
		"object":    func(c *content) { c.events[0].Objects[0] = "blue cup" },
		"value":     func(c *content) { c.labels[0].Value = "South Yard" },
		"span":      func(c *content) { c.labels[1].To = 0 },
		"source":    func(c *content) { c.labels[0].SourceID = "nobody" },
		"attribute": func(c *content) { c.labels[0].Attribute = "action" },
	} {
		t.Run(name, func(t *testing.T) {
			store, in := sample(t, 3)
			w := collected(t, in, store)
			forge(&w.content)
			found := strings.Join(w.wrong(t), "\n")
			if !strings.Contains(found, "event ") && !strings.Contains(found, "label ") {
				t.Errorf("references finds %q", found)
			}
		})
	}
}

// TestStatementsOfUnshownOriginalsAreRefused has rows that no medium leads to.
func TestStatementsOfUnshownOriginalsAreRefused(t *testing.T) {
	store, in := sample(t, 3)
	w := collected(t, in, store)
	e := w.content.events[0]
	e.Original = string(pipeline.DigestOf([]byte("nowhere")))
	id, err := eventID(e)
	if err != nil {
		t.Fatal(err)
	}
	e.EventID = id
	w.content.events = append(w.content.events, e)
	if found := strings.Join(w.wrong(t), "\n"); !strings.Contains(found, "no medium shows the original") {
		t.Errorf("references finds %q", found)
	}
}

// TestRowsOfSourcesAndRecipesAreBounded: a file is a row once, and a recipe holds
// no more than a video that anybody composes.
func TestRowsOfSourcesAndRecipesAreBounded(t *testing.T) {
	for name, tc := range map[string]struct {
		forge func(*content)
		want  string
	}{
		"as collected":     {func(*content) {}, ""},
		"a file twice":     {func(c *content) { c.sources = append(c.sources, c.sources[0]) }, "sources clips: [\""},
		"under a licence":  {func(c *content) { c.sources = append(c.sources, c.sources[0]); c.sources[0].License = "CC0-1.0" }, "occurs twice"},
		"another revision": {func(c *content) { c.sources = append(c.sources, c.sources[0]); c.sources[0].Revision += "x" }, ""},
		"endless segments": {func(c *content) {
			media := slices.Collect(c.media)
			media[0].Recipe.Segments = slices.Repeat([]schemas.Segment{{SourceID: c.sources[0].ID}}, maxSegments+1)
			c.media = slices.Values(media)
		}, "its recipe has 4097 segments, at most 4096 are possible"},
	} {
		store, in := sample(t, 3)
		in.Sources = append(in.Sources, in.Sources...) // two needs of a source want the same
		w := collected(t, in, store)
		tc.forge(&w.content)
		if found := strings.Join(w.wrong(t), "\n"); (tc.want == "") != (found == "") || !strings.Contains(found, tc.want) {
			t.Errorf("%s: %q", name, found)
		}
	}
}

// TestDerivationsOfFlaggedQuestions names the derivation of a family of which a release
// has flagged questions alone: an audit works these out too.
func TestDerivationsOfFlaggedQuestions(t *testing.T) {
	c := content{
		questions: slices.Values([]schemas.Question{{Family: "chart"}, {Family: "other"}}),
		flagged:   []schemas.FlaggedQuestion{{Question: schemas.Question{Family: "map"}}},
	}
	got := ofFamilies(&c, map[string]string{"chart": "1", "map": "2", "page": "3"})
	if want := map[string]string{"chart": "1", "map": "2"}; !maps.Equal(got, want) {
		t.Errorf("derivations are %v, want %v", got, want)
	}
}
