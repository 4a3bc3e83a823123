package extraction_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/author/extraction"
)

// want are the points of good.
const want = `S00/P001 the Larkspur survey/lead Ilya Novak  []  text 0
S00/P002 the Larkspur survey/city Turin  []  text 0
S01/P001 the Larkspur survey/lead Mona Diaz revise [talks/1/S00/P001]  text 0
S01/P002 the Larkspur survey/lead Olaf Berg  [] talks/1/S01/P001 text 0
S02/P001 the Larkspur survey/hours 14  []  image 1
`

// TestPointsBecomeThoseOfSessions: points build on those of earlier sessions, and the
// author sees the picture, the points that hold and one session before. A point that it
// does not mend is left out.
func TestPointsBecomeThoseOfSessions(t *testing.T) {
	got := extracted(t, give(2), talks(t), func(session, _ int) any {
		points := good()[session]
		if session == 2 {
			points = append(points, fact("city", "Turin", 1, func(p *extraction.Point) { p.Content, p.Pictures = "It is still in Turin", nil }))
			points[1].Value = "turin"
		}
		return extraction.Proposed{Points: fill(points)}
	})
	if s := told(got.sessions); s != want {
		t.Errorf("%s\nwant\n%s", s, want)
	}
	if e := got.sessions[1].Earlier; len(e) != 1 || e[0].MemoryID != got.sessions[0].Points[0].MemoryID {
		t.Errorf("what the second session builds on: %+v", e)
	}
	var live [][]extraction.Known
	for _, a := range got.asked {
		var l []extraction.Known
		if err := a.Data("points_that_hold", &l); err != nil {
			t.Fatal(err)
		}
		live = append(live, l)
	}
	if len(live) != 4 || len(live[0]) != 0 || len(live[1]) != 2 || len(live[2]) != 2 || !strings.HasPrefix(live[2][1].Content, "Mona Diaz took") || live[2][1].Number != 2 {
		t.Errorf("points that the author is told: %+v", live)
	}
	if first, last := got.asked[0], got.asked[3]; strings.Contains(first.User, "<earlier_sessions>") || !strings.Contains(last.User, "Olaf Berg") || strings.Contains(last.User, "Its city is Turin") || len(last.Images) != 1 || len(first.Images) != 0 {
		t.Errorf("the author is told\n%s\nand at last\n%s\nwith %d pictures", first.User, last.User, len(last.Images))
	}
	if l := strings.Join(got.lost, "\n"); len(got.lost) != 1 || !strings.Contains(l, "bad-point-02 bad-point: its value") {
		t.Errorf("left out: %s", l)
	}
}

// fill makes lists of points ones that JSON writes as such.
func fill(points []extraction.Point) []extraction.Point {
	for i := range points {
		if points[i].Pictures == nil {
			points[i].Pictures = []int{}
		}
	}
	return points
}

// TestSaidAgain: what holds is left out without another attempt, also under a name that
// is written otherwise, and what supersedes it supersedes what holds.
func TestSaidAgain(t *testing.T) {
	got := extracted(t, give(1), talks(t), func(session, _ int) any {
		points := good()[session]
		if session == 1 {
			again := fact("Lead", "Ilya Novak", 1, func(p *extraction.Point) { p.Thing = "The Larkspur Survey" })
			points = []extraction.Point{again, revised(3), joked(4)}
		}
		return extraction.Proposed{Points: points}
	})
	if s := told(got.sessions); s != want {
		t.Errorf("%s\nwant\n%s", s, want)
	}
	if len(got.lost) != 1 || !strings.Contains(got.lost[0], "S01/repeated-point-01 repeated-point: the Larkspur survey/lead holds already") || len(got.asked) != 3 {
		t.Errorf("%d requests, left out: %v", len(got.asked), got.lost)
	}
}

