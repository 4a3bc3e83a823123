package crosssource_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestCountsAddUp: the paper's funnel on the page adds up, table 4 against the text of
// the paper, and the configuration keeps as many questions of each task.
func TestCountsAddUp(t *testing.T) {
	page, err := os.ReadFile("../../docs/smmbench.md")
	if err != nil {
		t.Fatal(err)
	}
	var sums [3]int
	tasks := map[string]int{}
	for _, m := range regexp.MustCompile("(?m)^\\| [A-Za-z0-9-]+ \\| `([a-z_]+)` \\| (\\d+) \\| (\\d+) \\| (\\d+) \\|$").FindAllStringSubmatch(string(page), -1) {
		for i := range sums {
			n, err := strconv.Atoi(m[2+i])
			if err != nil {
				t.Fatal(err)
			}
			sums[i] += n
			if i == 2 {
				tasks[m[1]] += n
			}
		}
	}
	if want := [3]int{17_115, 9_454, 1_877}; sums != want {
		t.Errorf("the rows of table 4 add up to %v, want %v (the paper's text has 9,424 after correctness)", sums, want)
	}
	config, err := os.ReadFile("../../configs/smmbench.yaml")
	if err != nil {
		t.Fatal(err)
	}
	kept, all := map[string]int{}, 0
	for _, m := range regexp.MustCompile(`\{of: \[([a-z_]+)\], count: (\d+)\}`).FindAllStringSubmatch(string(config), -1) {
		n, _ := strconv.Atoi(m[2]) // digits
		kept[m[1]] = n
		all += n
	}
	for task, n := range tasks {
		if kept[task] != n {
			t.Errorf("the configuration keeps %d of %s, the data sets of the paper give %d", kept[task], task, n)
		}
	}
	if all != 1877 || !strings.Contains(string(config), "questions: 1877") || !strings.Contains(string(config), "count: 33") || !strings.Contains(string(config), "groups: 6\n      privates: 2") {
		t.Errorf("the configuration keeps %d questions; want 1,877, and 33 worlds of 8 chats, which are 264", all)
	}
}
