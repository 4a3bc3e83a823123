package plugins_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/eval/shortcuts"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/film"
)

// asked counts the distinct facts of a configuration over scripted films, by
// type of question, without drawing one: a fact is what is asked of a pair and
// its answer, however the videos are shown. The questions about pairs come with it.
func (m m3eval) asked() (map[string]int, []schemas.Question) {
	m.t.Helper()
	facts := map[string]map[string]bool{}
	add := func(typ, fact string) {
		if facts[typ] == nil {
			facts[typ] = map[string]bool{}
		}
		facts[typ][fact] = true
	}
	var asked []schemas.Question
	for _, node := range []string{"ask-interference", "ask-split", "ask-interleaved"} {
		compose := m.node(m.node(node).From[0])
		pairing := m.node(compose.From[0]).From[0]
		pairs, lost := m.run(pairing, m.undrawn(m.node(m.node(pairing).From[0]).From[0]))
		if len(lost) > 0 {
			m.t.Fatalf("films without a twin: %v", lost)
		}
		questions, lost := m.run(node, m.composed(compose, pairs))
		if len(lost) > 0 {
			m.t.Errorf("%s lost %v", node, lost)
		}
		for _, q := range testkit.DecodeAll[schemas.Question](m.t, schemas.NameQuestion, questions) {
			add(q.ReportedType(), q.Fact())
			m.ofNeither(q, pairs)
			asked = append(asked, q)
		}
	}
	for _, node := range []string{"plan-actions", "plan-scenes"} {
		trials, _ := m.run(node, m.undrawn("clips"))
		for _, r := range trials {
			for _, t := range testkit.DecodeAll[schemas.Trial](m.t, schemas.NameTrial, []pipeline.Record{r}) {
				for _, lag := range t.Lags {
					add(schemas.TypeNBack, fmt.Sprint(r.ID, lag))
				}
			}
		}
	}
	counts := map[string]int{}
	for typ, fs := range facts {
		counts[typ] = len(fs)
	}
	return counts, asked
}

// undrawn gives the videos of a source's scripts, with stand-ins for files.
func (m m3eval) undrawn(source string) []pipeline.Record {
	m.t.Helper()
	scripts, _ := m.run(source, nil)
	var out []pipeline.Record
	for _, r := range scripts {
		f := testkit.DecodeAll[schemas.Film](m.t, schemas.NameFilm, []pipeline.Record{r})[0]
		v := film.GroundTruth(f)
		v.SourceID, v.Media = f.Source, m.blob("media "+r.ID)
		v.Normalised = &schemas.NormalisedVideo{
			Video: m.blob("video " + r.ID), Audio: m.blob("audio " + r.ID), Width: f.Width, Height: f.Height, FPS: f.FPS, Frames: f.Frames,
		}
		out = append(out, m.record(schemas.NameVideo, "v-"+r.ID, v, pipeline.Digest(v.Normalised.Video), pipeline.Digest(v.Normalised.Audio)))
	}
	return out
}

func (m m3eval) blob(text string) string {
	m.t.Helper()
	b, err := m.st.PutBlob(m.t.Context(), strings.NewReader(text))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(b.Digest)
}

// composed shows pairs as a node would, by recipes alone.
func (m m3eval) composed(n engine.Step, pairs []pipeline.Record) []pipeline.Record {
	m.t.Helper()
	var set struct{ Swaps, Segments int }
	if err := json.Unmarshal(n.Config, &set); err != nil {
		m.t.Fatal(err)
	}
	var out []pipeline.Record
	for _, p := range testkit.DecodeAll[schemas.Pair](m.t, schemas.NamePair, pairs) {
		frames := p.A.Normalised.Frames
		exchanges := media.SwapFrames(frames, set.Swaps)
		c := schemas.Composition{Pair: p, Order: "AB", SideSwapFrames: exchanges, Segments: int32(set.Segments)}
		switch n.Use {
		case "video.concat":
			c.Media.Recipe = inTurns(p, schemas.LayoutConcat, 1)
		case "video.interleave":
			c.Media.Recipe = inTurns(p, schemas.LayoutInterleaved, int64(set.Segments))
		default:
			c.Media.Recipe = schemas.Recipe{Layout: schemas.LayoutSplit, Segments: []schemas.Segment{
				{Source: p.A.Normalised.Video, Region: "left", To: frames}, {Source: p.B.Normalised.Video, Region: "right", To: frames},
			}}
			swapped := c
			swapped.Swaps, swapped.Media.Recipe.SwapFrames = int32(set.Swaps), exchanges
			out = append(out, m.composition(swapped))
		}
		out = append(out, m.composition(c))
	}
	return out
}