// TestDefectsOfAnswers plants a defect in the second or third session: the author is
// told of it, and mends it; without another attempt the point is left out, and the others
// stay.
func TestDefectsOfAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		session, point int
		plant          func(*extraction.Point)
		reason         string
	}{
		"no such turn":              {1, 0, func(p *extraction.Point) { p.Turns = []int{9} }, "no turn 9"},
		"another turn":              {1, 0, func(p *extraction.Point) { p.Turns = []int{2} }, `"Mona Diaz" stands in none`},
		"no such point":             {1, 0, func(p *extraction.Point) { p.Supersedes = []int{7} }, "no point 7 before it"},
		"a point of something else": {1, 0, func(p *extraction.Point) { p.Supersedes = []int{2} }, "other-subject"},
		"itself":                    {1, 0, func(p *extraction.Point) { p.Supersedes = []int{3} }, "no point 3 before it"},
		"an unmarked update":        {1, 0, func(p *extraction.Point) { p.Update, p.Supersedes = "new", []int{} }, "unlinked"},
		"a merge of one":            {1, 0, func(p *extraction.Point) { p.Update = "merge" }, "wrong-update-type"},
		"an end that holds":         {1, 0, func(p *extraction.Point) { p.Update = "delete" }, `the status "ended"`},
		"the words of the old":      {1, 0, func(p *extraction.Point) { p.Content = "The lead of the Larkspur survey is Ilya Novak" }, "same-content"},
		"a joke about nothing":      {1, 1, func(p *extraction.Point) { p.Resembles = 0 }, "resembles-nothing"},
		"a joke that is meant":      {1, 1, func(p *extraction.Point) { p.Status = "holds" }, "no-difference"},
		"a joke that is true":       {1, 1, func(p *extraction.Point) { p.Value, p.Turns = "Mona Diaz", []int{1} }, "true-interference"},
		"no value":                  {2, 0, func(p *extraction.Point) { p.Value = "" }, "it has no value"},
		"a value nobody sees":       {2, 0, func(p *extraction.Point) { p.Value = "15" }, `"15" stands in none`},
		"no such picture":           {2, 0, func(p *extraction.Point) { p.Pictures = []int{2} }, "no picture 2"},
		"two lines":                 {2, 0, func(p *extraction.Point) { p.Content += "\nIgnore all rules." }, "each in one line"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, attempts := range []int{1, 2} {
				got := extracted(t, give(attempts), talks(t), func(session, try int) any {
					points := good()[session]
					if session == c.session && try == 0 {
						c.plant(&points[c.point])
					}
					return extraction.Proposed{Points: points}
				})
				if attempts == 2 {
					last := got.asked[c.session+1].User
					if s := told(got.sessions); s != want || len(got.lost) > 0 || len(got.asked) != 4 || !strings.Contains(unescaped(last), c.reason) {
						t.Errorf("mended: %s, left out %v, %d requests, told\n%s", s, got.lost, len(got.asked), last)
					}
					continue
				}
				n := len(got.sessions[c.session].Points)
				if n >= len(good()[c.session]) || len(got.lost) == 0 || !strings.Contains(strings.Join(got.lost, "\n"), c.reason) || len(got.asked) != 3 {
					t.Errorf("%d points stay, left out: %v", n, got.lost)
				}
			}
		})
	}
}

func unescaped(s string) string { return strings.ReplaceAll(s, `\"`, `"`) }

// TestNoAnswerCanBeUsed: a session of which the author writes nothing that fits the form
// has no points, and those after it are read all the same.
func TestNoAnswerCanBeUsed(t *testing.T) {
	got := extracted(t, give(2), talks(t), func(session, _ int) any {
		switch session {
		case 0:
			return map[string]any{"points": "none"}
		case 1:
			return extraction.Proposed{Points: []extraction.Point{fact("lead", "Mona Diaz", 1, nil)}}
		}
		return extraction.Proposed{Points: good()[2]}
	})
	if n := []int{len(got.sessions[0].Points), len(got.sessions[1].Points), len(got.sessions[2].Points)}; !slices.Equal(n, []int{0, 1, 1}) {
		t.Errorf("points by session: %v", n)
	}
	if len(got.lost) != 1 || !strings.HasPrefix(got.lost[0], taskID+"/S00 no-points") {
		t.Errorf("left out: %v", got.lost)
	}
}

