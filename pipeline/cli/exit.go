package cli

import (
	"context"
	"errors"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/config"
	"github.com/memforge/memforge/pipeline/run"
	"github.com/memforge/memforge/pipeline/store"
)

// The exit codes; docs/exit-codes.md says when each is given and what to do.
// 8 and 9 are kept for budgets and model servers.
const (
	exitOK          = 0
	exitUnexpected  = 1
	exitUsage       = 2
	exitConfig      = 3
	exitVerify      = 4
	exitLoss        = 5
	exitTool        = 6
	exitFetch       = 7
	exitStore       = 10
	exitInterrupted = 130
)

// exitCode maps an error to the code the process ends with. Among several
// joined errors the first case here wins.
func exitCode(err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, run.ErrInterrupted), errors.Is(err, context.Canceled):
		return exitInterrupted
	case is[*usageError](err):
		return exitUsage
	case is[*config.Error](err), is[*configError](err):
		return exitConfig
	case is[*toolError](err):
		return exitTool
	case is[*run.LossError](err):
		return exitLoss
	case is[*store.LockedError](err), is[*pipeline.CorruptError](err), errors.Is(err, pipeline.ErrNoBlob):
		return exitStore
	}
	return exitUnexpected
}

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}
