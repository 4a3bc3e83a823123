package release

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

func mustRead(t testing.TB, dir string) Contents {
	t.Helper()
	c, err := Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestReadGivesBackEveryRow reads what was written, row for row.
func TestReadGivesBackEveryRow(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 12)
	c := mustRead(t, write(t, store, t.TempDir(), in).Dir)
	before, after := collected(t, in, store), collected(t, in, store)
	after.content = content{
		questions: slices.Values(c.Questions), flagged: c.Flagged, tasks: slices.Values(c.Tasks), media: slices.Values(c.Media), events: c.Events, labels: c.Labels,
		verdicts: slices.Values(c.Verdicts), probes: slices.Values(c.Probes), sources: c.Sources, rejections: c.Rejections,
	}
	for name, of := range map[string]*writer{"before": before, "after": after} {
		if err := of.addRows(t.Context()); err != nil {
			t.Fatal(name, err)
		}
	}
	for _, tab := range tables() {
		was, is := slices.Collect(before.each(tab)), slices.Collect(after.each(tab))
		switch tab.name {
		case tableQuestions:
			is = rowsIn(tab, c.Questions)
		case tableTasks:
			is = rowsIn(tab, c.Tasks)
		case tableVerdicts:
			is = rowsIn(tab, c.Verdicts)
		case tableProbes:
			is = rowsIn(tab, c.Probes)
		}
		if err := compareRows(tab, was, is); err != nil || len(was) == 0 {
			t.Errorf("%d rows: %v", len(was), err)
		}
	}
}

func rowsIn[T any](tab table, values []T) (rows []row) {
	for _, v := range values {
		rows = append(rows, rowOf(tab.name, v))
	}
	return rows
}

func TestManifestTellsOfGates(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 12)
	c := mustRead(t, write(t, store, t.TempDir(), in).Dir)
	if len(c.Manifest.Gates) != 2 {
		t.Fatalf("gates %+v; want those two that judged", c.Manifest.Gates)
	}
	g := c.Manifest.Gates[1]
	if g.Name != "option-only" || g.Version != "1" || g.OnFail != "keep" || g.Models["panel_a"] != "m" ||
		g.Verdicts != 1 || g.Calls != 2 || g.InputTokens != 240 || g.OutputTokens != 6 {
		t.Errorf("gate %+v", g)
	}
	config, err := pipeline.Canonical(g.Config)
	if err != nil || string(config) != `{"runs":1}` {
		t.Errorf("configuration %s, %v", config, err)
	}
}

// TestTotalsFollowEveryField changes one field of a row at a time.
func TestTotalsFollowEveryField(t *testing.T) {
	t.Parallel()
	digest := func(v schemas.Verdict, p schemas.Probe) pipeline.Digest {
		totals, err := SumGates([]schemas.Verdict{v}, []schemas.Probe{p})
		if err != nil {
			t.Fatal(err)
		}
		return totals["g"].Rows
	}
	v := schemas.Verdict{Item: "i", Gate: "g", Outcome: "pass", Reason: "r", CallsMade: 1, CallsFull: 2}
	p := schemas.Probe{Item: "i", Gate: "g", View: "v", ViewDigest: "d", Role: "r", Model: "m", Response: "x", Answer: "A", Mark: "right", InputTokens: 3}
	base := digest(v, p)
	seen := map[pipeline.Digest]bool{base: true}
	for i, change := range []func(*schemas.Verdict, *schemas.Probe){
		func(v *schemas.Verdict, _ *schemas.Probe) { v.Item = "j" },
		func(v *schemas.Verdict, _ *schemas.Probe) { v.Outcome = "fail" },
		func(v *schemas.Verdict, _ *schemas.Probe) { v.Reason = "" },
		func(v *schemas.Verdict, _ *schemas.Probe) { v.CallsMade = 2 },
		func(v *schemas.Verdict, _ *schemas.Probe) { v.CallsFull = 3 },
		func(_ *schemas.Verdict, p *schemas.Probe) { p.Item = "j" },
		func(_ *schemas.Verdict, p *schemas.Probe) { p.View = "w" },
		func(_ *schemas.Verdict, p *schemas.Probe) { p.ViewDigest = "e" },
		func(_ *schemas.Verdict, p *schemas.Probe) { p.Role = "s" },
		func(_ *schemas.Verdict, p *schemas.Probe) { p.Model = "n" },
		func(_ *schemas.Verdict, p *schemas.Probe) { p.Rotation = 1 },
		func(_ *schemas.Verdict, p *schemas.Probe) { p.Sample = 1 },
		func(_ *schemas.Verdict, p *schemas.Probe) { p.Response = "y" },
		func(_ *schemas.Verdict, p *schemas.Probe) { p.Answer = "B" },
		func(_ *schemas.Verdict, p *schemas.Probe) { p.Mark = "wrong" },
		func(_ *schemas.Verdict, p *schemas.Probe) { p.Reason = "z" },
		func(_ *schemas.Verdict, p *schemas.Probe) { p.InputTokens = 4 },
		func(_ *schemas.Verdict, p *schemas.Probe) { p.OutputTokens = 4 },
	} {
		w, q := v, p
		change(&w, &q)
		if d := digest(w, q); seen[d] {
			t.Errorf("change %d does not change the digest", i)
		} else {
			seen[d] = true
		}
	}
}

