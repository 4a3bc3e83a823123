package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/pipeline/cli/plugins"
)

// shown are the command lines of memforge that the pages and files for a cluster show,
// as one text each.
func shown(t *testing.T) (lines []string) {
	t.Helper()
	for _, page := range []string{"docs/workers.md", "docs/cluster.md"} {
		one := regexp.MustCompile(`\\\n\s*`).ReplaceAllString(content(t, page), " ") // a line may go on in the next
		for _, m := range regexp.MustCompile("(?m)(?:`|^|<br>|srun |exec |bin/)(memforge [a-z]+\\b[^`\n#|<\\])]*)").FindAllStringSubmatch(one, -1) {
			lines = append(lines, strings.ReplaceAll(m[1], `"`, ""))
		}
	}
	for name, s := range services(t) {
		words, ok := s.Command.([]any)
		if !ok || s.Build == nil {
			continue
		}
		line := "memforge"
		for _, w := range words {
			text, ok := w.(string)
			if !ok {
				t.Fatalf("service %s: %v is no text", name, w)
			}
			line += " " + text
		}
		lines = append(lines, line)
	}
	for _, w := range manifests(t, "workers.yaml") {
		lines = append(lines, "memforge "+strings.Join(w.Spec.Template.Spec.Containers[0].Args, " "))
	}
	return lines
}

// help is what memforge says of the command of a line; none is an error of the test.
func help(t *testing.T, line string) string {
	t.Helper()
	command := regexp.MustCompile(`^memforge ((?:store|ledger) [a-z]+|[a-z]+)`).FindStringSubmatch(line)
	var out, errs bytes.Buffer
	args := append(strings.Fields(command[1]), "--help")
	if code := cli.Main(plugins.Registry(), args, strings.NewReader(""), &out, &errs, func(string) string { return "" }); code != 0 {
		t.Errorf("%s: %s", line, errs.String())
	}
	return out.String()
}

// What the pages and files for a cluster tell a reader to run is in the program's grammar.
func TestDeployCommandsAreThose(t *testing.T) {
	lines := shown(t)
	if len(lines) < 20 {
		t.Fatalf("found %d command lines: %q", len(lines), lines)
	}
	for _, line := range lines {
		said := help(t, line)
		for _, flag := range regexp.MustCompile(`\s(--[a-z][a-z-]*)`).FindAllStringSubmatch(line, -1) {
			if !regexp.MustCompile(regexp.QuoteMeta(flag[1]) + `\b`).MatchString(said) {
				t.Errorf("%s: it has no %s", line, flag[1])
			}
		}
		for _, m := range regexp.MustCompile(`--(?:queues|slots)[= ](\S*\w)`).FindAllStringSubmatch(line, -1) {
			for named := range strings.SplitSeq(m[1], ",") {
				if name, _, _ := strings.Cut(named, "="); !slices.Contains(queues, name) || !strings.Contains(said, name) {
					t.Errorf("%s: there is no queue %s", line, name)
				}
			}
		}
	}
}
