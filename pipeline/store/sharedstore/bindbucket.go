package sharedstore

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/memforge/memforge/pipeline/internal/postgres"
)

// errOtherBucket is returned where a database and a bucket are not of one store: blobs
// would seem lost, and garbage would be collected that is none.
var errOtherBucket = errors.New("the bucket is not the one in which this store keeps its blobs; name that one, or for a new store an unused bucket and an unused schema")

// bindBucket makes sure that database and bucket belong together. A new store takes a bucket
// that nobody has taken: the database is told the mark first, and that the bucket bears
// it last, so that whoever is killed between the two leaves what the next one ends.
func (s *Store) bindBucket(ctx context.Context) error {
	return postgres.Retry(ctx, func() error {
		for {
			settled := false
			err := pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) (err error) {
				settled, err = s.bindStep(ctx, tx)
				return err
			})
			if err != nil || settled {
				return err
			}
		}
	})
}

// bindStep takes one step towards a bucket that bears the mark of the database.
func (s *Store) bindStep(ctx context.Context, tx pgx.Tx) (settled bool, err error) {
	if !s.readOnly {
		// One of those who begin a store at once does it.
		if _, err := tx.Exec(ctx, `LOCK TABLE bucket IN SHARE ROW EXCLUSIVE MODE`); err != nil {
			return false, err
		}
	}
	var ours string
	var borne bool
	err = tx.QueryRow(ctx, `SELECT mark, borne FROM bucket`).Scan(&ours, &borne)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return false, err
	}
	mark, err := s.bucket.StoreID(ctx)
	switch {
	case err != nil:
		return false, err
	case mark != ours && (mark != "" || borne), s.readOnly && !borne:
		return false, errOtherBucket
	case borne:
		return true, nil
	case ours == "":
		return false, newBucketID(ctx, tx)
	}
	if err := s.bucket.SetStoreID(ctx, ours); err != nil {
		return false, err
	}
	_, err = tx.Exec(ctx, `UPDATE bucket SET borne = true`)
	return true, err
}

// newBucketID gives the database a mark that no other has.
func newBucketID(ctx context.Context, tx pgx.Tx) error {
	var name [16]byte
	if _, err := rand.Read(name[:]); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO bucket VALUES ($1, false)`, hex.EncodeToString(name[:]))
	return err
}
