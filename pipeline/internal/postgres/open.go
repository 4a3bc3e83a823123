// Package postgres opens PostgreSQL databases for what the machines of a build share,
// brings their tables up to date and waits out restarts of the server.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
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
