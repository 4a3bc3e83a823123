package cli

import (
	"cmp"
	"context"
	"errors"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/cluster"
	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/explain"
	"github.com/memforge/memforge/pipeline/engine/local"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/runner"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/pipeline/release/signing"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/store/sharedstore"
)

// The exit codes; docs/exit-codes.md says when each is given and what to do.
const (
	exitOK          = 0
	exitUnexpected  = 1
	exitUsage       = 2
	exitConfig      = 3
	exitVerify      = 4
	exitLoss        = 5
	exitTool        = 6
	exitFetch       = 7
	exitBudget      = 8
	exitModel       = 9
	exitStore       = 10
	exitLicense     = 11
	exitDiffers     = 12
	exitErrored     = 13
	exitUnjudged    = 14
	exitSignature   = 15
	exitPartial     = 16
	exitForeign     = 17
	exitCluster     = 18
	exitInterrupted = 130
)

// exitCode maps an error to the code the process ends with. Among several
// joined errors the first case here wins.
func exitCode(err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, local.ErrInterrupted), errors.Is(err, context.Canceled), errors.Is(err, cluster.ErrCancelled):
		return exitInterrupted
	case is[*usageError](err), is[*assemble.NoNodeError](err), is[*runner.OtherRunError](err):
		return exitUsage
	case is[*config.Error](err), is[*configError](err), is[*pipeline.SettingError](err), is[*fetch.FolderError](err), is[*atomicfile.PlaceError](err):
		return exitConfig
	case is[*toolError](err), is[*media.MissingToolError](err), is[*runner.SystemError](err):
		return exitTool
	case is[*engine.ForeignError](err):
		return exitForeign
	case is[*engine.LossError](err), is[*assemble.WithheldError](err), is[*pipeline.ShortageError](err), errors.Is(err, release.ErrEmpty):
		return exitLoss
	case is[*engine.UnjudgedError](err):
		return exitUnjudged
	case is[*store.LockedError](err), is[*damageError](err), is[*store.DatabaseError](err), is[*sharedstore.BusyError](err), errors.Is(err, sharedstore.ErrLeaseLost), is[*postgres.OpenError](err), is[*pipeline.CorruptError](err), errors.Is(err, pipeline.ErrNoBlob):
		return exitStore
	case is[*assemble.PartialError](err), is[*assemble.WaitingError](err), is[*drivenError](err):
		return exitPartial
	case is[*model.BudgetError](err):
		return exitBudget
	case is[*model.ServerError](err), is[*model.RateError](err), is[*model.MissError](err):
		return exitModel
	case is[*license.Error](err):
		return exitLicense
	case fetching(err):
		return exitFetch
	case is[*signing.Error](err), is[*signing.KeyError](err), is[*release.SignedError](err):
		return exitSignature
	case is[*inputError](err), is[*ledger.TakenError](err), is[*release.DamagedError](err), is[*release.LimitError](err), is[*release.ReferenceError](err),
		is[*release.ExistsError](err), is[*export.ExistsError](err), is[*export.BuiltInError](err), is[*export.QuestionError](err), errors.Is(err, explain.ErrNoBuild), is[*explain.NotFoundError](err),
		is[*review.LineError](err), is[*review.UndecidedError](err), is[*release.UnreviewedError](err):
		return exitVerify
	}
	return auditCode(err)
}

// clusterCode is the exit code that an error had on the machine where it happened.
func clusterCode(err error) int {
	if f := (*cluster.Fault)(nil); errors.As(err, &f) {
		return cmp.Or(f.Code, exitUnexpected)
	}
	return exitCluster
}

// auditCode tells what differs from what could not be worked out again, and what went
// wrong on a cluster.
func auditCode(err error) int {
	var a *auditError
	switch {
	case is[*cluster.Fault](err), is[*engineError](err), is[*clusterstate.UnknownError](err):
		return clusterCode(err)
	case !errors.As(err, &a):
		return exitUnexpected
	case a.state == audit.Differs:
		return exitDiffers
	}
	return exitErrored
}

// fetching reports whether an upstream file could not be had.
func fetching(err error) bool {
	return is[*fetch.StatusError](err) || is[*fetch.ChangedError](err) || is[*fetch.ContentError](err) ||
		is[*fetch.OfflineError](err) || is[*fetch.RateLimitError](err) || is[*fetch.ListingError](err) || is[*fetch.HostError](err)
}

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}
