// Package board is where the machines of a cluster see what the others do: tables, in
// the database of the shared store, of the builds that were ordered, of the workers
// that live, and of the tasks that travel. All times are those of the database.
package clusterstate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/postgres"
)

var tables = postgres.Migrations{Name: "board", Steps: []string{`
CREATE TABLE ordered (
	id text PRIMARY KEY, name text NOT NULL, queue text NOT NULL, body bytea NOT NULL,
	state text NOT NULL, times bigint NOT NULL DEFAULT 1, fence bigint NOT NULL DEFAULT 0, driver text NOT NULL DEFAULT '', until timestamptz,
	cancel boolean NOT NULL DEFAULT false, began timestamptz NOT NULL, ended timestamptz,
	progress bytea, outcome bytea);
CREATE TABLE workers (id text PRIMARY KEY, body bytea NOT NULL, until timestamptz NOT NULL);
CREATE TABLE parcels (digest bytea PRIMARY KEY, body bytea NOT NULL, reply bytea, at timestamptz NOT NULL);
CREATE TABLE board (id uuid NOT NULL);
INSERT INTO board VALUES (gen_random_uuid());
`}}

// SharedState is an open board. It is safe for concurrent use.
type SharedState struct {
	// ID tells boards apart: several clusters may use one engine.
	ID string
	db *pgxpool.Pool
}

// Open opens the board in the database of a shared store.
func Open(ctx context.Context, store string) (*SharedState, error) {
	// The other parameters are those of the store alone.
	place, err := postgres.Parse(store, "bucket", "cache", "cache_mb")
	if err != nil {
		return nil, fmt.Errorf("several machines need a store that they share: %w", err)
	}
	db, err := postgres.Open(ctx, place, tables)
	if err != nil {
		return nil, err
	}
	b := &SharedState{db: db}
	if _, err := b.row(ctx, []any{&b.ID}, `SELECT id::text FROM board`); err != nil {
		db.Close()
		return nil, fmt.Errorf("open the board of %s: %w", place, err)
	}
	return b, nil
}

// Close closes the board.
func (b *SharedState) Close() { b.db.Close() }

// exec runs a statement that does no harm when it is run twice, and says how many rows
// it met.
func (b *SharedState) exec(ctx context.Context, sql string, args ...any) (n int64, err error) {
	err = postgres.Retry(ctx, func() error {
		tag, err := b.db.Exec(ctx, sql, args...)
		n = tag.RowsAffected()
		return err
	})
	return n, err
}

