package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// wholeBuilds are plugins whose tests build whole datasets, and so link what the program
// does.
var wholeBuilds = []string{"stages/lifelong", "stages/visual/format"}

// TestLayoutLinks: no plugin knows what machines share, and no test of one carries the
// drivers of a database or a bucket, which are half of a binary.
func TestLayoutLinks(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-test", "-f", "{{.ImportPath}}{{range .Deps}} {{.}}{{end}}",
		"./stages/...", "./sources/...", "./gates/...").Output()
	if err != nil {
		t.Fatalf("go list: %v; run go list ./... to see why", err)
	}
	tests := 0
	for line := range strings.Lines(string(out)) {
		deps := strings.Fields(line)
		if len(deps) > 1 && strings.HasPrefix(deps[1], "[") {
			continue // compiled once more for a test, which is listed too
		}
		name, isTest := strings.CutSuffix(deps[0], ".test")
		driver := slices.IndexFunc(deps, func(d string) bool {
			return strings.HasPrefix(d, "github.com/jackc/pgx/") || strings.HasPrefix(d, "gocloud.dev/")
		})
		if isTest {
			tests++
		}
		if want := isTest && slices.Contains(wholeBuilds, short(name)); want != (driver >= 0) {
			t.Errorf("%s links a database: %t, want %t", short(deps[0]), driver >= 0, want)
		}
	}
	if tests < 40 {
		t.Errorf("%d tests of plugins", tests)
	}
}