// TestRestateFindsWhatTablesDoNotGive forges one figure in each text.
func TestRestateFindsWhatTablesDoNotGive(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 24)
	root := t.TempDir()
	dir := write(t, store, root, in).Dir
	for _, r := range mustRestate(t, mustRead(t, dir)) {
		if r.Unknown != "" || len(r.Differs) > 0 {
			t.Errorf("untouched: %+v", r)
		}
	}
	shown := string(pipeline.DigestOf([]byte(gallery(t, in)[0].QuestionID)))
	for _, tc := range []struct {
		place  string
		change [2]string
	}{
		{"README.md", [2]string{"24 questions", "25 questions"}},
		{"LICENSES.md", [2]string{"source clips", "source clops"}},
		{"CHANGELOG.md", [2]string{"24 questions", "99 questions"}},
		{"report.html", [2]string{"<b>24</b>", "<b>42</b>"}},
		{"report.html", [2]string{"question 0 ✓", "question 9 ✓"}},
		{"report.html", [2]string{"clue: ", "nobody: "}},
		{"report.html", [2]string{`figure id="question-` + shown[:8], `figure id="question-` + shown[8:16]}},
		{"croissant.json", [2]string{"24 questions", "23 questions"}},
	} {
		place, change := tc.place, tc.change
		t.Run(place+" "+change[0], func(t *testing.T) {
			forged := filepath.Join(t.TempDir(), "r")
			if err := os.CopyFS(forged, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(forged, place)
			data, err := os.ReadFile(name)
			if err != nil || !bytes.Contains(data, []byte(change[0])) {
				t.Fatalf("%q is not in it, %v", change[0], err)
			}
			if err := os.WriteFile(name, bytes.ReplaceAll(data, []byte(change[0]), []byte(change[1])), 0o644); err != nil {
				t.Fatal(err)
			}
			resign(t, forged)
			found := map[string]string{}
			for _, r := range mustRestate(t, mustRead(t, forged)) {
				if len(r.Differs) > 0 {
					found[r.Path] = strings.Join(r.Differs, "\n")
				}
			}
			last := func(text string) string { return text[max(0, len(text)-8):] }
			if !strings.Contains(found[place], last(change[1])) || place != describe.ReportName && !strings.Contains(found[place], last(change[0])) {
				t.Errorf("found %v", found)
			}
		})
	}
}

// TestRestateSaysWhatItCannotKnow: the changes since another release, and texts
// in the words of another program.
func TestRestateSaysWhatItCannotKnow(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 24)
	root := t.TempDir()
	write(t, store, root, in)
	in.BuildKey = "key-2"
	in.Records = slices.DeleteFunc(in.Records, func(r pipeline.Record) bool { return strings.HasSuffix(r.ID, "q-0003") })
	c := mustRead(t, write(t, store, root, in).Dir)
	unknown := map[string]string{}
	for _, r := range mustRestate(t, c) {
		if unknown[r.Path] = r.Unknown; len(r.Differs) > 0 {
			t.Errorf("%+v", r)
		}
	}
	if len(unknown) != 5 || !strings.Contains(unknown["CHANGELOG.md"], "1.0.0") || unknown["README.md"] != "" {
		t.Errorf("unknown %v", unknown)
	}
	c.Manifest.Texts++
	if all := mustRestate(t, c); len(all) != 1 || all[0].Unknown == "" {
		t.Errorf("other words: %+v", all)
	}
}

func mustRestate(t *testing.T, c Contents) []TextCheck {
	t.Helper()
	all, err := CheckTexts(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// resign makes manifest and sums fit the files of a release as they are.
func resign(t *testing.T, dir string) {
	t.Helper()
	m, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range m.Files {
		data, err := os.ReadFile(filepath.Join(dir, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		m.Files[i].SHA256, m.Files[i].Size = pipeline.DigestOf(data), int64(len(data))
	}
	w := &writer{temp: dir, files: m.Files}
	data := encoded(&m)
	all := append(slices.Clone(w.files), manifest.FileInfo{Path: manifest.FileName, SHA256: pipeline.DigestOf(data)})
	slices.SortFunc(all, func(a, b manifest.FileInfo) int { return strings.Compare(a.Path, b.Path) })
	for name, b := range map[string][]byte{manifest.FileName: data, manifest.SumsName: formatSums(all)} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWordingHasAVersion pins the texts of a fixed release: who changes their
// wording raises describe.Version, so that a release in older words is not taken
// for a forged one.
func TestWordingHasAVersion(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 24)
	written := files(t, write(t, store, t.TempDir(), in).Dir)
	var all bytes.Buffer
	for _, name := range []string{describe.ChangelogName, describe.LicensesName, describe.CardName, describe.ReportName, describe.CroissantName} {
		all.Write(written[name])
	}
	const golden = "17 7099c3f56080da7a0990c69d7acf4dd19346067c9f32fe92fe57e47527110d16"
	if got := fmt.Sprintf("%d %s", describe.Version, pipeline.DigestOf(all.Bytes())); got != golden {
		t.Errorf("version and digest are %s; the texts pinned are %s", got, golden)
	}
}