// row reads one row; it reports false where there is none.
func (b *SharedState) row(ctx context.Context, to []any, sql string, args ...any) (ok bool, err error) {
	err = postgres.Retry(ctx, func() error {
		err := b.db.QueryRow(ctx, sql, args...).Scan(to...)
		ok = err == nil
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return ok, err
}

// batchRetention is how long a parcel that nobody took back is kept.
const batchRetention = 7 * 24 * time.Hour

// PutBatch lays a parcel down, for Parcel, and gives the digest that names it.
func (b *SharedState) PutBatch(ctx context.Context, body []byte) (pipeline.Digest, error) {
	d := pipeline.DigestOf(body)
	id, err := raw(d)
	if err != nil {
		return "", err
	}
	if _, err := b.exec(ctx, `INSERT INTO parcels VALUES ($1, $2, NULL, clock_timestamp())
		ON CONFLICT (digest) DO UPDATE SET at = clock_timestamp()`, id, body); err != nil {
		return "", fmt.Errorf("put parcel %s: %w", d, err)
	}
	return d, nil
}

// ErrNoBatch says that a parcel is not there: it was answered and taken back.
var ErrNoBatch = errors.New("the parcel is not there any more: who sent it has its reply or gave it up")

// Batch reads a parcel.
func (b *SharedState) Batch(ctx context.Context, d pipeline.Digest) (body []byte, err error) {
	return b.read(ctx, "body", d)
}

// PutReply lays the reply to a parcel down and gives its digest. The last one counts.
func (b *SharedState) PutReply(ctx context.Context, d pipeline.Digest, reply []byte) (pipeline.Digest, error) {
	id, err := raw(d)
	if err != nil {
		return "", err
	}
	n, err := b.exec(ctx, `UPDATE parcels SET reply = $2 WHERE digest = $1`, id, reply)
	if err == nil && n == 0 {
		err = ErrNoBatch
	}
	if err != nil {
		return "", fmt.Errorf("answer parcel %s: %w", d, err)
	}
	return pipeline.DigestOf(reply), nil
}

// Reply reads the reply to a parcel.
func (b *SharedState) Reply(ctx context.Context, d pipeline.Digest) ([]byte, error) {
	return b.read(ctx, "reply", d)
}

func (b *SharedState) read(ctx context.Context, column string, d pipeline.Digest) (body []byte, err error) {
	id, err := raw(d)
	if err != nil {
		return nil, err
	}
	ok, err := b.row(ctx, []any{&body}, `SELECT `+column+` FROM parcels WHERE digest = $1 AND `+column+` IS NOT NULL`, id)
	if err == nil && !ok {
		err = ErrNoBatch
	}
	if err != nil {
		return nil, fmt.Errorf("read the %s of parcel %s: %w", column, d, err)
	}
	return body, nil
}

// DropBatch takes parcels back, and those that were forgotten long ago.
func (b *SharedState) DropBatch(ctx context.Context, d pipeline.Digest) error {
	id, err := raw(d)
	if err == nil {
		_, err = b.exec(ctx, `DELETE FROM parcels WHERE digest = $1 OR at < clock_timestamp() - $2 * interval '1 millisecond'`, id, batchRetention.Milliseconds())
	}
	if err != nil {
		return fmt.Errorf("take parcel %s back: %w", d, err)
	}
	return nil
}

func raw(d pipeline.Digest) ([]byte, error) {
	sum, err := pipeline.RawDigest(d)
	return sum[:], err
}

// Worker is one that lives.
type Worker struct {
	ID string `json:"id"`
	// Program is what Queues are named by, see cluster.Program, and Versions is what it
	// is made of, for people.
	Program  string            `json:"program"`
	Versions map[string]string `json:"versions"`
	// Slots is how many tasks it runs at once, by resource; Drives that it drives builds.
	Slots  map[pipeline.Resource]int `json:"slots"`
	Drives bool                      `json:"drives"`
}

// Announce says that a worker lives, for a while.
func (b *SharedState) Announce(ctx context.Context, w Worker, lasts time.Duration) error {
	body, err := json.Marshal(w)
	if err != nil {
		return fmt.Errorf("announce worker %s: %w", w.ID, err)
	}
	_, err = b.exec(ctx, `INSERT INTO workers VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
		ON CONFLICT (id) DO UPDATE SET body = excluded.body, until = excluded.until`, w.ID, body, lasts.Milliseconds())
	if err != nil {
		return fmt.Errorf("announce worker %s: %w", w.ID, err)
	}
	return nil
}

// Leave takes a worker off, and those that said nothing for long.
func (b *SharedState) Leave(ctx context.Context, id string) error {
	_, err := b.exec(ctx, `DELETE FROM workers WHERE id = $1 OR until < clock_timestamp()`, id)
	return err
}

// Workers lists those that live, by id.
func (b *SharedState) Workers(ctx context.Context) (all []Worker, err error) {
	err = postgres.Retry(ctx, func() error {
		rows, err := b.db.Query(ctx, `SELECT body FROM workers WHERE until > clock_timestamp() ORDER BY id`)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (w Worker, err error) {
			var body []byte
			if err = r.Scan(&body); err == nil {
				err = json.Unmarshal(body, &w)
			}
			return w, err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list workers: %w", err)
	}
	return all, nil
}
