// Package sharedstore is the kind of store that any number of machines read and write at once:
// blobs in a bucket, all else in PostgreSQL. FORMAT.md in the folder above states the
// tables, the write order and the invariants.
package sharedstore

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/store/bucket"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// Store is a store that any number of machines read and write at once: blobs in a
// bucket, all else in PostgreSQL, and copies of blobs in a local cache. It is safe for
// concurrent use.
type Store struct {
	db       *pgxpool.Pool
	bucket   *bucket.Bucket
	cache    *cache
	readOnly bool
	writer   *writerLease // nil when read-only
	// direct is the size from which OpenBlob reads past the cache.
	direct int64
}

// tables are the versions of the tables of a shared store.
var tables = postgres.Migrations{Name: "store", Steps: []string{`
CREATE TABLE blobs (digest bytea PRIMARY KEY, era bigint NOT NULL, size bigint NOT NULL, put bigint GENERATED ALWAYS AS IDENTITY);
CREATE TABLE dying (digest bytea PRIMARY KEY, size bigint NOT NULL);
CREATE TABLE records (digest bytea PRIMARY KEY, era bigint NOT NULL, body bytea NOT NULL);
CREATE TABLE results (key bytea PRIMARY KEY, era bigint NOT NULL, body bytea NOT NULL);
CREATE TABLE builds (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name bytea NOT NULL UNIQUE, body bytea NOT NULL);
CREATE TABLE files (path bytea PRIMARY KEY, size bigint NOT NULL, mtime bigint NOT NULL, inode bigint NOT NULL, digest bytea NOT NULL);
CREATE TABLE bucket (mark text NOT NULL, borne boolean NOT NULL);
CREATE TABLE eras (era bigint NOT NULL, pending boolean NOT NULL);
INSERT INTO eras VALUES (1, false);
CREATE TABLE writers (owner text PRIMARY KEY, era bigint NOT NULL, until timestamptz NOT NULL);
`}}

const (
	bucketParam = "bucket"
	cacheParam  = "cache"
	sizeParam   = "cache_mb"

	defaultCacheMB = 20_000
	directFrom     = 64 << 20
)

// Open opens the store that a URL names, and makes it where there is none:
//
//	postgres://user@host/database?bucket=s3://name&cache=/folder&cache_mb=20000
func Open(ctx context.Context, url string) (*Store, error) {
	return openWith(ctx, url, false, postgres.Open)
}

// OpenReadOnly opens a store that is there for reading.
func OpenReadOnly(ctx context.Context, url string) (*Store, error) {
	return openWith(ctx, url, true, postgres.OpenReadOnly)
}

type openDB func(context.Context, postgres.Location, postgres.Migrations) (*pgxpool.Pool, error)

func openWith(ctx context.Context, url string, readOnly bool, open openDB) (s *Store, err error) {
	place, err := postgres.Parse(url, bucketParam, cacheParam, sizeParam)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	s = &Store{readOnly: readOnly, direct: directFrom}
	defer func() {
		if err != nil {
			s, err = nil, errors.Join(fmt.Errorf("open store %s: %w", place, err), s.Close())
		}
	}()
	at := place.Own.Get(bucketParam)
	if at == "" {
		return s, errors.New("the URL names no bucket for the blobs; add ?bucket=s3://name or ?bucket=file:///folder")
	}
	if s.bucket, err = bucket.Open(ctx, at); err != nil {
		return s, err
	}
	if s.cache, err = cacheOf(place); err != nil {
		return s, err
	}
	if s.db, err = open(ctx, place, tables); err != nil {
		return s, err
	}
	if err := s.bindBucket(ctx); err != nil || readOnly {
		return s, err
	}
	s.writer, err = beginWriting(ctx, s.db, writerTime)
	return s, err
}

// cacheOf opens the cache that a URL describes.
func cacheOf(place postgres.Location) (*cache, error) {
	megabytes := int64(defaultCacheMB)
	if said := place.Own.Get(sizeParam); said != "" {
		n, err := strconv.ParseInt(said, 10, 32)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%s=%s: want the megabytes that the cache may hold", sizeParam, said)
		}
		megabytes = n
	}
	dir := place.Own.Get(cacheParam)
	if dir == "" {
		home, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("find a folder for the cache: %w; name one with &%s=/folder", err, cacheParam)
		}
		dir = filepath.Join(home, "memforge", "blobs")
	}
	c, err := openCache(dir, megabytes<<20)
	if err != nil {
		return nil, fmt.Errorf("open the cache: %w", err)
	}
	return c, nil
}

// ScratchRoot returns a folder of this process in the cache: PutFile renames what lies there.
func (s *Store) ScratchRoot() string { return s.cache.scratch }

// Close releases the store. Calls in flight must have returned.
func (s *Store) Close() error {
	var errs []error
	if s.writer != nil {
		errs = append(errs, s.writer.end())
	}
	if s.db != nil {
		s.db.Close()
	}
	if s.bucket != nil {
		errs = append(errs, s.bucket.Close())
	}
	if s.cache != nil {
		errs = append(errs, s.cache.close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}

func (s *Store) writable() error {
	if s.readOnly {
		return encoding.ErrReadOnly
	}
	return nil
}

// errOtherBucket is returned where a database and a bucket are not of one store: blobs
// would seem lost, and garbage would be collected that is none.
var errOtherBucket = errors.New("the bucket is not the one in which this store keeps its blobs; name that one, or for a new store an unused bucket and an unused schema")

// bindBucket makes sure that database and bucket belong together. A new store takes a bucket
// that no store has taken: the database gets the id first, and that the bucket has
// it last, so that the next process ends what one leaves that is killed between the two.
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

// newBucketID gives the database an id that no other has.
func newBucketID(ctx context.Context, tx pgx.Tx) error {
	var name [16]byte
	if _, err := rand.Read(name[:]); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO bucket VALUES ($1, false)`, hex.EncodeToString(name[:]))
	return err
}
