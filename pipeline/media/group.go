//go:build unix

package media

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// stopGently gives the command a process group of its own. When its context
// ends the group is interrupted, so that ffmpeg can close its files, and
// killed after the grace period. The returned function must be called when the
// command has ended.
func stopGently(cmd *exec.Cmd, grace time.Duration) (release func()) {
	cmd.SysProcAttr = childAttributes()
	// Wait gives up on the pipes one second after the kill, should a
	// grandchild that left the group hold them open.
	cmd.WaitDelay = grace + time.Second
	done := make(chan struct{})
	cmd.Cancel = func() error {
		group := -cmd.Process.Pid
		if err := syscall.Kill(group, syscall.SIGINT); err != nil {
			return alreadyGone(err)
		}
		go func() {
			select {
			case <-done:
			case <-time.After(grace):
				// The group still exists: its leader has not been waited for.
				_ = syscall.Kill(group, syscall.SIGKILL)
			}
		}()
		return nil
	}
	return func() { close(done) }
}

func alreadyGone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
