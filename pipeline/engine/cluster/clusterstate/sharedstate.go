// Package clusterstate is where the machines of a cluster see what the others do: tables, in
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

// SharedState is the open state of a cluster. It is safe for concurrent use.
type SharedState struct {
	// ID tells clusters apart: several clusters may use one engine.
	ID string
	db *pgxpool.Pool
}

// Open opens the state in the database of a shared store.
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
		return nil, fmt.Errorf("open the state of the cluster in %s: %w", place, err)
	}
	return b, nil
}

// Close closes the connection.
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

// batchRetention is how long a batch is kept that was not taken back.
const batchRetention = 7 * 24 * time.Hour

// PutBatch lays a batch down, for Batch, and gives the digest that names it.
func (b *SharedState) PutBatch(ctx context.Context, body []byte) (pipeline.Digest, error) {
	d := pipeline.DigestOf(body)
	id, err := raw(d)
	if err != nil {
		return "", err
	}
	if _, err := b.exec(ctx, `INSERT INTO parcels VALUES ($1, $2, NULL, clock_timestamp())
		ON CONFLICT (digest) DO UPDATE SET at = clock_timestamp()`, id, body); err != nil {
		return "", fmt.Errorf("put batch %s: %w", d, err)
	}
	return d, nil
}

// ErrNoBatch says that a batch is not there: it was answered and taken back.
var ErrNoBatch = errors.New("the batch is not there any more: who sent it has its reply or gave it up")

// Batch reads a batch.
func (b *SharedState) Batch(ctx context.Context, d pipeline.Digest) (body []byte, err error) {
	return b.read(ctx, "body", d)
}

// PutReply lays the reply to a batch down and gives its digest. The last one counts.
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
		return "", fmt.Errorf("answer batch %s: %w", d, err)
	}
	return pipeline.DigestOf(reply), nil
}

// Reply reads the reply to a batch.
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
		return nil, fmt.Errorf("read the %s of batch %s: %w", column, d, err)
	}
	return body, nil
}

