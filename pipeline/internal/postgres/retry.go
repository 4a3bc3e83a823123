package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// maxOutage is how long a server may be away: a restart takes seconds.
const maxOutage = 2 * time.Minute

// UnavailableError says that a server was away for longer than patience.
type UnavailableError struct{ Err error }

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("the database was away for %s: %v", maxOutage, e.Err)
}

// Unwrap returns what the last attempt gave.
func (e *UnavailableError) Unwrap() error { return e.Err }

// Retry calls try again while the server is away, restarts, or had to choose
// between two transactions. It may have done its work although it failed: try must be
// harmless when it is done twice. A server that stays away is an *UnavailableError.
func Retry(ctx context.Context, try func() error) error {
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.MaxInterval = 20*time.Millisecond, 2*time.Second
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := try()
		if err != nil && !IsTransient(err) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(wait), backoff.WithMaxElapsedTime(maxOutage))
	if err != nil && ctx.Err() == nil && IsTransient(err) {
		return &UnavailableError{err}
	}
	return err
}

// IsTransient reports whether an error says that the same may go well later.
func IsTransient(err error) bool {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		switch said.Code {
		case "57P01", "57P02", "57P03", "53300", "40001", "40P01":
			return true // shut down, crashed, starting, full, serialisation, deadlock
		}
		return strings.HasPrefix(said.Code, "08") // of the connection
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ENOENT) ||
		errors.Is(err, pgconn.ErrConnClosed) || pgconn.SafeToRetry(err)
}
