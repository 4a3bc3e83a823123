package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// TestTheNewDomainPasses runs the tests of a module that is written into an empty folder; at
// full size it builds a release, too, as CI does with the commands of docs/contribute.md.
func TestTheNewDomainPasses(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a package")
	}
	root := testfiles.Repo(t, ".")
	t.Chdir(t.TempDir())
	var out, errOut bytes.Buffer
	if code := Main(pipeline.NewRegistry(), []string{"new", "domain", "rowing", "--memforge", root}, nil, &out, &errOut, os.Getenv); code != 0 {
		t.Fatalf("exit code %d: %s", code, &errOut)
	}
	commands := []string{"go test -vet=off ./..."}
	if testsize.Full() { // goes over all that the module imports, which takes a minute
		commands = append(commands, "go vet ./...", "go build", "./rowing build", "./rowing audit out/releases/rowing/1.0.0")
	}
	for _, c := range commands {
		args := strings.Fields(c)
		if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", c, err, out)
		}
	}
}

// TestWhereMemforgeIsTakenFrom: a checkout that is named, the version that was downloaded, the
// checkout that was found, the version of a release; else an error.
func TestWhereMemforgeIsTakenFrom(t *testing.T) {
	root := testfiles.Repo(t, ".")
	for _, c := range []struct {
		name, flag, found, want string
		this                    debug.Module
	}{
		{"named", root, "", "takes memforge from " + root, debug.Module{Version: "v1.2.3", Sum: "h1:x"}},
		{"named wrongly", t.TempDir(), root, "want the root of a checkout", debug.Module{}},
		{"downloaded", "", root, "requires memforge v0.0.0-20261129000000-0123456789ab", debug.Module{Version: "v0.0.0-20261129000000-0123456789ab", Sum: "h1:x"}},
		{"found", "", root, "takes memforge from " + root, debug.Module{Version: "v1.2.3"}},
		{"a release", "", "", "requires memforge v1.2.3-rc.1", debug.Module{Version: "v1.2.3-rc.1"}},
		{"a commit", "", "", "name a checkout with --memforge", debug.Module{Version: "v0.0.0-20261129000000-0123456789ab"}},
		{"changed", "", "", "name a checkout with --memforge", debug.Module{Version: "v1.2.3+dirty"}},
		{"unknown", "", "", "name a checkout with --memforge", debug.Module{Version: "(devel)"}},
	} {
		files, from, err := newDomainCmd{Name: "rowing", Module: "example.com/rowing", Memforge: c.flag}.requireMemforge(c.this, c.found)
		if err != nil {
			from = err.Error()
		}
		var usage *usageError
		if !strings.Contains(from, c.want) || (err != nil) != (len(files) == 0) || err != nil && !errors.As(err, &usage) {
			t.Errorf("%s: %s, %d files", c.name, from, len(files))
		}
	}
	if got := findCheckout(debug.Module{Replace: &debug.Module{Path: root + "/docs"}}); got != root {
		t.Errorf("the checkout of %s/docs is %q", root, got)
	}
}

// TestANewDomainTakesNoName that memforge has: its plugins would be registered twice.
func TestANewDomainTakesNoName(t *testing.T) {
	t.Chdir(t.TempDir())
	r := pipeline.NewRegistry()
	pipeline.AddStage(r, "video.ask", "1", "ask", func(struct{}) (pipeline.Stage, error) { return nil, nil })
	var out, errOut bytes.Buffer
	if code := Main(r, []string{"new", "domain", "video"}, nil, &out, &errOut, os.Getenv); code != 2 || !strings.Contains(errOut.String(), "memforge has a stage video.ask already") {
		t.Errorf("exit code %d: %s", code, &errOut)
	}
}
