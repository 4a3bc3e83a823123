package testpostgres

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/memforge/memforge/pipeline/testkit/testwait"
)

// StartChild starts a server that ends with this process, however that ends, where the system
// can see to it. Somebody waits for it.
func StartChild(cmd *exec.Cmd) error {
	_, err := startChild(cmd)
	return err
}

// startChild is Child, and tells when it has ended.
func startChild(cmd *exec.Cmd) (ended <-chan struct{}, err error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	endWithParent(cmd.SysProcAttr)
	failed, done := make(chan error, 1), make(chan struct{})
	go func() {
		// The parent is the thread that started it.
		runtime.LockOSThread()
		err := cmd.Start()
		failed <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(done)
	}()
	return done, <-failed
}

// Process is a server that is killed and started again, at one address.
type Process struct {
	// Command is what starts it, made anew each time.
	Command func() *exec.Cmd
	// Ready is no error once it answers.
	Ready func() error

	cmd   *exec.Cmd
	ended <-chan struct{}
}

// startTimeout is how long a server may take until it answers.
const startTimeout = 40 * time.Second

// Start starts it and waits until it answers. One that ends before is started again:
// somebody else's connection may hold its port for a moment.
func (p *Process) Start() error {
	var failed, unready error
	answered := testwait.Poll(startTimeout, func() bool {
		if p.cmd == nil || p.hasEnded() {
			cmd := p.Command()
			var ended <-chan struct{}
			if ended, failed = startChild(cmd); failed != nil {
				return true
			}
			p.cmd, p.ended = cmd, ended
		}
		unready = p.Ready()
		return unready == nil
	})
	if !answered {
		return errors.Join(fmt.Errorf("%s does not answer: %w", p.cmd.Path, unready), p.Kill())
	}
	return failed
}

func (p *Process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// Running reports whether it was started and not killed since.
func (p *Process) Running() bool { return p.cmd != nil }

// PID is the process that was started last.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Kill ends it as a crash does, and waits until its port and files are given back.
func (p *Process) Kill() error {
	if p.cmd == nil {
		return nil
	}
	err := p.cmd.Process.Signal(syscall.SIGKILL)
	<-p.ended
	p.cmd = nil
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
