package cli_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
	"github.com/memforge/memforge/pipeline/testkit/videorelease"
)

// childVariable makes the test's binary a memforge with the domain of things.
const childVariable = "MEMFORGE_TEST_CHILD"

// withDatabase ends the server that tests started.
type withDatabase struct{ *testing.M }

func (m withDatabase) Run() int { return testpostgres.RunTests(m.M) }

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(cli.Main(thingRegistry(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
	}
	if file := os.Getenv(replayVariable); file != "" {
		if err := replayChild(file, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testscript.Main(withDatabase{m}, map[string]func(){
		"memforge": func() {
			os.Exit(cli.Main(registry(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
		},
	})
}

// TestScripts runs the command lines in testdata/script. Besides testscript's
// own commands they have "exits CODE memforge ARGS..." and "mkrelease ROOT",
// which writes a small release of the video family into ROOT/sample/1.0.0. With
// MEMFORGE_TEST_CHILD=1, memforge has the domains of the tests; MODEL_URL leads
// to models that answer for them.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("short: one command after another; the builds of other tests do what runs at once")
	}
	server := examServer(t)
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("MODEL_URL", server.URL)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "mkrelease": mkrelease},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGS...]")
	}
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
	if got != want {
		ts.Fatalf("%s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

func mkrelease(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: mkrelease ROOT")
	}
	_, err := videorelease.Write(context.Background(), ts.MkAbs(args[0]), nil)
	ts.Check(err)
}
