package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/cli/plugins"
)

// pages are the pages that people read, by their path.
func pages(t *testing.T) map[string]string {
	t.Helper()
	names := []string{"README.md", "CONTRIBUTING.md", "docs/llms.txt"}
	for _, pattern := range []string{"docs/*.md", "docs/decisions/*.md"} {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, matches...)
	}
	out := map[string]string{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.ToSlash(name)] = string(b)
	}
	return out
}

// anchors are what a link may name within a page: its headings, as GitHub spells
// them, and its own ids.
func anchors(text string) map[string]bool {
	out := map[string]bool{"": true}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$|<a id="([^"]+)">`).FindAllStringSubmatch(text, -1) {
		slug := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		out[strings.ReplaceAll(slug, " ", "-")], out[m[2]] = true, true
	}
	return out
}

func TestLayoutDocsLinks(t *testing.T) {
	all := pages(t)
	for name, text := range all {
		for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(text, -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			to := name
			if file != "" {
				to = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			} else if page, ok := all[to]; ok && !anchors(page)[anchor] {
				t.Errorf("%s links to %s: no heading there is called so", name, m[1])
			}
		}
	}
	for name := range all {
		if path.Dir(name) == "docs" && name != "docs/README.md" && !strings.Contains(all["docs/README.md"], "]("+path.Base(name)) {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
}

// Files and packages that pages name are there; stages/NAME and stages/kitchen are
// what a reader will make.
func TestLayoutDocsPaths(t *testing.T) {
	for name, text := range pages(t) {
		for _, m := range regexp.MustCompile("`((?:pipeline|gates|stages|sources|schemas|configs|docs)/[\\w./-]+)`").FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(m[1]); err != nil && m[1] != "stages/NAME" && m[1] != "stages/kitchen" {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
	}
}

// What papers.md says a section is built by is there.
func TestLayoutPapersNamePlugins(t *testing.T) {
	reg := plugins.Registry()
	for _, m := range regexp.MustCompile("`([a-z0-9]+[.-][a-z0-9-]+)`").FindAllStringSubmatch(pages(t)["docs/papers.md"], -1) {
		_, stage := reg.Plugin(pipeline.KindStage, m[1])
		if _, gate := reg.Plugin(pipeline.KindGate, m[1]); !stage && !gate {
			t.Errorf("docs/papers.md says that something is built by %s, and no plugin is called so", m[1])
		}
	}
}

// TestLayoutDocsBlocks: a block of commands or of their output that CI does not run stands
// in .ci/unrun-blocks with a reason.
func TestLayoutDocsBlocks(t *testing.T) {
	listed := map[string]int{}
	list, err := os.ReadFile(".ci/unrun-blocks")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 3 {
			t.Fatalf("%q: want page, number and reason", line)
		}
		if listed[fields[0]], err = strconv.Atoi(fields[1]); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range pages(t) {
		unrun, within := 0, false
		for line := range strings.Lines(text) {
			language, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
			if !fence {
				continue
			}
			if within = !within; within && (language == "" || language == "text") {
				unrun++
			}
		}
		if within {
			t.Errorf("%s: a block does not end", name)
		}
		if unrun != listed[name] {
			t.Errorf("%s: %d blocks do not run, .ci/unrun-blocks has %d: fence commands as \"sh\" (a copy of the tree) or \"sh release\" (the default release), or list them", name, unrun, listed[name])
		}
		delete(listed, name)
	}
	for name := range listed {
		t.Errorf(".ci/unrun-blocks: there is no page %s", name)
	}
}
