package manifest_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/pipeline/testkit/golden"
)

func keep(f manifest.FileInfo) (manifest.FileInfo, bool) { return f, true }

// small is a manifest with a little of everything that is checked.
func small(t *testing.T) manifest.Manifest {
	t.Helper()
	m := manifest.Manifest{
		Format: manifest.CurrentFormat, Name: "demo", Version: "1.2.3", BuildKey: "k", Config: pipeline.DigestOf(nil), Texts: manifest.RuledTexts, From: []string{"ask"},
		Models: []manifest.StepModels{{Step: "oracle", Kind: "gate", Use: "o"}}, Reviewed: []review.SampleMark{{Step: "draw"}},
		Tables: []manifest.TableInfo{
			{Name: "questions", Rows: 3, Splits: []manifest.SplitInfo{{Split: "dev", Path: manifest.ShardPath("questions", "dev", 0, 1), Rows: 1}, {Split: "test", Path: manifest.ShardPath("questions", "test", 0, 2), Rows: 1}, {Split: "test", Path: manifest.ShardPath("questions", "test", 1, 2), Rows: 1}}},
			{Name: "media", Splits: []manifest.SplitInfo{{Split: "test", Path: manifest.ShardPath("media", "test", 0, 1)}}},
		},
		Gates: []manifest.GateInfo{{Name: "oracle", Config: pipeline.RawConfig("{}")}}, GateCounts: []manifest.GateCounts{{Gate: "oracle"}}, RecordCounts: []manifest.RecordCounts{{Step: "ask", From: []string{"films"}}},
		Files: []manifest.FileInfo{{Path: "README.md", SHA256: pipeline.DigestOf([]byte("a")), Size: 1}, {Path: "data/a.parquet", SHA256: pipeline.DigestOf([]byte("b"))}},
	}
	sums, err := manifest.SumsDigest(m.Files)
	if err != nil {
		t.Fatal(err)
	}
	m.ID = manifest.ReleaseID(m.Name, m.Version, sums)
	return m
}

// TestGoldenSpoiled pins what is read of a manifest, and of one with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	golden.CheckSpoiled(t, "spoiled", small(t), func(doc []byte) string {
		m, err := manifest.Parse(bytes.NewReader(doc), keep)
		if err != nil {
			return err.Error()
		}
		var out strings.Builder
		if err := m.Encode(&out); err != nil {
			return err.Error()
		}
		again, err := manifest.Parse(strings.NewReader(out.String()), keep)
		if err != nil || golden.JSON(t, again) != golden.JSON(t, m) {
			return fmt.Sprintf("what is written is not what was read: %v", err)
		}
		return out.String()
	})
}

// TestNotOneManifest gives bytes that are no JSON object, or more than one.
func TestNotOneManifest(t *testing.T) {
	whole := golden.JSON(t, small(t))
	for _, c := range []struct{ text, want string }{
		{"", "EOF"}, {"[]", "[ where { belongs"}, {"{", "EOF"}, {whole + "{}", "data after the JSON value"}, {strings.TrimSuffix(whole, "}"), "EOF"},
		{strings.Replace(whole, `"files":[`, `"files":[7,`, 1), "cannot unmarshal number"}, {strings.Replace(whole, `"files":[`, `"files":{`, 1), "{ where [ belongs"},
		{strings.Replace(whole, `"files"`, `"Files"`, 1), "stand under two names"}, {strings.Replace(whole, `"seed"`, `"sead"`, 1), "unknown field"},
		{strings.Replace(whole, `"size":1}`, `"size":1,"mode":2}`, 1), "unknown field"}, {`{"id":` + strings.Repeat(",", 10), "invalid character"},
	} {
		if _, err := manifest.Parse(strings.NewReader(c.text), keep); err == nil || !strings.HasPrefix(err.Error(), "manifest: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s: %v, want %q", c.text, err, c.want)
		}
	}
	if _, err := manifest.Parse(strings.NewReader(`{"from":[`+strings.Repeat(`"",`, manifest.MaxEntries+1)), keep); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("; at most %d are read", manifest.MaxEntries)) {
		t.Errorf("too many values: %v", err)
	}
	m, err := manifest.Parse(strings.NewReader(whole), func(f manifest.FileInfo) (manifest.FileInfo, bool) { return f, f.Path == "README.md" })
	if err != nil || len(m.Files) != 1 || m.Files[0].Size != 1 {
		t.Errorf("kept %+v, %v", m.Files, err)
	}
}

