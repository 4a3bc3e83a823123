package cluster

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// RunLogged does what a handler does, turns a panic into an error, and tells the log what
// came of it: an engine is told of no error more than that there was one.
func RunLogged(log *slog.Logger, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		if err != nil {
			log.Error("work failed", "error", err)
		}
	}()
	return do()
}
