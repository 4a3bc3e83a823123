package release_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/release"
)

// contradiction changes rows of a release, by table, so that they no longer agree.
type contradiction struct {
	name string
	// want is what verify says of it.
	want   string
	change func(r release.Rows)
}

// contradictions are of the dialogues of the documentation, each with all digests
// restated.
func contradictions() []contradiction {
	first := func(r release.Rows, table string) []any { return r.Find(table, func([]any) bool { return true }) }
	cited := func(r release.Rows) []any {
		return r.Find("questions", func(q []any) bool { return len(r.List("questions", q, "evidence")) > 0 })
	}
	options := func(r release.Rows) []any {
		return r.Find("questions", func(q []any) bool { return len(r.List("questions", q, "options")) > 1 })
	}
	piece := func(r release.Rows) []any { return r.List("questions", cited(r), "evidence")[0].([]any) }
	turn := func(r release.Rows) []any {
		return r.Find("turns", func(t []any) bool { return t[0] == piece(r)[1] })
	}
	set := func(table, column string, v any) func(release.Rows) {
		return func(r release.Rows) { r.Set(table, first(r, table), column, v) }
	}
	return []contradiction{
		{"g18 a role of options", "options.role is", func(r release.Rows) { r.List("questions", options(r), "options")[0].([]any)[2] = "banana" }},
		{"g19 two right options", "has the role", func(r release.Rows) {
			for _, o := range r.List("questions", options(r), "options") {
				o.([]any)[2] = "correct"
			}
		}},
		{"d01 the words of a cited turn", "is not what turn", func(r release.Rows) { r.Set("turns", turn(r), "text", "I said the opposite.") }},
		{"d03 its speaker", "not among the participants", func(r release.Rows) { r.Set("turns", turn(r), "speaker", "Mallory") }},
		{"d02 the words of evidence", "is not what turn", func(r release.Rows) { piece(r)[7] = "[2023-01-01 00:00]\nI said the opposite." }},
		{"d41 another turn", "is not what turn", func(r release.Rows) {
			other := r.Find("turns", func(t []any) bool { return t[1] == piece(r)[4] && t[0] != piece(r)[1] })
			piece(r)[1] = other[0]
		}},
		{"d42 another session", "has another session_id", func(r release.Rows) {
			piece(r)[4] = r.Find("sessions", func(s []any) bool { return s[0] != piece(r)[4] })[0]
		}},
		{"e53 a turn of another session", "do not count 1, 2, 3", func(r release.Rows) {
			t := turn(r)
			r.Set("turns", t, "session_id", r.Find("sessions", func(s []any) bool { return s[0] != t[1] })[0])
		}},
		{"d27 a point of another session", "has another session_id", func(r release.Rows) {
			p := first(r, "memory_points")
			r.Set("memory_points", p, "session_id", r.Find("sessions", func(s []any) bool { return s[0] != p[1] })[0])
		}},
		{"g12 a role of evidence", "evidence.role is", func(r release.Rows) { piece(r)[2] = "gospel" }},
		{"g14 a kind of evidence", "evidence.kind is", func(r release.Rows) { piece(r)[0] = "rumour" }},
		{"g13 a turn called a session", "is of the kind session", func(r release.Rows) { piece(r)[0] = "session" }},
		{"g10 the order of evidence", "does not count 1, 2, 3", func(r release.Rows) { piece(r)[5] = int32(1<<31 - 1) }},
		{"d06 turns that change places", "its id counts otherwise", func(r release.Rows) {
			a := turn(r)
			b := r.Find("turns", func(t []any) bool { return t[1] == a[1] && t[0] != a[0] })
			at := r.At("turns", "order")
			a[at], b[at] = b[at], a[at]
		}},
		{"g25 a session without turns", "it has no turn", func(r release.Rows) {
			r.Set("sessions", r.Add("sessions", first(r, "sessions"), "silent"), "order", int32(99))
		}},
		{"d08 a date", "date is \"yesterday\"", set("sessions", "date", "yesterday")},
		{"d10 an order below 0", "order is -5", set("sessions", "order", int32(-5))},
		{"e47 a kind of session", "kind is \"seance\"", set("sessions", "kind", "seance")},
		{"e50 a role of turns", "role is \"daemon\"", set("turns", "role", "daemon")},
		{"e51 a timestamp", "timestamp is \"half past never\"", set("turns", "timestamp", "half past never")},
		{"d07 the date of a session", "is not what turn", func(r release.Rows) {
			s := r.Find("sessions", func(s []any) bool { return s[0] == piece(r)[4] })
			r.Set("sessions", s, "date", "2026-05-25T13:14:00Z")
		}},
		{"e48 nobody takes part", "needs participants", set("sessions", "participants", []any{})},
		{"e52 a turn without words", "nothing is said", func(r release.Rows) {
			r.Set("turns", turn(r), "text", nil)
			r.Set("turns", turn(r), "attachments", []any{})
		}},
		{"d24 an importance below 0", "importance is -7", set("memory_points", "importance", -7.0)},
		{"d25 a modality", "modality is \"smell\"", set("memory_points", "modality", "smell")},
		{"d26 interference with nothing", "resembles nothing", set("memory_points", "is_interference", true)},
		{"d18 a point that rests on nothing", "names no turn", set("memory_points", "evidence_turns", []any{})},
		{"d17 a turn of another session", "has another session_id", func(r release.Rows) {
			p := first(r, "memory_points")
			other := r.Find("turns", func(t []any) bool { return t[1] != p[1] })
			r.Set("memory_points", p, "evidence_turns", []any{other[0]})
		}},
		{"k24 a task of no question", "no question belongs to it", func(r release.Rows) {
			r.Add("tasks", first(r, "tasks"), "nobody's")
		}},
		{"e38 tokens below 0", "input_tokens is -5", set("probes", "input_tokens", int64(-5))},
		{"e39 tokens that overflow", "input_tokens is", set("probes", "input_tokens", int64(1<<62))},
		{"e40 bytes below 0", "bytes is -1", set("sources", "bytes", int64(-1))},
	}
}

// TestContradictionsAreFound: rows that contradict each other, or the lists and ranges
// of the columns, are found by verify whatever else was restated.
func TestContradictionsAreFound(t *testing.T) {
	t.Parallel()
	reg := plugins.Registry()
	dir := buildDialogs(t, reg, filepath.Join("..", "..", "docs", "examples", "dialogs"))
	f, err := release.NewForger(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range contradictions() {
		t.Run(c.name, func(t *testing.T) {
			dest := t.TempDir()
			if err := f.ForgeRows(dest, c.change); err != nil {
				t.Fatal(err)
			}
			if _, err := release.Verify(t.Context(), dest); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("verify says %v; want %q", err, c.want)
			}
		})
	}
}