// DropBatch takes batches back, and those that were forgotten long ago.
func (b *SharedState) DropBatch(ctx context.Context, d pipeline.Digest) error {
	id, err := raw(d)
	if err == nil {
		_, err = b.exec(ctx, `DELETE FROM parcels WHERE digest = $1 OR at < clock_timestamp() - $2 * interval '1 millisecond'`, id, batchRetention.Milliseconds())
	}
	if err != nil {
		return fmt.Errorf("take batch %s back: %w", d, err)
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

// BuildState of a build that was ordered.
type BuildState string

// The states. A build that ended can be ordered again.
const (
	Queued    BuildState = "queued"
	Running   BuildState = "running"
	Done      BuildState = "done"
	Failed    BuildState = "failed"
	Cancelled BuildState = "cancelled"
)

// Ended reports whether the build is over.
func (s BuildState) Ended() bool { return s == Done || s == Failed || s == Cancelled }

// Build is one that was ordered.
type Build struct {
	ID, Name, Queue string
	State           BuildState
	// Driver is the worker that drives it, or drove it last.
	Driver string
	Began  time.Time
	// Took is how long it has been at work.
	Took time.Duration
	// Progress and Outcome are what its driver said last, and at its end.
	Progress, Outcome []byte
}

// cancelledWithoutDriver holds for a build that was cancelled while its driver had died or could not say
// that it ended.
const cancelledWithoutDriver = `(ordered.cancel AND ordered.state = '` + string(Running) + `' AND (ordered.until IS NULL OR ordered.until <= clock_timestamp()))`

// buildRetention is how long builds that ended are listed.
const buildRetention = 30 * 24 * time.Hour

// Submit lists a build to be driven, unless it is already. body is what its driver needs.
// Builds that ended long ago are taken off the list.
func (b *SharedState) Submit(ctx context.Context, id, name, queue string, body []byte) error {
	_, err := b.exec(ctx, `DELETE FROM ordered WHERE ended < clock_timestamp() - $1 * interval '1 millisecond' AND id <> $2`, buildRetention.Milliseconds(), id)
	if err != nil {
		return fmt.Errorf("order build %s: %w", id, err)
	}
	_, err = b.exec(ctx, `INSERT INTO ordered (id, name, queue, body, state, began) VALUES ($1, $2, $3, $4, $5, clock_timestamp())
		ON CONFLICT (id) DO UPDATE SET state = $5, times = ordered.times + 1, cancel = false, began = clock_timestamp(), ended = NULL, progress = NULL, outcome = NULL
		WHERE ordered.state IN ($6, $7, $8) OR `+cancelledWithoutDriver, id, name, queue, body, Queued, Done, Failed, Cancelled)
	if err != nil {
		return fmt.Errorf("order build %s: %w", id, err)
	}
	return nil
}

// UnknownError says that no build of an id was ordered.
type UnknownError struct{ ID string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("no build %s was ordered on this store; `memforge builds` lists them", e.ID)
}

// Spec returns what a build was ordered with.
func (b *SharedState) Spec(ctx context.Context, id string) (body []byte, err error) {
	ok, err := b.row(ctx, []any{&body}, `SELECT body FROM ordered WHERE id = $1`, id)
	if err == nil && !ok {
		err = &UnknownError{id}
	}
	return body, err
}

// Build returns the build of an id.
func (b *SharedState) Build(ctx context.Context, id string) (Build, error) {
	all, err := b.builds(ctx, `coalesce(progress, ''), coalesce(outcome, '')`, `WHERE id = $1`, id)
	if err == nil && len(all) == 0 {
		err = &UnknownError{id}
	}
	if err != nil {
		return Build{}, err
	}
	return all[0], nil
}

// Builds lists all builds, the newest first, without progress and outcome.
func (b *SharedState) Builds(ctx context.Context) ([]Build, error) {
	return b.builds(ctx, `''::bytea, ''::bytea`, `ORDER BY began DESC, id`)
}

func (b *SharedState) builds(ctx context.Context, said, which string, args ...any) (all []Build, err error) {
	err = postgres.Retry(ctx, func() error {
		rows, err := b.db.Query(ctx, `SELECT id, name, queue, CASE WHEN `+cancelledWithoutDriver+` THEN '`+string(Cancelled)+`' ELSE state END, driver, began,
			extract(epoch FROM coalesce(ended, clock_timestamp()) - began)::float8, `+said+` FROM ordered `+which, args...)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (x Build, err error) {
			var seconds float64
			err = r.Scan(&x.ID, &x.Name, &x.Queue, &x.State, &x.Driver, &x.Began, &seconds, &x.Progress, &x.Outcome)
			x.Took = time.Duration(seconds * float64(time.Second))
			return x, err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list builds: %w", err)
	}
	return all, nil
}

// Cancel asks the driver of a build to end it, and ends one without a driver.
func (b *SharedState) Cancel(ctx context.Context, id string) error {
	if _, err := b.Build(ctx, id); err != nil {
		return err
	}
	_, err := b.exec(ctx, `UPDATE ordered SET cancel = true,
			state = CASE WHEN until > clock_timestamp() THEN state ELSE $2 END,
			ended = CASE WHEN until > clock_timestamp() THEN ended ELSE clock_timestamp() END
		WHERE id = $1 AND state IN ($3, $4)`, id, Cancelled, Queued, Running)
	return err
}

// Lease is the right to drive a build. Times is how often the build was ordered. It runs out unless it is renewed, and each has a
// number that is larger than those before: a holder of a smaller one changes nothing more.
type Lease struct {
	Times int64
	state *SharedState
	id    string
	fence int64
	lasts time.Duration
}

var (
	// ErrHeld says that another worker drives the build.
	ErrHeld = errors.New("another worker drives this build")
	// ErrLost says that a lease ran out, and another worker may have one.
	ErrLost = errors.New("this worker said nothing for too long and does not drive the build any more")
	// ErrEnded says that a build is to be driven no more.
	ErrEnded = errors.New("the build has ended")
)

// TakeLease takes the lease of a build for a driver.
func (b *SharedState) TakeLease(ctx context.Context, id, driver string, lasts time.Duration) (*Lease, error) {
	l := &Lease{state: b, id: id, lasts: lasts}
	ok, err := b.row(ctx, []any{&l.fence, &l.Times}, `UPDATE ordered
		SET fence = fence + 1, driver = $2, until = clock_timestamp() + $3 * interval '1 millisecond', state = $4
		WHERE id = $1 AND state IN ($4, $5) AND (until IS NULL OR until <= clock_timestamp() OR driver = $2)
		RETURNING fence, times`, id, driver, lasts.Milliseconds(), Running, Queued)
	switch {
	case err != nil:
		return nil, fmt.Errorf("take build %s: %w", id, err)
	case ok:
		return l, nil
	}
	now, err := b.Build(ctx, id)
	if err == nil && now.State.Ended() {
		return nil, ErrEnded
	}
	return nil, errors.Join(err, ErrHeld)
}

// Renew keeps the lease and says how far the build is. It reports whether it is to end.
func (l *Lease) Renew(ctx context.Context, progress []byte) (cancel bool, err error) {
	ok, err := l.state.row(ctx, []any{&cancel}, `UPDATE ordered
		SET until = clock_timestamp() + $3 * interval '1 millisecond', progress = $4
		WHERE id = $1 AND fence = $2 AND state = $5 RETURNING cancel`, l.id, l.fence, l.lasts.Milliseconds(), progress, Running)
	if err == nil && !ok {
		err = ErrLost
	}
	return cancel, err
}

// Yield gives the lease back, so that another worker can take it at once.
func (l *Lease) Yield(ctx context.Context) error {
	_, err := l.state.exec(ctx, `UPDATE ordered SET until = NULL WHERE id = $1 AND fence = $2`, l.id, l.fence)
	return err
}

// End says how the build ended.
func (l *Lease) End(ctx context.Context, s BuildState, progress, outcome []byte) error {
	n, err := l.state.exec(ctx, `UPDATE ordered SET state = $3, progress = $4, outcome = $5, ended = clock_timestamp(), until = NULL
		WHERE id = $1 AND fence = $2`, l.id, l.fence, s, progress, outcome)
	if err == nil && n == 0 {
		err = ErrLost
	}
	return err
}
