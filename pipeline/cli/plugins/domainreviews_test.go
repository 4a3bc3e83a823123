package plugins_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release"
)

// reviewedDomain has people decide about questions and about records of the domain's own.
const reviewedDomain = `version: 1
release: {name: kitchen, license: CC0-1.0, reviewed: %t, from: [questions, clues]}
max_loss: 0.9
sources:
  days: {use: kitchen.days, with: {path: days, license: CC0-1.0}}
  decisions: {use: reviews, with: {path: reviews, license: CC0-1.0}}
stages:
  ask: {use: kitchen.ask, from: [days]}
  questions: {use: review.settle, from: [ask, decisions], with: {share: 0.1, undecided: %s}}
  clues: {use: review.settle, from: [ask, decisions], with: {draw: clues, of: kitchen.clue, key: question_id, by: [thing], share: 0.1, undecided: %s}}
`

// TestPeopleDecideAboutRecordsOfADomain: clues are drawn by a column of their own, and
// a release is marked once people decided about all that was drawn, of either kind.
func TestPeopleDecideAboutRecordsOfADomain(t *testing.T) {
	dir := domainFolder(t)
	file := filepath.Join(dir, "pipeline.yaml")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	decisions := filepath.Join(dir, "reviews", "all.jsonl")
	if err := os.Mkdir(filepath.Dir(decisions), 0o755); err != nil {
		t.Fatal(err)
	}
	write(decisions, "")
	write(file, fmt.Sprintf(reviewedDomain, true, "refuse", "refuse"))
	if code, out := runDomain(t, false, "build", "--file", file); code == 0 || !strings.Contains(out, "lack decisions") {
		t.Fatalf("nobody decided, and the build ends with code %d:\n%s", code, out)
	}
	write(file, fmt.Sprintf(reviewedDomain, false, "keep", "keep"))
	mustDomain(t, "build", "--file", file)
	latest := strings.TrimSpace(mustDomain(t, "release", "latest", "--file", file))
	var all strings.Builder
	decideDrawn(t, &all, "review", "accept", mustDomain(t, "draw", latest))
	rejected := decideDrawn(t, &all, "clues", "reject", mustDomain(t, "draw", "--of", "kitchen.clue", "--by", "thing", latest))
	write(decisions, all.String())
	write(file, fmt.Sprintf(reviewedDomain, true, "refuse", "refuse"))
	mustDomain(t, "build", "--file", file)
	latest = strings.TrimSpace(mustDomain(t, "release", "latest", "--file", file))
	mustDomain(t, "verify", latest)
	c, err := release.Read(t.Context(), latest)
	if err != nil {
		t.Fatal(err)
	}
	if m := c.Manifest.Reviewed; len(m) != 2 || m[0].Schema != "kitchen.clue" || m[0].Drawn != len(rejected) || m[0].Decisions != 2*len(rejected) {
		t.Errorf("marked %+v", m)
	}
	lost := map[string]bool{}
	for _, r := range c.Rejections {
		if r.Code == "reviewed-out" {
			lost[strings.TrimSuffix(r.ID, "-clue")] = true
		}
	}
	if len(lost) != len(rejected) || !lost[rejected[0]] || len(rejected) < 3 {
		t.Errorf("people rejected %v, and lost are %v", rejected, lost)
	}
	if code, out := runDomain(t, true, "verify", latest); code != 0 {
		t.Errorf("memforge alone verifies with code %d:\n%s", code, out)
	}
}

// decideDrawn has two people decide about what was listed, and names it.
func decideDrawn(t *testing.T, to *strings.Builder, draw, decision, listed string) (items []string) {
	t.Helper()
	for line := range strings.Lines(listed) {
		var d struct{ Item string }
		if !strings.HasPrefix(line, "{") {
			continue
		}
		if err := json.Unmarshal([]byte(line), &d); err != nil || d.Item == "" {
			t.Fatalf("%s: %v", line, err)
		}
		items = append(items, d.Item)
		for _, annotator := range []string{"ann", "bea"} {
			fmt.Fprintf(to, "{\"item\": %q, \"annotator\": %q, \"draw\": %q, \"decision\": %q}\n", d.Item, annotator, draw, decision)
		}
	}
	return items
}