func (m m3eval) composition(c schemas.Composition) pipeline.Record {
	c.Media.MediaID = m.blob(fmt.Sprint(c.Pair.A.Media, c.Pair.B.Media, c.Media.Recipe.Layout, c.Swaps))
	return m.record(schemas.NameComposition, "c-"+c.Media.MediaID, c)
}

// inTurns is the recipe of n segments of either video, by turns.
func inTurns(p schemas.Pair, layout string, n int64) schemas.Recipe {
	r := schemas.Recipe{Layout: layout}
	var at int64
	for k := range n {
		for _, v := range []schemas.Video{p.A, p.B} {
			s := schemas.Segment{Source: v.Normalised.Video, Region: "full", From: k * v.Normalised.Frames / n, To: (k + 1) * v.Normalised.Frames / n, At: at}
			r.Segments = append(r.Segments, s)
			at += s.To - s.From
		}
	}
	return r
}

// TestFilmsHoldEnoughFacts counts what the default build asks, and an eighth of
// what the full setting does: 60 and 300 distinct facts of every type. Those of the
// default build tell a reader of all questions of a pair nothing.
func TestFilmsHoldEnoughFacts(t *testing.T) {
	t.Parallel()
	types := []string{
		schemas.TypeInterference, schemas.TypeSourceIdentification, schemas.TypeOrderUnderstanding, schemas.TypeContentRetention,
		schemas.TypeSpatialGrounding, schemas.TypeTemporalGrounding, schemas.TypeFalseMemory, schemas.TypeSourceMemory, schemas.TypeNBack,
	}
	for _, tc := range []struct {
		path  string
		sets  []string
		least int
	}{
		{"../../../pipeline.yaml", nil, 60},
		{"../../../configs/films.yaml", []string{"sources.films.with.count=12", "stages.plan-actions.with.sequences=2", "stages.plan-scenes.with.sequences=2"}, 38},
	} {
		got, qs := nodesOf(t, tc.path, tc.sets...).asked()
		if len(tc.sets) == 0 {
			checkSiblings(t, qs)
		}
		t.Logf("%s %v: %v", tc.path, tc.sets, got)
		for _, typ := range types {
			if got[typ] < tc.least {
				t.Errorf("%s %v: %d distinct facts of %s, want %d", tc.path, tc.sets, got[typ], typ, tc.least)
			}
		}
	}
}

// checkSiblings wants no rule to answer questions by the others of their pair.
func checkSiblings(t *testing.T, qs []schemas.Question) {
	t.Helper()
	studies, err := shortcuts.Studies(shortcuts.Subject{
		Questions: qs, Forms: shortcuts.Forms{schemas.TypeSourceMemory: schemas.TypeFalseMemory},
		Chance: func(string) *rand.Rand { return rand.New(rand.NewPCG(3, 3)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range studies {
		if strings.Contains(s.Form, schemas.ControlSplit) {
			continue // one or two of a pair, no test items
		}
		if s.TooFew != nil || len(s.Company) == 0 {
			t.Errorf("%s: %d facts, %d rules of siblings, %v", s.Form, s.Facts, len(s.Company), s.TooFew)
		}
		for _, f := range s.Company {
			line := fmt.Sprintf("%-28s %-48s %5.1f %% of %d facts, chance %.0f, p %.2g", s.Form, f.Name, 100*f.Accuracy.Value, f.Facts, 100*f.Chance, f.PValue)
			t.Log(line)
			if f.BeyondChance(0.05) {
				t.Error("beyond chance: " + line)
			}
		}
	}
}

// ofNeither wants that what a wrong option puts forward as of neither video is no
// text that a sign of the two bears at first, which no event tells.
func (m m3eval) ofNeither(q schemas.Question, pairs []pipeline.Record) {
	m.t.Helper()
	if q.Type != schemas.TypeContentRetention && q.Type != schemas.TypeInterference {
		return
	}
	for _, r := range pairs {
		if r.ID != q.Labels[schemas.LabelPair] {
			continue
		}
		p := testkit.DecodeAll[schemas.Pair](m.t, schemas.NamePair, []pipeline.Record{r})[0]
		of := p.A.Description + ";" + p.B.Description + ";"
		if strings.Count(of, " first says ") != 2 {
			m.t.Fatalf("no telling what the signs first say: %s", of)
		}
		for _, o := range q.Options {
			if o.Role != schemas.RoleCorrect && strings.Contains(of, " first says "+o.Text+";") {
				m.t.Errorf("%s: %s (%s) stands on a sign: %s", q.Question, o.Text, o.Role, of)
			}
		}
		return
	}
	m.t.Fatalf("%s is of no pair", q.QuestionID)
}
