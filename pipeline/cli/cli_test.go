package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/explain"
	"github.com/memforge/memforge/pipeline/engine/local"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/release/signing"
	"github.com/memforge/memforge/pipeline/store"
)

func TestExitCodes(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("surprise"), 1},
		{&usageError{errors.New("what?")}, 2},
		{&config.Error{}, 3},
		{&configError{os.ErrNotExist}, 3},
		{&fetch.FolderError{Err: os.ErrNotExist}, 3},
		{&atomicfile.URLError{}, 3},
		{&engine.LossError{}, 5},
		{&assemble.WithheldError{}, 5},
		{&pipeline.ShortageError{}, 5},
		{&toolError{"anvil", errors.New("absent")}, 6},
		{&store.LockedError{}, 10},
		{&pipeline.CorruptError{}, 10},
		{&damageError{"out"}, 10},
		{&license.Error{}, 11},
		{release.ErrEmpty, 5},
		{&pipeline.SettingError{}, 3},
		{&assemble.NoStepError{}, 2},
		{&release.DamagedError{}, 4},
		{&export.ExistsError{}, 4},
		{&signing.Error{}, 15},
		{&signing.KeyError{Key: "k", Err: os.ErrNotExist}, 15},
		{&release.SignedError{}, 15},
		{&export.QuestionError{}, 4},
		{&inputError{errors.New("absent")}, 4},
		{&explain.NotFoundError{}, 4},
		{explain.ErrNoBuild, 4},
		{&fetch.OfflineError{}, 7},
		{&fetch.StatusError{}, 7},
		{&fetch.ChangedError{}, 7},
		{&media.MissingToolError{}, 6},
		{&model.BudgetError{}, 8},
		{&model.ServerError{}, 9},
		{&model.RateError{}, 9},
		{&model.MissError{}, 9},
		{&pipeline.TaskError{Step: "concat", Err: &engine.ForeignError{Differs: []string{"tool ffmpeg: 6 there, 7 here"}}}, 17},
		{local.ErrInterrupted, 130},
		{context.Canceled, 130},
		// What was asked to stop reports that, whatever failed on the way.
		{errors.Join(&engine.LossError{}, local.ErrInterrupted), 130},
		{errors.Join(&config.Error{}, &toolError{"anvil", errors.New("absent")}), 3},
	} {
		if got := exitCode(tc.err); got != tc.want {
			t.Errorf("exit code of %T %v is %d, want %d", tc.err, tc.err, got, tc.want)
		}
		if got := exitCode(fmt.Errorf("build: %w", tc.err)); tc.err != nil && got != tc.want {
			t.Errorf("exit code of a wrapped %T is %d, want %d", tc.err, got, tc.want)
		}
	}
}

// TestExitCodesAreDocumented compares the table of docs/exit-codes.md with the
// constants of exit.go.
func TestExitCodesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/exit-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("exit.go")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllSubmatch(doc, -1) {
		documented[string(m[1])] = true
	}
	given := regexp.MustCompile(`exit[A-Z]\w* += (\d+)`).FindAllSubmatch(source, -1)
	if len(given) < 9 {
		t.Fatalf("found %d codes in exit.go", len(given))
	}
	for _, m := range given {
		if !documented[string(m[1])] {
			t.Errorf("exit code %s is not in docs/exit-codes.md", m[1])
		}
	}
}

func TestFirstSignalDrainsSecondAborts(t *testing.T) {
	signals := make(chan os.Signal)
	ctx, i := watchSignals(t.Context(), signals, func() { t.Error("the process was ended") })
	defer i.end()
	drain := i.Drain()
	signals <- os.Interrupt
	<-drain
	if ctx.Err() != nil {
		t.Fatal("the first signal cancelled a command that drains")
	}
	signals <- os.Interrupt
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), local.ErrInterrupted) {
		t.Errorf("cause %v", context.Cause(ctx))
	}
}

func TestFirstSignalCancelsWhatDoesNotDrain(t *testing.T) {
	signals := make(chan os.Signal)
	ctx, i := watchSignals(t.Context(), signals, func() { t.Error("the process was ended") })
	defer i.end()
	signals <- os.Interrupt
	<-ctx.Done()
}

// TestTheSecondSignalEndsWhatHangs: a command that no cancelling reaches is ended
// a while after the second signal, and by the third at once.
func TestTheSecondSignalEndsWhatHangs(t *testing.T) {
	for _, n := range []int{2, 3} {
		signals, ended := make(chan os.Signal), make(chan struct{}, 2)
		_, i := watchSignals(t.Context(), signals, func() { ended <- struct{}{} })
		i.Drain()
		if i.wait = 20 * time.Millisecond; n == 3 {
			i.wait = time.Hour
		}
		for range n {
			select {
			case <-ended:
				t.Fatalf("ended before signal %d", n)
			default:
			}
			signals <- os.Interrupt
		}
		<-ended
		i.end()
	}
}

// TestShellsParseTheirScripts asks those that are here.
func TestShellsParseTheirScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		var out, errOut bytes.Buffer
		if code := Main(pipeline.NewRegistry(), []string{"completion", shell}, strings.NewReader(""), &out, &errOut, os.Getenv); code != 0 || out.Len() == 0 {
			t.Fatalf("%s: exit code %d: %s", shell, code, &errOut)
		}
		if program, err := exec.LookPath(shell); err == nil {
			if said, err := exec.CommandContext(t.Context(), program, "-n", "-c", out.String()).CombinedOutput(); err != nil {
				t.Errorf("%s does not parse its script: %v\n%s", shell, err, said)
			}
		}
	}
}
