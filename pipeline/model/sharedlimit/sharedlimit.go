// Package sharedlimit keeps in PostgreSQL what processes on several machines share when
// they ask models: the limits of servers and the budget of a build.
package sharedlimit

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"time"

	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/limit"
)

func tables() postgres.Migrations {
	return postgres.Migrations{Name: "allowances", Steps: []string{`
CREATE TABLE allowances (
	name text PRIMARY KEY, kept bytea NOT NULL, version bigint NOT NULL, at timestamptz NOT NULL);
CREATE TABLE allowance_salt (one boolean PRIMARY KEY DEFAULT true CHECK (one), salt bytea NOT NULL);
`}}
}

// keptFor is how long a row stays without a change.
const keptFor = "30 days"

// State is a client.Board in a database.
type State struct {
	db   *sql.DB
	salt []byte
}

// OpenFor is the board of those who share a ledger, and closes it: that in its database, and
// nil for a ledger in a folder.
func OpenFor(ctx context.Context, ledger string) (client.SharedState, func() error, error) {
	if !postgres.IsURL(ledger) {
		return nil, func() error { return nil }, nil
	}
	b, err := Open(ctx, ledger)
	if err != nil {
		return nil, nil, err
	}
	return b, b.Close, nil
}

// Open opens the board in the database that a URL names, and makes it when it is new.
func Open(ctx context.Context, url string) (*State, error) {
	place, err := postgres.Parse(url)
	if err != nil {
		return nil, fmt.Errorf("open the allowances: %w", err)
	}
	db, err := postgres.OpenSQL(ctx, place, tables())
	if err != nil {
		return nil, fmt.Errorf("open the allowances: %w", err)
	}
	// A server has a hundred for all.
	db.SetMaxOpenConns(2)
	b := &State{db: db}
	if err := postgres.Retry(ctx, func() error { return b.prepare(ctx) }); err != nil {
		return nil, fmt.Errorf("open the allowances: %w", errors.Join(err, db.Close()))
	}
	return b, nil
}

// prepare reads the salt, which the first makes, and removes what is old.
func (b *State) prepare(ctx context.Context) error {
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return err
	}
	if _, err := b.db.ExecContext(ctx, `INSERT INTO allowance_salt (salt) VALUES ($1) ON CONFLICT DO NOTHING`, salt); err != nil {
		return err
	}
	if err := b.db.QueryRowContext(ctx, `SELECT salt FROM allowance_salt`).Scan(&b.salt); err != nil {
		return err
	}
	_, err := b.db.ExecContext(ctx, `DELETE FROM allowances WHERE at < clock_timestamp() - $1::interval`, keptFor)
	return err
}

// Conceal is a name for a secret from which the secret cannot be found: so little is
// kept of a salted digest that billions of secrets have the same name.
func (b *State) Conceal(secret string) string {
	sum := sha256.Sum256(append(bytes.Clone(b.salt), secret...))
	return hex.EncodeToString(sum[:4])
}

// Change implements limit.Board. It holds no lock, so that a process that is stopped in
// the middle stops no other: a process that finds that another one was quicker begins anew.
func (b *State) Change(ctx context.Context, name string, change func(kept []byte, now time.Time) ([]byte, error)) error {
	return postgres.Retry(ctx, func() error {
		for most := time.Millisecond; ; most = min(2*most, 50*time.Millisecond) {
			if done, err := b.tryChange(ctx, name, change); done || err != nil {
				return err
			}
			if err := limit.Sleep(ctx, mathrand.N(most)); err != nil {
				return err
			}
		}
	})
}

// tryChange changes a row unless another process changes it meanwhile.
func (b *State) tryChange(ctx context.Context, name string, change func([]byte, time.Time) ([]byte, error)) (done bool, err error) {
	var had []byte
	var version int64
	var now time.Time
	err = b.db.QueryRowContext(ctx, `SELECT kept, coalesce(version, 0), clock_timestamp()
		FROM (SELECT $1::text AS name) AS asked LEFT JOIN allowances USING (name)`, name).Scan(&had, &version, &now)
	if err != nil {
		return false, err
	}
	next, err := change(had, now.UTC())
	if err != nil {
		return false, err
	}
	set := `UPDATE allowances SET kept = $2, version = $3 + 1, at = clock_timestamp() WHERE name = $1 AND version = $3`
	if version == 0 {
		set = `INSERT INTO allowances VALUES ($1, $2, $3 + 1, clock_timestamp()) ON CONFLICT DO NOTHING`
	}
	res, err := b.db.ExecContext(ctx, set, name, next, version)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// Close ends the connections.
func (b *State) Close() error { return b.db.Close() }
