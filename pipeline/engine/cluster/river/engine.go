//go:build river

// Package river carries builds and batches of tasks by PostgreSQL alone: each is a job
// of River's. Its tables hold names, digests, numbers and fixed words; what went wrong
// stands in the log of the worker it went wrong at. A job that goes to another worker
// gets another number, so what River still writes for the first one meets no row.
package river

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster"
	"github.com/memforge/memforge/pipeline/internal/postgres"
)

// Engine is a cluster.Engine by a database.
type Engine struct {
	pool          *pgxpool.Pool
	client        *river.Client[pgx.Tx] // for inserting
	log           *slog.Logger
	drain         time.Duration // how long a worker that ends lets batches go on
	beat, silence time.Duration // how often workers say that they live, and when silence is death
	waits         chan wait
	close         context.CancelFunc
}

// Dial connects to the database that a URL names as postgres:// would, with river:// in
// its place, and brings River's tables in a schema of their own up to date.
func Dial(ctx context.Context, raw string, log slog.Handler, drain time.Duration) (*Engine, error) {
	e := &Engine{log: slog.New(cluster.LimitRepeats(log)), drain: drain, beat: 4 * time.Second, silence: 20 * time.Second, waits: make(chan wait)}
	p, err := postgres.Parse("postgres" + strings.TrimPrefix(raw, "river"))
	if err == nil {
		p.Schema += "_river"
		workers := postgres.Migrations{Name: "table of workers", Steps: []string{`CREATE TABLE workers (id text PRIMARY KEY, at timestamptz NOT NULL)`}}
		e.pool, err = postgres.Open(ctx, p, workers)
	}
	if err != nil {
		return nil, fmt.Errorf("connect to River: %w", err)
	}
	if e.client, err = river.NewClient(riverpgxv5.New(e.pool), &river.Config{Logger: e.log}); err == nil {
		err = e.migrate(ctx, p.Schema)
	}
	if err != nil {
		e.pool.Close()
		return nil, fmt.Errorf("make River's tables in %s: %w", p, err)
	}
	ctx, e.close = context.WithCancel(context.WithoutCancel(ctx))
	go e.pollJobs(ctx)
	return e, nil
}

// migrate has River bring its tables up to date, while other processes wait. Its steps
// cannot share one transaction.
func (e *Engine) migrate(ctx context.Context, schema string) error {
	m, err := rivermigrate.New(riverpgxv5.New(e.pool), &rivermigrate.Config{Logger: e.log})
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, e.pool, func(lock pgx.Tx) error {
		if _, err := lock.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, "memforge "+schema); err != nil {
			return err
		}
		_, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	})
}

// Close ends the connections.
func (e *Engine) Close() error {
	e.close()
	e.pool.Close()
	return nil
}

// order is what a job is inserted with: the digest of a batch, or the id of a build.
type order struct {
	Batch pipeline.Digest `json:"parcel,omitempty"`
	Build string          `json:"build,omitempty"`
}

// Kind returns the name of such jobs. What they mean is changed under a new name only.
func (order) Kind() string { return "memforge-1" }

// Start begins a build unless it runs.
func (e *Engine) Start(ctx context.Context, queue, build string) error {
	if _, err := e.insert(ctx, queue, order{Build: build}); err != nil {
		return fmt.Errorf("start build %s on queue %s: %w", build, queue, err)
	}
	return nil
}

// Cancel asks that a build ends.
func (e *Engine) Cancel(ctx context.Context, build string) error {
	if err := e.cancel(ctx, order{Build: build}); err != nil {
		return fmt.Errorf("cancel build %s: %w", build, err)
	}
	return nil
}

// SendBatch has a worker of the queue handle a batch.
func (e *Engine) SendBatch(ctx context.Context, queue string, batch pipeline.Digest) (pipeline.Digest, error) {
	return cluster.SendUntilAnswered(ctx, queue, batch, func() (cluster.BatchAnswer, error) {
		id, err := e.insert(ctx, queue, order{Batch: batch})
		if err != nil {
			return cluster.BatchAnswer{}, err
		}
		end := make(chan cluster.BatchAnswer, 1)
		select {
		case e.waits <- wait{id, end}:
		case <-ctx.Done():
		}
		select {
		case a := <-end:
			return a, nil
		case <-ctx.Done():
			return cluster.BatchAnswer{}, ctx.Err()
		}
	}, func(ctx context.Context) error { return e.cancel(ctx, order{Batch: batch}) })
}

// insert makes a job, or finds the one of the order that has not ended.
func (e *Engine) insert(ctx context.Context, queue string, o order) (id int64, err error) {
	opts := &river.InsertOpts{Queue: queue, MaxAttempts: 10_000, UniqueOpts: river.UniqueOpts{ByArgs: true, ByQueue: true, ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
	}}}
	err = postgres.Retry(ctx, func() error {
		r, err := e.client.Insert(ctx, o, opts)
		if err == nil {
			id = r.Job.ID
		}
		return err
	})
	return id, err
}

// cancel ends the jobs of an order. One that is at work ends at its worker's next beat.
func (e *Engine) cancel(ctx context.Context, o order) error {
	return postgres.Retry(ctx, func() error {
		_, err := e.pool.Exec(ctx, `UPDATE river_job SET metadata = metadata || '{"cancel_attempted_at": 0}', finalized_at = CASE WHEN state <> 'running' THEN now() END,
			state = CASE WHEN state <> 'running' THEN 'cancelled' ELSE state END WHERE args = $1 AND finalized_at IS NULL`, o)
		return err
	})
}

// wait is for the end of a job.
type wait struct {
	id  int64
	end chan<- cluster.BatchAnswer
}

// pollJobs asks for the ends of all jobs that this process waits for, ten times a second.
func (e *Engine) pollJobs(ctx context.Context) {
	waits := map[int64][]chan<- cluster.BatchAnswer{}
	for tick := time.Tick(100 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			return
		case w := <-e.waits:
			waits[w.id] = append(waits[w.id], w.end)
		case <-tick:
			if err := e.deliverEnded(ctx, waits); err != nil {
				e.log.Warn("the database does not say what has ended", "error", err)
			}
		}
	}
}

// deliverEnded tells who waits for a job that has ended or is gone, which it answers with nothing.
func (e *Engine) deliverEnded(ctx context.Context, waits map[int64][]chan<- cluster.BatchAnswer) error {
	if len(waits) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, e.silence)
	defer cancel()
	rows, _ := e.pool.Query(ctx, `SELECT w.id, coalesce(j.metadata->'output', '{}') FROM unnest($1::bigint[]) AS w(id)
		LEFT JOIN river_job j USING (id) WHERE j.id IS NULL OR j.finalized_at IS NOT NULL`, slices.Collect(maps.Keys(waits)))
	var id int64
	var a cluster.BatchAnswer
	_, err := pgx.ForEachRow(rows, []any{&id, &a}, func() error {
		for _, end := range waits[id] {
			end <- a
		}
		delete(waits, id)
		a = cluster.BatchAnswer{}
		return nil
	})
	return err
}
