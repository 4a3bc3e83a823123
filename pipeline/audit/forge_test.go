package audit_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

const smallPlan = `version: 1
seed: 7
release: {name: quiz, title: A quiz, from: [positions]}
sources:
  quiz: {use: test.quiz}
gates:
  roles: {use: interference-roles, from: [quiz]}
  mirrors: {use: mirror-pairs, from: [roles]}
  positions: {use: answer-position, from: [mirrors], on_fail: keep}
`

// forge puts other bytes in the place of a file and makes manifest and sums
// anew, as somebody would who wants the release to verify.
func forge(t testing.TB, c release.Contents, place string, data []byte) {
	t.Helper()
	var sums strings.Builder
	m := c.Manifest
	m.Files = append([]manifest.FileInfo(nil), m.Files...)
	write := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(c.Dir, filepath.FromSlash(name)), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var list strings.Builder
	for i, f := range m.Files {
		if f.Path == place {
			m.Files[i].SHA256, m.Files[i].Size = pipeline.DigestOf(data), int64(len(data))
			write(place, data)
		}
		list.WriteString(string(m.Files[i].SHA256) + "  " + f.Path + "\n")
	}
	m.ID = m.Name + "@" + m.Version + "+" + string(pipeline.DigestOf([]byte(list.String())))[:16]
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(m); err != nil {
		t.Fatal(err)
	}
	b := text.Bytes()
	write("manifest.json", b)
	listed := false
	for _, f := range m.Files {
		if f.Path > "manifest.json" && !listed {
			sums.WriteString(string(pipeline.DigestOf(b)) + "  manifest.json\n")
			listed = true
		}
		sums.WriteString(string(f.SHA256) + "  " + f.Path + "\n")
	}
	write("SHA256SUMS", []byte(sums.String()))
}

// TestEveryByteOfTheVerdictsCounts turns bytes of the table's file around, one
// at a time, and makes manifest and sums anew: whatever changes a row is found.
func TestEveryByteOfTheVerdictsCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("audits a release for each of many flips; run without -short")
	}
	t.Parallel()
	reg := registry(t)
	clean := sharedQuiz(t, reg, smallPlan)
	counts := flipBytes(t, reg, clean, "data/verdicts/train-00000-of-00001.parquet", testsize.Choose(131, 53))
	if counts["unreadable"] == 0 || counts["no row changed"] > counts["unreadable"]+counts["differs"] {
		t.Errorf("flips: %v", counts)
	}
}

func flipBytes(t *testing.T, reg *pipeline.Registry, clean release.Contents, place string, step int) map[string]int {
	t.Helper()
	whole, err := os.ReadFile(filepath.Join(clean.Dir, filepath.FromSlash(place)))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for at := 0; at < len(whole); at += step {
		data := append([]byte(nil), whole...)
		data[at] ^= 1 << (at % 8)
		forge(t, clean, place, data)
		c, err := release.Read(t.Context(), clean.Dir)
		if err != nil {
			counts["unreadable"]++
			continue
		}
		if reflect.DeepEqual(c.Verdicts, clean.Verdicts) && reflect.DeepEqual(c.Probes, clean.Probes) {
			counts["no row changed"]++
			continue
		}
		if r := mustAudit(t, reg, c); r.State() != audit.Differs {
			t.Errorf("byte %d: a row changed and the audit says %s", at, r.State())
		}
		counts["differs"]++
	}
	forge(t, clean, place, whole)
	if r := mustAudit(t, reg, mustRead(t, clean.Dir)); r.State() == audit.Differs || r.State() == audit.Errored {
		t.Errorf("with its own bytes again: %s\n%s", r.State(), found(r))
	}
	return counts
}
