//go:build river

package river

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/memforge/memforge/pipeline/engine/cluster"
)

// jobWorker is where a worker's orders are handled.
type jobWorker struct {
	river.WorkerDefaults[order]
	*Engine
	id           string
	handlers     cluster.Handlers
	leaving, end context.Context // end when the worker takes nothing new, and when what is at work must end
	active       sync.Map        // of context.CancelCauseFunc, by the number of the job
}

// Work handles what comes to the queues until ctx ends. Then builds end at once and
// batches when they are done, or when the time to drain is over. River's own search for
// jobs that stand still knows no heartbeat, so it is put off.
func (e *Engine) Work(ctx context.Context, queues []cluster.Queue, h cluster.Handlers) error {
	anyway := context.WithoutCancel(ctx)
	end, now := context.WithCancelCause(anyway)
	defer now(nil)
	d := &jobWorker{Engine: e, handlers: h, leaving: ctx, end: end}
	config := &river.Config{Logger: e.log, Workers: river.NewWorkers(), JobTimeout: -1, RescueStuckJobsAfter: 10 * 365 * 24 * time.Hour, Queues: map[string]river.QueueConfig{}}
	for _, q := range queues {
		config.Queues[q.Name] = river.QueueConfig{MaxWorkers: q.Slots}
	}
	river.AddWorker(config.Workers, d)
	client, err := river.NewClient(riverpgxv5.New(e.pool), config)
	if err != nil {
		return err
	}
	d.id = client.ID()
	if err := d.heartbeat(ctx); err != nil {
		return err
	}
	if err := client.Start(anyway); err != nil {
		return err
	}
	beating, still := context.WithCancel(anyway)
	var beats sync.WaitGroup
	beats.Go(func() { d.heartbeats(beating) })
	<-ctx.Done()
	defer time.AfterFunc(e.drain, func() { now(cluster.ErrMoved) }).Stop()
	late, cancel := context.WithTimeout(anyway, e.drain+10*time.Second)
	defer cancel()
	err = client.Stop(late)
	still()
	beats.Wait()
	return err
}

// Work handles one job.
func (d *jobWorker) Work(ctx context.Context, job *river.Job[order]) error {
	a, until := cluster.BatchAnswer{Batch: job.Args.Batch}, d.end
	if job.Args.Build != "" {
		until = d.leaving
	}
	work, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	defer context.AfterFunc(until, func() { end(cluster.ErrMoved) })()
	defer context.AfterFunc(ctx, func() { end(cluster.ErrCancelled) })()
	d.active.Store(job.ID, end)
	// River writes ends down in batches, so the job is known for a while longer.
	defer time.AfterFunc(d.silence, func() { d.active.Delete(job.ID) })
	err := cluster.RunLogged(d.log.With("order", job.Args, "queue", job.Queue, "attempt", job.Attempt), func() (err error) {
		if job.Args.Build != "" {
			return d.handlers.Coordinate(work, job.Args.Build)
		}
		a.Reply, err = d.handlers.Handle(work, a.Batch)
		return err
	})
	var permanent *cluster.PermanentError
	switch {
	case err == nil:
		return river.RecordOutput(ctx, a)
	case errors.Is(context.Cause(work), cluster.ErrCancelled):
		return river.JobCancel(errors.New("it was cancelled"))
	case work.Err() != nil:
		return d.release(ctx, job.ID, 0)
	case errors.As(err, &permanent):
		return errors.Join(river.RecordOutput(ctx, cluster.BatchAnswer{Refused: "worker " + d.id}), river.JobCancel(errors.New("trying again cannot mend it; the worker's log says what")))
	}
	return d.release(ctx, job.ID, min(time.Second<<min(job.Attempt-1, 10), 30*time.Second))
}

// freeJobs gives running jobs to the next worker that asks after a while, under another number. The
// clock is the database's. River counts attempts in two bytes, so they are kept small.
const freeJobs = `UPDATE river_job SET id = nextval('river_job_id_seq'), attempt = least(attempt, 100), scheduled_at = now() + $1::interval,
	state = CASE WHEN metadata ? 'cancel_attempted_at' THEN 'cancelled' ELSE 'available' END::river_job_state,
	finalized_at = CASE WHEN metadata ? 'cancel_attempted_at' THEN now() END WHERE state = 'running' AND `

// silentWorkers are jobs of workers that said nothing for a while, in which the server was there,
// and those of this worker that it does not know: an answer that a restart swallowed.
const silentWorkers = `CASE WHEN attempted_by[array_upper(attempted_by, 1)] = $2 THEN id <> ALL($3::bigint[]) AND attempted_at < now() - $4::interval
	ELSE pg_postmaster_start_time() < now() - $4::interval AND NOT EXISTS (SELECT FROM workers w WHERE w.id = attempted_by[array_upper(attempted_by, 1)] AND w.at > now() - $4::interval) END`

// release gives a job back. River's own word on it then meets no row.
func (d *jobWorker) release(ctx context.Context, id int64, after time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.silence)
	defer cancel()
	if _, err := d.pool.Exec(ctx, freeJobs+`id = $2`, after, id); err != nil {
		return errors.New("it failed; the worker's log says why")
	}
	return nil
}

func (d *jobWorker) heartbeats(ctx context.Context) {
	for tick := time.Tick(d.beat); ctx.Err() == nil; {
		select {
		case <-tick:
			if err := d.heartbeat(ctx); err != nil {
				d.log.Warn("the database did not hear that work goes on", "error", err)
			}
		case <-ctx.Done():
		}
	}
}

// heartbeat says that the worker lives, frees the jobs of those that do not, and ends what this
// one has no more.
func (d *jobWorker) heartbeat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, d.silence/2)
	defer cancel()
	mine := map[int64]context.CancelCauseFunc{}
	d.active.Range(func(id, end any) bool { mine[id.(int64)] = end.(context.CancelCauseFunc); return true })
	ids := slices.Collect(maps.Keys(mine))
	var batch pgx.Batch
	batch.Queue(`INSERT INTO workers VALUES ($1, now()) ON CONFLICT (id) DO UPDATE SET at = now()`, d.id)
	batch.Queue(`DELETE FROM workers WHERE at < now() - interval '1 day'`)
	batch.Queue(freeJobs+silentWorkers, time.Duration(0), d.id, ids, d.silence)
	batch.Queue(`SELECT w.id, j.id IS NOT NULL FROM unnest($1::bigint[]) AS w(id) LEFT JOIN river_job j ON j.id = w.id AND j.state = 'running'
		WHERE j.id IS NULL OR j.metadata ? 'cancel_attempted_at'`, ids).Query(func(rows pgx.Rows) error {
		var id int64
		var cancelled bool
		_, err := pgx.ForEachRow(rows, []any{&id, &cancelled}, func() error {
			cause := cluster.ErrMoved
			if cancelled {
				cause = cluster.ErrCancelled
			}
			mine[id](cause)
			return nil
		})
		return err
	})
	return d.pool.SendBatch(ctx, &batch).Close()
}
