package testpostgres

import (
	"errors"
	"net"
	"os/exec"
	"path/filepath"
	"testing"
)

// A program that ends at once is started again until it lasts and answers; one that
// cannot be started is said, and may be killed.
func TestProcessIsStartedAgain(t *testing.T) {
	starts, dir := 0, t.TempDir()
	p := Process{
		Command: func() *exec.Cmd {
			starts++
			if starts < 3 {
				return exec.Command("false")
			}
			return exec.Command("sleep", "60")
		},
		Ready: func() error {
			if starts < 3 {
				return net.ErrClosed
			}
			return nil
		},
	}
	if err := p.Start(); err != nil || starts != 3 || !p.Running() {
		t.Fatalf("%v after %d starts", err, starts)
	}
	if err := errors.Join(p.Kill(), p.Kill()); err != nil || p.Running() {
		t.Errorf("killed: %v", err)
	}
	p.Command = func() *exec.Cmd { return exec.Command(filepath.Join(dir, "absent")) }
	if err := p.Start(); err == nil || p.Running() {
		t.Errorf("a program that is not there: %v", err)
	}
	if err := p.Kill(); err != nil {
		t.Error(err)
	}
}
