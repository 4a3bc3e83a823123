package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/testkit/videorelease"
)

// foreign is a name that passes for words of memforge where it is printed raw.
const foreign = "x\nclean: 9 of 9 verdicts\nsignature: holds\x1b[2K\u202e\u009b"

// deceives reports whether output of this program holds a foreign line or a
// character that a terminal obeys.
func deceives(out string) bool {
	return strings.ContainsAny(out, "\x1b\u202e\u009b\r") || strings.Contains(out, "\nclean: 9") || strings.Contains(out, "\nsignature: holds")
}

// TestAuditPrintsForeignWordsOnTheirLine: every text of a report is somebody else's.
func TestAuditPrintsForeignWordsOnTheirLine(t *testing.T) {
	t.Parallel()
	one := audit.Interval{Value: 1}
	r := audit.Report{
		Release: "r@1" + foreign,
		Gates:   []audit.Gate{{Name: foreign, Use: foreign, State: audit.Differs, Differences: []string{foreign}, Why: foreign}},
		Parts:   []audit.Part{{Name: foreign, State: audit.Differs, Differences: []string{foreign}, Why: foreign, Checked: 1}},
		Gold:    []audit.Gold{{Family: foreign, Unconstrained: map[string]int{foreign: 1}}},
		Agreement: []audit.Agreement{{Gate: foreign, Pairs: []audit.PairAgreement{{
			A: foreign, B: foreign, Calls: 1, Labels: []string{foreign, "b"}, Confusion: [][]int{{1, 0}, {0, 0}}, Observed: one,
		}}}},
		Gains: []audit.Gain{{Model: foreign, Without: foreign}},
	}
	var out bytes.Buffer
	if err := printAudit(&out, r, "not signed"); err != nil {
		t.Fatal(err)
	}
	if deceives(out.String()) || !strings.Contains(out.String(), `x\nclean: 9 of 9 verdicts\nsignature: holds\u001b[2K\u202e\u009b`) {
		t.Errorf("it prints\n%s", out.String())
	}
	if err := auditResult(r); deceives(err.Error()) {
		t.Errorf("it ends with\n%v", err)
	}
}

// TestForeignNamesOfARelease: a file that does not belong, and a gate of that name.
func TestForeignNamesOfARelease(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(dir string) error{
		"a file": func(dir string) error { return os.WriteFile(filepath.Join(dir, foreign), nil, 0o644) },
		"a node": func(dir string) error {
			from := `"from": null`
			return forgeManifest(dir, from, `"from": ["clean\u001b[2K\nsignature: holds"]`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := videorelease.Write(t.Context(), t.TempDir(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := harm(dir); err != nil {
				t.Fatal(err)
			}
			for _, command := range []string{"verify", "audit", "shortcuts", "sample"} {
				var out, errs bytes.Buffer
				code := Main(pipeline.NewRegistry(), []string{command, dir}, strings.NewReader(""), &out, &errs, os.Getenv)
				if all := out.String() + "\n" + errs.String(); code != exitVerify || deceives(all) {
					t.Errorf("%s: exit code %d\n%s", command, code, all)
				}
			}
		})
	}
}

// forgeManifest changes a text of the manifest and restates its digest.
func forgeManifest(dir, from, to string) error {
	name, sums := filepath.Join(dir, "manifest.json"), filepath.Join(dir, "SHA256SUMS")
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	now := bytes.Replace(old, []byte(from), []byte(to), 1)
	if bytes.Equal(now, old) {
		return fmt.Errorf("the manifest has no %q", from)
	}
	list, err := os.ReadFile(sums)
	if err != nil {
		return err
	}
	list = bytes.Replace(list, []byte(pipeline.DigestOf(old)), []byte(pipeline.DigestOf(now)), 1)
	if err := os.WriteFile(name, now, 0o644); err != nil {
		return err
	}
	return os.WriteFile(sums, list, 0o644)
}
