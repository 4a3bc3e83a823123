// Package postgres opens PostgreSQL databases for what the machines of a build share,
// brings their tables up to date and waits out restarts of the server.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// Migrations is a set of tables that is versioned by itself.
type Migrations struct {
	Name string
	// Steps make each version out of the one before it: the first makes version 1. A
	// step that was published is never changed.
	Steps []string
}

// OpenError says that a database could not be opened.
type OpenError struct {
	Place string
	Err   error
}

func (e *OpenError) Error() string { return fmt.Sprintf("open %s: %v", e.Place, e.Err) }

// Unwrap returns what went wrong.
func (e *OpenError) Unwrap() error { return e.Err }

// Open connects to a database and brings the tables of a part up to date. Several
// processes may do so at once: one at a time does.
func Open(ctx context.Context, p Location, part Migrations) (*pgxpool.Pool, error) {
	return p.open(ctx, part, p.migrate)
}

// OpenSQL is Open for those who use database/sql. The connections are its own.
func OpenSQL(ctx context.Context, p Location, part Migrations) (*sql.DB, error) {
	pool, err := Open(ctx, p, part)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	return stdlib.OpenDB(*pool.Config().ConnConfig), nil
}

// OpenReadOnly connects to a database whose tables are there. Nothing can be written
// through it. Without tables the error wraps fs.ErrNotExist.
func OpenReadOnly(ctx context.Context, p Location, part Migrations) (*pgxpool.Pool, error) {
	return p.open(ctx, part, p.check, "default_transaction_read_only")
}

func (p Location) open(ctx context.Context, part Migrations, ready func(context.Context, *pgxpool.Pool, Migrations) error, on ...string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(p.url.String())
	if err != nil {
		return nil, &OpenError{p.String(), err}
	}
	config.ConnConfig.RuntimeParams["search_path"] = p.Schema
	config.ConnConfig.RuntimeParams["application_name"] = "memforge"
	for _, name := range on {
		config.ConnConfig.RuntimeParams[name] = "on"
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 10 * time.Second
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, &OpenError{p.String(), err}
	}
	if err := ready(ctx, pool, part); err != nil {
		pool.Close()
		return nil, &OpenError{p.String(), err}
	}
	return pool, nil
}

// migrate runs the steps that are missing, all or none, while others wait.
func (p Location) migrate(ctx context.Context, pool *pgxpool.Pool, part Migrations) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, "memforge "+p.Schema); err != nil {
			return err
		}
		if err := p.makeSchema(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS versions (part text PRIMARY KEY, version integer NOT NULL)`); err != nil {
			return err
		}
		have, err := version(ctx, tx, part)
		if err != nil {
			return err
		}
		for n := have; n < len(part.Steps); n++ {
			if _, err := tx.Exec(ctx, part.Steps[n]); err != nil {
				return fmt.Errorf("make version %d of its %s: %w", n+1, part.Name, err)
			}
		}
		if have == len(part.Steps) {
			return nil
		}
		_, err = tx.Exec(ctx, `INSERT INTO versions VALUES ($1, $2)
			ON CONFLICT (part) DO UPDATE SET version = excluded.version`, part.Name, len(part.Steps))
		return err
	})
}

// makeSchema makes the schema unless it is there: who may not make one can be given it.
func (p Location) makeSchema(ctx context.Context, tx pgx.Tx) error {
	var there bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)`, p.Schema).Scan(&there)
	if err != nil || there {
		return err
	}
	_, err = tx.Exec(ctx, `CREATE SCHEMA `+p.Schema)
	return err
}

// version is that of a part's tables, 0 when there are none.
func version(ctx context.Context, tx interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, part Migrations) (n int, err error) {
	err = tx.QueryRow(ctx, `SELECT version FROM versions WHERE part = $1`, part.Name).Scan(&n)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	if err == nil && n > len(part.Steps) {
		err = fmt.Errorf("its %s has version %d and this memforge knows up to %d; use the memforge that made it", part.Name, n, len(part.Steps))
	}
	return n, err
}

// check wants the tables as this memforge knows them.
func (p Location) check(ctx context.Context, pool *pgxpool.Pool, part Migrations) error {
	var there bool
	if err := pool.QueryRow(ctx, `SELECT to_regclass('versions') IS NOT NULL`).Scan(&there); err != nil {
		return err
	}
	n := 0
	if there {
		var err error
		if n, err = version(ctx, pool, part); err != nil {
			return err
		}
	}
	switch {
	case n == 0:
		return fmt.Errorf("there is no %s in its schema %s; build something first: %w", part.Name, p.Schema, fs.ErrNotExist)
	case n < len(part.Steps):
		return fmt.Errorf("its %s has version %d and this memforge works with %d; a build changes it", part.Name, n, len(part.Steps))
	}
	return nil
}

// Location is a database as a URL names it: postgres://user@host:port/database, with
// schema=NAME for tables in another schema than memforge.
type Location struct {
	// Schema holds the tables.
	Schema string
	// Own are the parameters that the caller named as its own.
	Own url.Values

	url *url.URL // what is left for the database
}

// String returns the place as messages show it: no parameter is in it.
func (p Location) String() string {
	shown := *p.url
	shown.RawQuery = ""
	return shown.Redacted()
}

const defaultSchema = "memforge"

// schemaName is what needs no quotes: it stands in statements.
var schemaName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

// IsURL reports whether a URL names a database of this kind.
func IsURL(place string) bool {
	return strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://")
}

// Parse reads a URL. own are the names of parameters that the caller keeps; all
// others go to the database. A password in it is refused, because configurations are
// shared: PGPASSWORD and the file ~/.pgpass are read as other programs read them.
func Parse(place string, own ...string) (Location, error) {
	u, err := url.Parse(place)
	if err != nil || !IsURL(place) {
		return Location{}, fmt.Errorf("the URL of a database is not valid: %w", &atomicfile.URLError{URL: "postgres://", Scheme: "postgres"})
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Location{}, fmt.Errorf("%s://%s%s: its parameters are not valid: write %%3B for ; and %%26 for & in them", u.Scheme, u.Host, u.Path)
	}
	if _, has := u.User.Password(); has || q.Has("password") {
		return Location{}, fmt.Errorf("%s://%s%s: the URL holds a password; set PGPASSWORD or write it to ~/.pgpass", u.Scheme, u.Host, u.Path)
	}
	p := Location{Schema: defaultSchema, Own: url.Values{}}
	if s := q.Get("schema"); s != "" {
		p.Schema = s
	}
	if !schemaName.MatchString(p.Schema) {
		return Location{}, fmt.Errorf("schema=%s: use lower-case letters, digits and _", p.Schema)
	}
	for _, name := range append(slices.Clone(own), "schema") {
		if q.Has(name) {
			p.Own[name] = q[name]
			q.Del(name)
		}
	}
	u.RawQuery = q.Encode()
	p.url = u
	return p, nil
}

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
