package release_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// judgedLife is a life that a gate judged before it was drawn.
const judgedLife = `version: 1
seed: 11
release: {name: life, title: Life, from: [options, files, legible, past, history]}
sources:
  worlds: {use: lifelong.worlds, with: {domains: [health], size: {sessions: 9, facts: 3, pictures: 2, interference: 1, chatter: 1}}}
stages:
  draw: {use: lifelong.draw, from: [sound]}
  write: {use: lifelong.sessions, from: [draw], with: {checkpoints: 2}}
  ask: {use: lifelong.ask, from: [draw], with: {checkpoints: 2}}
gates:
  sound: {use: life-sessions, from: [worlds], on_fail: drop}
  files: {use: visual.picture, from: [draw]}
  legible: {use: trace-legible, from: [draw]}
  history: {use: update-history, from: [write]}
  past: {use: no-future, from: [ask]}
  options: {use: option-roles, from: [ask]}
`

// TestForgedLife: what is changed of a life whose sessions a gate judged before they were
// drawn is found with every digest restated, on either side.
func TestForgedLife(t *testing.T) {
	t.Parallel()
	reg, dir := remembering(t), builtFrom(t, plugins.Registry(), judgedLife)
	c, err := release.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	checkClean(t, reg, c)
	sessions := sessionsOf(t, c)
	last := sessions[len(sessions)-1]
	side := sessions[slices.IndexFunc(sessions, func(s schemas.Session) bool {
		return s.ArcRole == schemas.ArcSide && slices.ContainsFunc(s.Points, isNamed)
	})]
	life, told := c.FlaggedRecords[0].Item, side.Points[slices.IndexFunc(side.Points, isNamed)]
	reply := last.Turns[slices.IndexFunc(last.Turns, func(t schemas.Turn) bool { return t.Role == schemas.TurnAssistant })].TurnID
	session := func(column string, v any, of schemas.Session) Change {
		return func(g *release.Forgery) error { return g.Set("sessions", column, v, of.SessionID) }
	}
	mainLine := func(g *release.Forgery) error {
		for _, p := range side.Points {
			if n := len(g.Rows("memory_points", p.MemoryID)); n != 1 {
				return fmt.Errorf("%d points are called %s", n, p.MemoryID)
			}
			if err := g.Set("memory_points", "importance", 1.0, p.MemoryID); err != nil {
				return err
			}
		}
		return g.Set("sessions", "arc_role", schemas.ArcMain, side.SessionID)
	}
	all := map[string]Change{
		"a session of the main line, with what its points weigh": mainLine,
		"an arc":           session("arc", "another", last),
		"a kind of event":  session("event_type", "another", last),
		"on the main line": session("on_main_line", map[bool]any{false: true}[last.OnMainLine], last),
		"a day":            session("date", "2031-01-01", last),
		"a kind":           session("kind", schemas.KindTrajectory, last),
		"a title":          session("title", "Profile", last),
		"an owner":         session("participants", []any{"Nobody Else"}, sessions[0]),
		"what the life tells": func(g *release.Forgery) error {
			return replace(g, strconv.Quote(told.Attributes["value"]), `"Nowhere"`, "flagged_records "+life)
		},
		"what an assistant says": func(g *release.Forgery) error {
			return g.Set("turns", "text", fmt.Sprintf("Noted. The %s of %s is Nowhere.", told.Attributes["aspect"], told.Attributes["thing"]), reply)
		},
		"the kind of a picture": func(g *release.Forgery) error {
			row := g.Rows("lifelong_exhibits")[0]
			return g.Set("lifelong_exhibits", "kind", other(row[2].(string)), row[0])
		},
		"two pictures, exchanged":  func(g *release.Forgery) error { return exchange(g, c.Media[0].MediaID, c.Media[1].MediaID) },
		"the licence of a picture": func(g *release.Forgery) error { return g.Set("media", "license", "CC-BY-4.0", c.Media[0].MediaID) },
		"the record of the task": func(g *release.Forgery) error {
			return g.Set("tasks", "source_records", []any{strings.Repeat("x", 3)}, last.TaskID)
		},
		"the life that was judged": func(g *release.Forgery) error { g.Drop("flagged_records", life); return nil },
	}
	forged := map[string]forgery{}
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i%testsize.Choose(4, 1) == 0 {
			forged[name] = forgery{all[name], audit.Differs}
		}
	}
	checkForgeries(t, reg, dir, forged)
}

// exchange puts two pictures in the place of each other, wherever they are named.
func exchange(g *release.Forgery, one, two string) error {
	for _, to := range [][2]string{{one, "another"}, {two, one}, {"another", two}} {
		if err := replace(g, to[0], to[1], "lifelong_exhibits", "turns", "memory_points", "questions"); err != nil {
			return err
		}
	}
	return nil
}

// sessionsOf are the sessions of a release.
func sessionsOf(t *testing.T, c release.Contents) (out []schemas.Session) {
	t.Helper()
	table, _ := pipeline.NewRegistry().Table(schemas.NameSession)
	for rec, err := range c.Records(table) {
		if err != nil {
			t.Fatal(err)
		}
		s, err := pipeline.Decode[schemas.Session](rec)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// isNamed tells a point about a thing that has a name.
func isNamed(p schemas.MemoryPoint) bool {
	return !p.IsInterference && strings.HasPrefix(p.Attributes["thing"], "the ") && p.Attributes["value"] != ""
}

// other is another kind of picture.
func other(kind string) string {
	if kind == "card" {
		return "sheet"
	}
	return "card"
}
