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
	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/runner"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/diff"
	"github.com/memforge/memforge/pipeline/release/hydrate"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/release/publish"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/pipeline/release/signing"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/store/bucket"
	"github.com/memforge/memforge/pipeline/store/sharedstore"
	"github.com/memforge/memforge/pipeline/web"
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

type (
	// usageError is a command line that cannot be understood.
	usageError struct{ error }
	// configError is a configuration that cannot be read at all.
	configError struct{ error }
	// inputError says that the input of a command does not exist or cannot be used.
	inputError struct{ error }
	// engineError is a cluster engine that cannot be used.
	engineError struct{ error }
)

func (e *usageError) Unwrap() error  { return e.error }
func (e *configError) Unwrap() error { return e.error }
func (e *inputError) Unwrap() error  { return e.error }
func (e *engineError) Unwrap() error { return e.error }

// exitCode maps an error to the exit code of the process. Among several joined errors
// the first case here wins.
func exitCode(err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, local.ErrInterrupted), errors.Is(err, context.Canceled), errors.Is(err, cluster.ErrCancelled):
		return exitInterrupted
	case hasType[*usageError](err), hasType[*web.AddressError](err), hasType[*assemble.NoStepError](err), hasType[*runner.OtherRunError](err):
		return exitUsage
	case hasType[*config.Error](err), hasType[*configError](err), hasType[*pipeline.SettingError](err), hasType[*fetch.FolderError](err), hasType[*atomicfile.URLError](err):
		return exitConfig
	case hasType[*toolError](err), hasType[*media.MissingToolError](err), hasType[*bucket.NoDriverError](err), hasType[*runner.SystemError](err):
		return exitTool
	case hasType[*engine.ForeignError](err):
		return exitForeign
	case hasType[*engine.LossError](err), hasType[*assemble.WithheldError](err), hasType[*pipeline.ShortageError](err), errors.Is(err, release.ErrEmpty):
		return exitLoss
	case hasType[*engine.UnjudgedError](err):
		return exitUnjudged
	case hasType[*store.LockedError](err), hasType[*damageError](err), hasType[*store.DatabaseError](err), hasType[*sharedstore.BusyError](err), errors.Is(err, sharedstore.ErrLeaseLost), hasType[*postgres.OpenError](err), hasType[*pipeline.CorruptError](err), errors.Is(err, pipeline.ErrNoBlob):
		return exitStore
	case hasType[*assemble.PartialError](err), hasType[*assemble.WaitingError](err), hasType[*systemFailedError](err), hasType[*openQuestionsError](err):
		return exitPartial
	case hasType[*model.BudgetError](err):
		return exitBudget
	case hasType[*model.ServerError](err), hasType[*model.RateError](err), hasType[*model.MissError](err):
		return exitModel
	case hasType[*license.Error](err):
		return exitLicense
	case isFetchError(err):
		return exitFetch
	case hasType[*signing.Error](err), hasType[*signing.KeyError](err), hasType[*release.SignedError](err):
		return exitSignature
	case hasType[*inputError](err), hasType[*ledger.TakenError](err), hasType[*release.DamagedError](err), hasType[*release.LimitError](err), hasType[*release.ReferenceError](err), hasType[*release.ReferencedError](err),
		hasType[*hydrate.IncompleteError](err), hasType[*hydrate.OutError](err), hasType[*hydrate.FolderError](err),
		hasType[*release.ExistsError](err), hasType[*export.ExistsError](err), hasType[*export.BuiltInError](err), hasType[*export.QuestionError](err), hasType[*benchformat.SelectionError](err), errors.Is(err, explain.ErrNoBuild), hasType[*explain.NotFoundError](err),
		hasType[*publish.CheckError](err), hasType[*publish.TakenError](err), hasType[*fetch.ChangedFileError](err), hasType[*publish.BusyError](err), hasType[*publish.SpaceError](err),
		hasType[*assemble.NoRecipeError](err), hasType[*assemble.RecipeError](err), hasType[*assemble.InputsError](err), hasType[*diff.VersionError](err), hasType[*review.LineError](err), hasType[*review.UndecidedError](err), hasType[*release.UnreviewedError](err):
		return exitVerify
	}
	return auditCode(err)
}

// clusterCode returns the exit code that an error had on the machine where it happened.
func clusterCode(err error) int {
	if f := (*cluster.Fault)(nil); errors.As(err, &f) {
		return cmp.Or(f.Code, exitUnexpected)
	}
	return exitCluster
}

// auditCode tells what differs from what could not be recomputed, and from errors of a
// cluster.
func auditCode(err error) int {
	a := (*auditError)(nil)
	switch {
	case hasType[*cluster.Fault](err), hasType[*engineError](err), hasType[*clusterstate.UnknownError](err):
		return clusterCode(err)
	case hasType[*differsError](err):
		return exitDiffers
	case hasType[*assemble.OtherProgramError](err):
		return exitErrored
	case !errors.As(err, &a):
		return exitUnexpected
	case a.state == audit.Differs:
		return exitDiffers
	}
	return exitErrored
}

// isFetchError reports whether an upstream file could not be fetched.
func isFetchError(err error) bool {
	return hasType[*fetch.StatusError](err) || hasType[*fetch.ChangedError](err) || hasType[*fetch.ContentError](err) ||
		hasType[*fetch.OfflineError](err) || hasType[*fetch.RateLimitError](err) || hasType[*fetch.ListingError](err) || hasType[*fetch.HostError](err) ||
		hasType[*fetch.MovedError](err) || hasType[*publish.TokenError](err) || hasType[*publish.OriginError](err) || hasType[*bucket.UnavailableError](err)
}

func hasType[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}