// TestGoldenTexts pins the texts of a manifest, of one without files, and of sums.
func TestGoldenTexts(t *testing.T) {
	var out strings.Builder
	m := small(t)
	m.Title = "a < b & c"
	m.Tools, m.Files = map[string]string{}, m.Files[:1]
	for _, files := range [][]manifest.FileInfo{nil, m.Files} {
		m.Files = files
		if err := m.Encode(&out); err != nil {
			t.Fatal(err)
		}
	}
	if err := manifest.WriteSums(&out, manifest.WithManifest(small(t).Files, pipeline.DigestOf([]byte("m")))); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "texts", out.String())
	broken := errors.New("the disk is full")
	if err := m.Encode(failing{broken}); !errors.Is(err, broken) {
		t.Errorf("the error of the disk is lost: %v", err)
	}
	if err := manifest.WriteSums(failing{broken}, m.Files); !errors.Is(err, broken) {
		t.Errorf("the error of the disk is lost: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestSums(t *testing.T) {
	a, b := string(pipeline.DigestOf([]byte("a"))), string(pipeline.DigestOf([]byte("b")))
	for _, c := range []struct{ text, want string }{
		{"", "its last line has no end"}, {a + "  x", "its last line has no end"}, {a + "  \n", `line 1 is not "digest  path"`}, {a + " *x\n", `line 1 is not "digest  path"`},
		{strings.Replace(a, a[:1], "g", 1) + "  x\n", "line 1 has no digest"}, {strings.ToUpper(a) + "  x\n", "line 1 is not in the form"}, {a + "  ../x\n", "line 1 leads nowhere"},
		{a + "  y\n" + b + "  x\n", `line 2: "x" is out of order`}, {a + "  x\n" + b + "  x\n", `line 2: "x" is out of order`}, {a + "  x\n\n", "line 2 is not"},
		{strings.Repeat("x", manifest.MaxBytes+1), "at most"},
	} {
		if _, err := manifest.ParseSums(c.text); err == nil || !strings.HasPrefix(err.Error(), "SHA256SUMS: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80q: %v, want %q", c.text, err, c.want)
		}
	}
	s, err := manifest.ParseSums(a + "  a\n" + b + "  data/b\n" + a + "  datum/c\n")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, p := range []string{"a", "b", "data/b", "data", "datum", "dat", "z", "datum/c"} {
		line, ok := s.Find(p)
		fmt.Fprintf(&got, "%s %d %t %t %.4s\n", p, line, ok, s.HasFolder(p), s.Digest(p))
	}
	if want := "a 0 true false " + a[:4] + "\nb 1 false false \ndata/b 1 true false " + b[:4] + "\ndata 1 false true \ndatum 2 false true \ndat 1 false false \nz 3 false false \ndatum/c 2 true false " + a[:4] + "\n"; got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
	if s.Len() != 3 || s.Path(2) != "datum/c" {
		t.Errorf("%d lines, the last is %q", s.Len(), s.Path(2))
	}
	for _, f := range []manifest.FileInfo{{Path: "a", SHA256: pipeline.Digest(a), Size: 5}, {Path: "a", SHA256: pipeline.Digest(b), Size: 5}, {Path: "q", SHA256: "", Size: 1}} {
		if got := s.Intern(f); got != f {
			t.Errorf("%+v becomes %+v", f, got)
		}
	}
}

