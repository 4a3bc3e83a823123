package release

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/extsort"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// withSessions is sample with three sessions of its first task, each with a verdict;
// every one takes back what the one before it says. A dropped one was judged too.
func withSessions(t *testing.T) (pipeline.Store, Input) {
	t.Helper()
	store, in := sample(t, 6)
	table, _ := pipeline.NewRegistry().Table(schemas.NameSession)
	in.Tables = table.Tables()
	var all []schemas.Session
	for i, text := range []string{"She lives in Gent.", "She lives in Lyon.", "She lives in Cork."} {
		id := schemas.SessionIDOf("t-0", i)
		turn := schemas.TurnIDOf(id, 1)
		p := schemas.MemoryPoint{MemoryID: schemas.PointIDOf(id, 1), SessionID: id, Subject: "home", Content: text, Modality: schemas.ModalityText, EvidenceTurns: []string{turn}}
		if i > 0 {
			p.IsUpdate, p.Supersedes = true, []string{all[i-1].Points[0].MemoryID}
		}
		all = append(all, schemas.Session{
			SessionID: id, TaskID: "t-0", Kind: schemas.KindDialogue, Participants: []string{schemas.TurnUser}, Order: int32(i),
			Turns: []schemas.Turn{{TurnID: turn, SessionID: id, Order: 1, Role: schemas.TurnUser, Text: text}}, Points: []schemas.MemoryPoint{p},
		})
	}
	for i := range all {
		s := all[i].DeriveFields(all)
		rec := record(t, schemas.NameSession, s.SessionID, s)
		d, err := pipeline.ItemDigest(rec)
		if err != nil {
			t.Fatal(err)
		}
		in.Records = append(in.Records, rec, record(t, schemas.NameVerdict, "v/"+s.SessionID, schemas.Verdict{Item: s.SessionID, Gate: "chain", Outcome: schemas.Pass, ItemDigest: string(d)}))
	}
	in.Records = append(in.Records, record(t, schemas.NameVerdict, "v/gone", schemas.Verdict{Item: "gone", Gate: "chain", Outcome: schemas.Fail}))
	in.FlaggedRecords = []schemas.FlaggedRecord{{Item: "gone", Schema: schemas.NameSession, Record: `{"session_id":"gone"}`, JudgedBy: []string{"chain"}}}
	return store, in
}

// unbound lists the sessions whose verdicts are on something else than their rows say.
func unbound(t *testing.T, c Contents) (out []string) {
	t.Helper()
	table, _ := pipeline.NewRegistry().Table(schemas.NameSession)
	n := 0
	for r, err := range c.Records(table) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		d, err := pipeline.ItemDigest(r)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(c.Verdicts, func(v schemas.Verdict) bool { return v.Item == r.ID && v.ItemDigest == string(d) }) {
			out = append(out, r.ID)
		}
	}
	if n == 0 {
		t.Fatal("no sessions")
	}
	return out
}

func TestSessionsAreReadBackAsTheyWereJudged(t *testing.T) {
	t.Parallel()
	store, in := withSessions(t)
	dir := write(t, store, t.TempDir(), in).Dir
	c := mustRead(t, dir)
	if wrong := unbound(t, c); len(wrong) > 0 || len(c.FlaggedRecords) != 1 || c.FlaggedRecords[0].Item != "gone" {
		t.Errorf("not as judged: %v; flagged %+v", wrong, c.FlaggedRecords)
	}
	shape := func(name string) table {
		all := shapesOf(c.Manifest)
		return all[slices.IndexFunc(all, func(s table) bool { return s.name == name })]
	}
	forge := func(name string, change func([]row) []row) {
		rewrite(t, dir, tablePath(name, wholeSplit), shape(name), change)
	}
	text, _ := shape("turns").column("text")
	forge("turns", func(r []row) []row { r[1][text] = "She lives in Lyoo."; return r })
	if wrong := unbound(t, mustRead(t, dir)); !slices.Equal(wrong, []string{"t-0/S01"}) {
		t.Errorf("after a byte of a turn of t-0/S01: %v", wrong)
	}
	forge("turns", func(r []row) []row { r[1][text] = "She lives in Lyon."; return r })
	// Without the first session nothing dangles but what supersedes its point.
	reseal(t, dir, func(m *manifest.Manifest) {
		for i := range m.Tables {
			if m.Tables[i].Name == "sessions" || m.Tables[i].Name == "turns" || m.Tables[i].Name == "memory_points" {
				m.Tables[i].Rows, m.Tables[i].Splits[0].Rows = 2, 2
			}
		}
	})
	for _, name := range []string{"sessions", "turns", "memory_points"} {
		forge(name, func(r []row) []row { return r[1:] })
	}
	_, err := Verify(t.Context(), dir)
	for _, want := range []string{`supersedes refers to "t-0/S00/P001"`, `verdicts t-0/S00: column item refers to "t-0/S00", which is in no table of records`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, have %v", want, err)
		}
	}
}

// TestGroupsComeFromDiskAsFromMemory, and who wants no more of them gets none.
func TestGroupsComeFromDiskAsFromMemory(t *testing.T) {
	t.Parallel()
	store, in := withSessions(t)
	c := mustRead(t, write(t, store, t.TempDir(), in).Dir)
	table, _ := pipeline.NewRegistry().Table(schemas.NameSession)
	var want, got []map[string][][]any
	for rows, err := range c.groups(table) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, rows)
	}
	dir := t.TempDir()
	set := extsort.New(dir, 1)
	if err := c.sortGroups(table, set); err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 || set.Spilled() != 1 {
		t.Errorf("%d tables on disk, %d files that would remain if the program ended, %v", set.Spilled(), len(files), err)
	}
	_, err := readGroups(table, set, func(rows map[string][][]any, _ error) bool { got = append(got, rows); return true })
	if err != nil || len(want) != 1 || len(want[0]["sessions"]) != 3 || len(want[0]["turns"]) != 3 || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: %v, want %v", err, got, want)
	}
	for r, err := range c.Records(table) {
		if err != nil || r.ID == "" {
			t.Errorf("%+v, %v", r, err)
		}
		break
	}
	if err := set.Close(); err != nil {
		t.Error(err)
	}
}
