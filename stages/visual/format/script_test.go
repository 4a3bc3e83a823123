package format_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/pipeline/cli/plugins"
)

// sharing removes what tests shared.
type sharing struct{ *testing.M }

func (m sharing) Run() int {
	code := m.M.Run()
	if shelf != "" {
		os.RemoveAll(shelf)
	}
	return code
}

func TestMain(m *testing.M) {
	testscript.Main(sharing{m}, map[string]func(){
		"memforge": func() { os.Exit(cli.Main(plugins.Registry(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv)) },
	})
}

// TestScripts runs memforge tables on a small release, which is at $RELEASE. Besides
// testscript's own commands there are "exits CODE memforge ARGS..." and "answers FILE
// SHARE...", which answers the questions of the release: of each hundred of them in turn
// the first so many rightly in all forms.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("short: one command after another")
	}
	built := released(t)
	asked := runCommand(t, "sample", "--share", "1", built)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: os.Getenv("UPDATE") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("RELEASE", built)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"answers": func(ts *testscript.TestScript, _ bool, args []string) {
				share, err := strconv.Atoi(args[1])
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), answered(asked, share), 0o644))
			},
		},
	})
}

// answered are the answers of a run.
func answered(asked string, share int) []byte {
	var b bytes.Buffer
	for i, line := range strings.Split(asked, "\n") {
		var q struct{ Item, Answer string }
		if json.Unmarshal([]byte(line), &q) != nil || q.Item == "" {
			continue
		}
		right := i*37%100 < share
		for k, letter := range "ABCD" {
			if !right {
				letter = rune("BCDA"[k])
			}
			fmt.Fprintf(&b, "{\"id\": \"%s#%c\", \"prediction\": \"%c\"}\n", q.Item, "ABCD"[k], letter)
		}
		open, score := q.Answer, "1"
		if !right {
			open, score = "no idea", "0"
		}
		text, _ := json.Marshal(open)
		fmt.Fprintf(&b, "{\"id\": \"%s#open\", \"prediction\": %s}\n{\"id\": \"%s#judge\", \"prediction\": \"%s\"}\n", q.Item, text, q.Item, score)
	}
	return b.Bytes()
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var failed *exec.ExitError
		if !errors.As(err, &failed) {
			ts.Fatalf("%v", err)
		}
		got = failed.ExitCode()
	}
	if got != want || neg {
		ts.Fatalf("%s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}
