package clusterstate

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/postgres"
)

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
