package release_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// sourcesPlan spreads evidence over sources, and lifelongPlan asks what became true.
const (
	sourcesPlan = `version: 1
seed: 11
release: {name: sources, title: Sources, from: [options, talks, files, spread]}
sources:
  worlds:
    use: crosssource.worlds
    with: {count: 1, themes: [music], size: {people: 9, items: {single_hop: 3, multi_hop: 4, conflict_resolution: 2, preference_reasoning: 2, function_call: 2}, documents: 0.8, pages: 0.35, images: 0.1, decoys: 0}}
stages:
  draw: {use: crosssource.draw, from: [worlds]}
  plan: {use: crosssource.plan, from: [draw], with: {groups: 4, privates: 1, documents: 1, turns: 40}}
  write: {use: crosssource.write, from: [plan]}
  place: {use: crosssource.place, from: [draw, write]}
  ask: {use: crosssource.ask, from: [draw, spread]}
gates:
  spread: {use: placement, from: [place]}
  files: {use: visual.picture, from: [draw]}
  talks: {use: update-chain, from: [write]}
  options: {use: option-roles, from: [ask]}
`
	lifelongPlan = `version: 1
seed: 11
release: {name: lifelong, title: Lifelong, from: [options, talks, files, boundary]}
sources:
  worlds: {use: lifelong.worlds, with: {domains: [health], size: {sessions: 5, facts: 3, pictures: 2, interference: 1, chatter: 1}}}
stages:
  draw: {use: lifelong.draw, from: [worlds]}
  write: {use: lifelong.sessions, from: [draw], with: {checkpoints: 2}}
  ask: {use: lifelong.ask, from: [draw], with: {checkpoints: 2}}
gates:
  files: {use: visual.picture, from: [draw]}
  talks: {use: update-chain, from: [write]}
  boundary: {use: boundary, from: [ask]}
  options: {use: option-roles, from: [ask]}
`
)

// archivePlan is of exhibits that move and vanish, so that something is absent.
func archivePlan() string {
	return strings.NewReplacer("health_dashboard", "cross_scene_archive").Replace(picturesPlan)
}

// declaredHead begins the table of the page that is of tables of families.
const declaredHead = "| table of a family | found by | free | values |\n| --- | --- | --- | --- |\n"

// TestForgedTablesOfFamilies changes one value at a time of each table that a family
// declares, restates what TestForgeries does, which leaves out the digest in verdicts of
// a row that a gate judged itself, and holds what finds it against docs/forgeries.md.
func TestForgedTablesOfFamilies(t *testing.T) {
	if !golden.Updating() { // or another test writes the page at the same time
		t.Parallel()
	}
	reg, full := remembering(t), testsize.Full()
	each, step := 1, 12
	if full {
		each, step = forgeriesEach, 1
	}
	outcomes := map[string]*outcome{}
	for family, plan := range map[string]string{"visual": archivePlan(), "crosssource": sourcesPlan, "lifelong": lifelongPlan} {
		s := &smith{reg: reg, temp: t.TempDir(), outcomes: outcomes, clean: builtFrom(t, plugins.Registry(), plan)}
		if by, err := s.finders(t.Context(), s.clean); err != nil || len(by) > 0 {
			t.Fatalf("the release itself: %v, %v", by, err)
		}
		s.key = signForged(t, s.clean)
		var err error
		if s.Forger, err = release.NewForger(t.Context(), s.clean); err != nil {
			t.Fatal(err)
		}
		s.Declared(family + "_")
		if len(s.Columns()) == 0 {
			t.Fatalf("%s declares no table", family)
		}
		s.forgeAll(t, each, step)
		for _, column := range s.absent {
			t.Errorf("%s: the release has no value to forge", column)
		}
	}
	page, err := os.ReadFile(forgeriesPage)
	if err != nil {
		t.Fatal(err)
	}
	if full && golden.Updating() {
		page = rewriteDeclared(t, page, outcomes)
	}
	(&smith{outcomes: outcomes}).against(t, readForgeries(string(page), declaredHead), full)
}

// against holds what found the forgeries against what the page lists, line by line
// where all values were forged.
func (s *smith) against(t *testing.T, listed map[[2]string]listing, all bool) {
	t.Helper()
	forged := map[[2]string]bool{}
	for _, column := range slices.Sorted(maps.Keys(s.outcomes)) {
		o := s.outcomes[column]
		table, value := place(column)
		said := listed[[2]string{table, value}]
		forged[[2]string{table, value}] = true
		if got := o.listing(); all && said != got {
			t.Errorf("%s: the page says %+v, it is %+v\n%s", column, said, got, strings.Join(o.examples, "\n"))
		}
		if o.free > 0 && said.free == "" || o.forged > o.free && said.free == "yes" {
			t.Errorf("%s: %d of %d forgeries are not found, the page says free: %q\n%s", column, o.free, o.forged, said.free, strings.Join(o.examples, "\n"))
		}
	}
	for column := range listed {
		if all && !forged[column] {
			t.Errorf("the page lists %s of %s, which no release has", column[1], column[0])
		}
	}
}

// rewriteDeclared puts the measured rows into the page.
func rewriteDeclared(t *testing.T, page []byte, outcomes map[string]*outcome) []byte {
	t.Helper()
	before, after, ok := strings.Cut(string(page), declaredHead)
	if !ok {
		t.Fatalf("%s has no table of families", forgeriesPage)
	}
	_, after, _ = strings.Cut("\n"+after, "\n\n")
	out := []byte(before + declaredHead + forgeryRows(slices.Sorted(maps.Keys(outcomes)), outcomes) + "\n" + after)
	if err := os.WriteFile(forgeriesPage, out, 0o644); err != nil {
		t.Fatal(err)
	}
	return out
}