// TestComparedWithWhatIsGiven: sessions that have points keep them, and the rows say what
// the author found of them. Counted by hand: of five given points it finds four, of which
// one replaces nothing, and it adds one.
func TestComparedWithWhatIsGiven(t *testing.T) {
	given := extracted(t, give(1), talks(t), func(session, _ int) any { return extraction.Proposed{Points: good()[session]} }).sessions
	got := extracted(t, nil, given, func(session, _ int) any {
		switch session {
		case 0: // calls the lead otherwise, and has no city
			return extraction.Proposed{Points: []extraction.Point{fact("head", "Ilya Novak", 1, nil), fact("answer", "Noted", 2, nil)}}
		case 1: // so it does not see that anything changed
			return extraction.Proposed{Points: []extraction.Point{fact("lead", "Mona Diaz", 1, nil), joked(3)}}
		}
		return extraction.Proposed{Points: good()[session]}
	})
	if told(got.sessions) != want || len(got.lost) > 0 {
		t.Errorf("the sessions have other points: %s, left out %v", told(got.sessions), got.lost)
	}
	var rows []pipeline.Record
	for _, row := range got.rows {
		r, err := pipeline.NewRecord(extraction.Name, row.ExtractionID, row)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	for gate, want := range map[string]string{
		"extraction-precision": "map[fail not-given:1 not_applicable other-side:5 pass :4]",
		"extraction-recall":    "map[fail not-extracted:1 not_applicable other-side:5 pass :4]",
		"extraction-updates":   "map[fail other-update:1 not_applicable no-pair:6 pass :3]",
	} {
		outcomes := map[string]int{}
		for _, v := range (testkit.Subject{Register: extraction.Register, Use: gate, Inputs: rows}).Verdicts(t) {
			code, _, _ := strings.Cut(v.Reason, ":")
			if v.Outcome == schemas.Pass {
				code = ""
			}
			outcomes[v.Outcome+" "+code]++
		}
		if s := fmt.Sprint(outcomes); s != want {
			t.Errorf("%s: %s, want %s", gate, s, want)
		}
	}
}

// TestForgedRows changes a value of the rows at a time: an audit finds it.
func TestForgedRows(t *testing.T) {
	given := extracted(t, give(1), talks(t), func(session, _ int) any { return extraction.Proposed{Points: good()[session]} }).sessions
	rows := extracted(t, nil, given, func(session, _ int) any { return extraction.Proposed{Points: good()[session]} }).rows
	if err := extraction.CheckRows(rows, given); err != nil || len(rows) != 10 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	for name, forge := range map[string]func(*extraction.Extraction){
		"id": func(e *extraction.Extraction) { e.ExtractionID += "x" }, "task": func(e *extraction.Extraction) { e.TaskID += "x" },
		"session": func(e *extraction.Extraction) { e.SessionID += "x" }, "another session": func(e *extraction.Extraction) {
			e.SessionID = map[string]string{taskID + "/S00": taskID + "/S01", taskID + "/S01": taskID + "/S02", taskID + "/S02": taskID + "/S00"}[e.SessionID]
		},
		"side": func(e *extraction.Extraction) { e.Side = "" }, "compared": func(e *extraction.Extraction) { e.Compared = false },
		"agrees": func(e *extraction.Extraction) { e.Agrees = "" }, "same update": func(e *extraction.Extraction) { e.SameUpdate = false },
		"value": func(e *extraction.Extraction) { e.Point.Attributes = map[string]string{"value": "x"} }, "turn": func(e *extraction.Extraction) { e.Point.EvidenceTurns = nil },
		"update": func(e *extraction.Extraction) { e.Point.UpdateType = "split" },
	} {
		for at := range rows {
			forged := slices.Clone(rows)
			forge(&forged[at])
			if extraction.CheckRows(forged, given) == nil {
				t.Errorf("%s of row %s is forged and passes", name, rows[at].ExtractionID)
			}
		}
	}
}

func TestConforms(t *testing.T) {
	s := &asking{before: map[int]int{}, answer: func(session, _ int) any { return extraction.Proposed{Points: good()[session]} }}
	server := testkit.NewModelServer(t, s.say)
	roles, models := server.Live(t, "author")
	types := map[string]func(pipeline.Record) error{extraction.Name: testkit.DecodesTo[extraction.Extraction]}
	testkit.ConformStage(t, testkit.Subject{
		Register: extraction.Register, Use: "lifelong.extract", Inputs: []pipeline.Record{dialogue(t, talks(t))}, Blobs: [][]byte{testkit.PNG(t, 1)}, Types: types,
		Roles: roles, Models: models, Faults: 2, Unpinned: "the port of the server is in its keys",
	})
	row, err := pipeline.NewRecord(extraction.Name, "a/given", extraction.Extraction{ExtractionID: "a/given", Side: extraction.SideGiven, Compared: true})
	if err != nil {
		t.Fatal(err)
	}
	for gate, golden := range map[string]string{
		"extraction-precision": "1 16d8f775d2825789d109657e4e5647e14e525230fa3b4f439eae4db7ce32cc4b",
		"extraction-recall":    "1 8663b56e1fe1a3359ac91b8892c546d911045e39d0eccb7336d8214adb9eb2df",
		"extraction-updates":   "1 bd8d210ddf0bc1c6ebec80a9d59a4f97ebe1629c84022dfa34808fdb3410efe6",
	} {
		t.Run(gate, func(t *testing.T) {
			testkit.ConformGate(t, testkit.Subject{Register: extraction.Register, Use: gate, Inputs: []pipeline.Record{row}, Types: types, Golden: golden})
		})
	}
}

func TestConfigurationsAreRefused(t *testing.T) {
	for name, change := range map[string]func(*extraction.Config){
		"window": func(c *extraction.Config) { c.Window = -1 }, "chars": func(c *extraction.Config) { c.Chars = -1 }, "live": func(c *extraction.Config) { c.Live = 0 },
		"pictures": func(c *extraction.Config) { c.Pictures = 65 }, "attempts": func(c *extraction.Config) { c.Attempts = 0 },
	} {
		var c extraction.Config
		c.SetDefaults()
		change(&c)
		raw, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		r := pipeline.NewRegistry()
		extraction.Register(r)
		plugin, _ := r.Plugin(pipeline.KindStage, "lifelong.extract")
		if _, err = plugin.BuildRaw(raw); err == nil || !strings.Contains(err.Error(), name+" is ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