func TestPaths(t *testing.T) {
	for p, ok := range map[string]bool{"a": true, "a/b-c_d.E": true, ".": false, "": false, "/a": false, "a/": false, "a//b": false, "a/../b": false, "a b": false, "ä": false, "a\\b": false} {
		if err := manifest.CheckPath(p); (err == nil) != ok {
			t.Errorf("%q: %v", p, err)
		}
	}
	m := small(t)
	if !m.Has("README.md") || m.Has("data") {
		t.Error("README.md is there, data is not a file")
	}
	if i, ok := m.File("b"); i != 1 || ok {
		t.Errorf("b is at %d, %t", i, ok)
	}
	if _, ok := m.Table("none"); ok {
		t.Error("a table none is there")
	}
	if got, ok := m.Table("media"); !ok || len(got.Splits) != 1 {
		t.Errorf("media: %+v, %t", got, ok)
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct{ text, patch, minor, major string }{
		{"0.0.0", "0.0.1", "0.1.0", "0.1.0"}, {"0.9.4", "0.9.5", "0.10.0", "0.10.0"}, {"1.2.3", "1.2.4", "1.3.0", "2.0.0"}, {"999999999.0.0", "999999999.0.1", "999999999.1.0", "1000000000.0.0"},
		{"01.0.0", "", "", ""}, {"1.0", "", "", ""}, {"1.0.0.0", "", "", ""}, {"1000000000.0.0", "", "", ""}, {"auto", "", "", ""}, {"1.0.0-a", "", "", ""},
	} {
		v, err := manifest.ParseVersion(c.text)
		if (err == nil) != (c.patch != "") {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		for change, want := range map[manifest.Change]string{manifest.PatchChange: c.patch, manifest.MinorChange: c.minor, manifest.MajorChange: c.major} {
			if got := v.Next(change); want != "" && (got.String() != want || got.Compare(v) != 1 || v.Compare(got) != -1 || v.Compare(v) != 0) {
				t.Errorf("%s, a %s change: %s, want %s", c.text, change, got, want)
			}
		}
	}
	for change, want := range map[manifest.Change]string{manifest.PatchChange: "patch", manifest.MinorChange: "minor", manifest.MajorChange: "major"} {
		if b, err := change.MarshalText(); err != nil || string(b) != want {
			t.Errorf("%d is %q, %v", change, b, err)
		}
	}
}

func TestCounts(t *testing.T) {
	for _, c := range []struct {
		counts              manifest.GateCounts
		reason, step, label string
	}{
		{manifest.GateCounts{Gate: "g"}, "", "g", "g"},
		{manifest.GateCounts{Gate: "g", Round: 1, Reasons: []manifest.ReasonCount{{Code: "b", Count: 2}, {Code: "a", Count: 2}, {Code: "c", Count: 1}}}, "a (2)", pipeline.RoundName("g", 1), "g, round 1"},
		{manifest.GateCounts{Gate: "g", Round: 2, Reasons: []manifest.ReasonCount{{Code: "c", Count: 1}, {Code: "d", Count: 3}}}, "d (3)", pipeline.RoundName("g", 2), "g, round 2"},
	} {
		if got := [3]string{c.counts.MainReason(), c.counts.Step(), c.counts.Label()}; got != [3]string{c.reason, c.step, c.label} {
			t.Errorf("%+v: %q", c.counts, got)
		}
	}
	if got := manifest.MostFrequent(nil); got != (manifest.ReasonCount{}) {
		t.Errorf("most frequent of none is %+v", got)
	}
	same := manifest.StepModels{Step: "s", Models: []manifest.ModelUse{{Role: "panel_a", Model: "m", Host: "h"}, {Role: "panel_b", Model: "m", Host: "h"}, {Role: "panel_c", Model: "m", Host: "other"}}}
	if got := golden.JSON(t, same.Opinions()); !strings.Contains(got, `["panel_a","panel_b"]`) {
		t.Errorf("shared models %s", got)
	}
}
