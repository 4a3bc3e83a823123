package cli_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/audit"
)

func gainsOf(t *testing.T, p boxProject) map[string]audit.Gain {
	t.Helper()
	code, out, errs := p.run("audit", "--json", p.release)
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	var said struct{ Gains []audit.Gain }
	if err := json.Unmarshal([]byte(out), &said); err != nil {
		t.Fatal(err)
	}
	found := map[string]audit.Gain{}
	for _, g := range said.Gains {
		found[g.Model+" "+g.Without] = g
	}
	if len(found) != len(said.Gains) {
		t.Errorf("%d rows of %d models and views", len(said.Gains), len(found))
	}
	return found
}

func about(t *testing.T, what string, i *audit.Interval, want float64) {
	t.Helper()
	if i == nil || math.Abs(i.Value-want) > 1e-12 || i.Low > want || i.High < want || i.Low == i.High && want != 0 {
		t.Errorf("%s: %+v, want %.4f", what, i, want)
	}
}

// TestGainsOfAFullProtocol has every figure from what the models know.
func TestGainsOfAFullProtocol(t *testing.T) {
	t.Parallel()
	p := buildExhibit(t, newExhibitServer(t), true)
	found := gainsOf(t, p)
	if len(found) != 6 {
		t.Fatalf("rows: %+v", found)
	}
	for _, model := range []string{"panel-1", "panel-2"} {
		share := func(view string) float64 { return float64(exhibitKnown(model, view)) / exhibitCount }
		for _, view := range []string{"text", "minimal_caption", "none"} {
			g, what := found[model+" "+view], model+" without pictures, "+view
			if g.Questions != exhibitCount || g.FirstCalls {
				t.Errorf("%s: %+v", what, g)
			}
			about(t, what+": S_v", &g.Seeing, share("oracle"))
			about(t, what+": S_wv", &g.Blind, share(view))
			about(t, what+": gain", &g.Gain, share("oracle")-share(view))
			if view == "none" {
				if g.Base != nil || g.Leakage != nil {
					t.Errorf("%s: it is its own base: %+v", what, g)
				}
				continue
			}
			about(t, what+": base", g.Base, share("none"))
			// The second model knows more from nothing than from texts: no leakage.
			about(t, what+": leakage", g.Leakage, max(0, share(view)-share("none")))
		}
	}
	code, out, _ := p.run("audit", p.release)
	for _, want := range []string{
		"multi-modal gain (S_v - S_wv) and leakage (S_wv - base, at least 0)", "MODEL    WITHOUT PICTURES  QUESTIONS", "panel-1  text              20         80.0 [", "0.0 [0.0, ",
	} {
		if !strings.Contains(out, want) || code != 0 {
			t.Errorf("exit code %d, no %q in\n%s", code, want, out)
		}
	}
}

// gainsOfFirstCalls holds the figures of a sequential protocol against what the server
// saw first of each question under each view.
func gainsOfFirstCalls(t *testing.T, server *exhibitServer, p boxProject) {
	t.Helper()
	first := map[string]bool{}
	right, calls := map[string]float64{}, map[string]float64{}
	for _, c := range server.asked {
		if at := fmt.Sprint(c.view, c.piece); !first[at] {
			first[at] = true
			calls[c.model+c.view]++
			if c.right {
				right[c.model+c.view]++
			}
		}
	}
	if len(server.asked) < len(first)+50 {
		t.Fatalf("%d calls, %d of them first: nothing follows on a first", len(server.asked), len(first))
	}
	found := gainsOf(t, p)
	for _, model := range []string{"panel-1", "panel-2"} {
		for _, view := range []string{"text", "minimal_caption", "none"} {
			g, what := found[model+" "+view], model+" without pictures, "+view
			if g.Questions != exhibitCount || !g.FirstCalls {
				t.Errorf("%s: %+v", what, g)
			}
			seeing, blind := right[model+"oracle"]/calls[model+"oracle"], right[model+view]/calls[model+view]
			about(t, what+": S_v", &g.Seeing, seeing)
			about(t, what+": S_wv", &g.Blind, blind)
			about(t, what+": gain", &g.Gain, seeing-blind)
		}
	}
	if _, out, _ := p.run("audit", p.release); !strings.Contains(out, "scores of the first, randomly chosen call") {
		t.Errorf("it is not said that first calls count alone:\n%s", out)
	}
}
