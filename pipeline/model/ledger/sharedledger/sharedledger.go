// Package sharedledger is the kind of ledger that any number of machines use at once: its
// tables are in PostgreSQL.
package sharedledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/model/ledger"
)

// tables are those of format 4, see FORMAT.md.
func tables() postgres.Migrations {
	return postgres.Migrations{Name: "ledger", Steps: []string{`
CREATE TABLE calls (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	key bytea NOT NULL UNIQUE,
	at bigint NOT NULL,
	host text NOT NULL, model text NOT NULL, task text NOT NULL,
	node text NOT NULL, item text NOT NULL,
	outcome text NOT NULL,
	input bigint NOT NULL, cached bigint NOT NULL, output bigint NOT NULL,
	reply bytea NOT NULL, sum bytea NOT NULL);
CREATE INDEX calls_by_task ON calls (task, item, id);
CREATE TABLE requests (call bigint PRIMARY KEY REFERENCES calls ON DELETE CASCADE, request bytea NOT NULL);
CREATE TABLE pending (
	key bytea PRIMARY KEY, name text NOT NULL, node text NOT NULL, item text NOT NULL,
	request bytea NOT NULL, body bytea NOT NULL, batch text NOT NULL DEFAULT '');
CREATE INDEX pending_by_batch ON pending (batch);
CREATE TABLE batches (id text PRIMARY KEY, name text NOT NULL, state text NOT NULL, requests bigint NOT NULL);
CREATE TABLE corrected (
	key bytea PRIMARY KEY, host text NOT NULL, model text NOT NULL, task text NOT NULL, times bigint NOT NULL);
CREATE TABLE claims (key bytea PRIMARY KEY, owner text NOT NULL, until timestamptz NOT NULL);
CREATE INDEX claims_by_owner ON claims (owner);
`}}
}

// Open opens the ledger in a database, and makes it when it is new.
func Open(ctx context.Context, url string) (*ledger.Ledger, error) {
	l, err := open(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	return l, nil
}

func open(ctx context.Context, url string) (*ledger.Ledger, error) {
	place, err := postgres.Parse(url)
	if err != nil {
		return nil, err
	}
	read, err := postgres.OpenSQL(ctx, place, tables())
	if err != nil {
		return nil, err
	}
	// A server has a hundred for all.
	read.SetMaxOpenConns(8)
	read.SetMaxIdleConns(8)
	write, err := postgres.OpenSQL(ctx, place, tables())
	if err != nil {
		return nil, errors.Join(err, read.Close())
	}
	write.SetMaxOpenConns(1)
	claims, err := newLeases(read, ledger.Lease)
	if err != nil {
		return nil, errors.Join(err, read.Close(), write.Close())
	}
	return ledger.NewOverDatabase(ctx, ledger.Database{
		Read: read, Write: write, Claims: claims,
		Wait:   postgres.Retry,
		Shrink: func(context.Context, *sql.DB) error { return nil }, // the server does
	})
}

// leases are claims in PostgreSQL. They end by its clock alone: a process cannot see whether
// an owner on another machine lives.
type leases struct {
	db    *sql.DB
	owner string
	lease time.Duration

	mu    sync.Mutex
	end   chan struct{} // closed to stop the renewing; nil before the first claim
	ended chan struct{}
}

func newLeases(db *sql.DB, lease time.Duration) (*leases, error) {
	owner, err := ledger.NewOwner()
	return &leases{db: db, owner: owner, lease: lease}, err
}

// Claim writes all claims in one statement, in one order for all who claim, and keeps
// them if there are as many as keys.
func (c *leases) Claim(ctx context.Context, keys []pipeline.Key) (bool, error) {
	raw, err := distinctKeys(keys)
	if err != nil || len(raw) == 0 {
		return err == nil, err
	}
	c.startRenewing()
	taken := false
	err = postgres.Retry(ctx, func() error {
		taken, err = c.claimAll(ctx, raw)
		return err
	})
	return taken, err
}

func (c *leases) claimAll(ctx context.Context, keys [][]byte) (bool, error) {
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	res, err := tx.ExecContext(ctx, `INSERT INTO claims
		SELECT key, $2, clock_timestamp() + $3 * interval '1 millisecond' FROM unnest($1::bytea[]) AS asked(key) ORDER BY key
		ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, until = excluded.until
		WHERE claims.owner = excluded.owner OR claims.until <= clock_timestamp()`, keys, c.owner, c.lease.Milliseconds())
	if err != nil {
		return false, errors.Join(err, tx.Rollback())
	}
	n, err := res.RowsAffected()
	if err != nil || n != int64(len(keys)) {
		return false, errors.Join(err, tx.Rollback())
	}
	return true, tx.Commit()
}

func (c *leases) CountClaimedByOthers(ctx context.Context, keys []pipeline.Key) (n int, err error) {
	raw, err := distinctKeys(keys)
	if err != nil {
		return 0, err
	}
	err = postgres.Retry(ctx, func() error {
		return c.db.QueryRowContext(ctx, `SELECT count(*) FROM claims
			WHERE key = ANY($1::bytea[]) AND owner <> $2 AND until > clock_timestamp()`, raw, c.owner).Scan(&n)
	})
	return n, err
}

func (c *leases) Release(ctx context.Context, keys []pipeline.Key) error {
	raw, err := distinctKeys(keys)
	if err != nil {
		return err
	}
	return postgres.Retry(ctx, func() error {
		_, err := c.db.ExecContext(ctx, `DELETE FROM claims WHERE key = ANY($1::bytea[]) AND owner = $2`, raw, c.owner)
		return err
	})
}

func (c *leases) startRenewing() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end == nil {
		c.end, c.ended = make(chan struct{}), make(chan struct{})
		go c.renew(c.end, c.ended)
	}
}

// renew renews the claims of the owner. Where that fails, a request may be asked twice.
func (c *leases) renew(end, ended chan struct{}) {
	defer close(ended)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { <-end; cancel() }()
	tick := time.NewTicker(c.lease / 4)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = postgres.Retry(ctx, func() error {
				_, err := c.db.ExecContext(ctx, `UPDATE claims SET until = clock_timestamp() + $1 * interval '1 millisecond'
					WHERE owner = $2`, c.lease.Milliseconds(), c.owner)
				return err
			})
		case <-end:
			return
		}
	}
}

// Close gives all claims back.
func (c *leases) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end == nil {
		return nil
	}
	close(c.end)
	<-c.ended
	c.end = nil
	_, err := c.db.Exec(`DELETE FROM claims WHERE owner = $1 OR until <= clock_timestamp()`, c.owner)
	return err
}

func distinctKeys(keys []pipeline.Key) ([][]byte, error) {
	keys = slices.Compact(slices.Sorted(slices.Values(keys)))
	raw := make([][]byte, len(keys))
	for i, k := range keys {
		b, err := pipeline.RawDigest(k)
		if err != nil {
			return nil, err
		}
		raw[i] = b[:]
	}
	return raw, nil
}
