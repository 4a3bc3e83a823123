package ledger

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// claims say which requests a process asks at this moment, so that builds that share a ledger
// ask each once. They stand in a database of their own without syncing: a claim is worth
// nothing once its owner is gone. An owner renews its claims, and locks a file by which others
// see at once that it was killed; the time of a claim is for an owner that was stopped, or is
// on another machine.
type claims struct {
	dir   string
	lease time.Duration

	mu    sync.Mutex
	db    *sql.DB
	owner string
	lock  *atomicfile.Lock
	end   chan struct{} // closed to stop the renewing
	ended chan struct{}
}

// Lease is how long a claim holds without being renewed.
const Lease = time.Minute

const claimsFile = "claims.db"

// Standing is what became of a request until it was claimed: another process recorded its
// reply, or put it into a batch. Neither is the case for most.
type Standing struct {
	Reply    pipeline.Reply
	Recorded bool
	Batch    string // id
}

// Claim claims requests that no other process asks at this moment, all or none, and returns
// what became of each; nil says that another process asks one of them. Claims end with Release,
// with Close, and when the process ends.
func (l *Ledger) Claim(ctx context.Context, keys ...pipeline.Key) ([]Standing, error) {
	ok, err := l.claims.Claim(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("claim requests: %w", err)
	}
	if !ok {
		return nil, nil
	}
	standing := make([]Standing, len(keys))
	for i, k := range keys {
		s := &standing[i]
		if s.Reply, s.Recorded, err = l.Find(ctx, k); err == nil && !s.Recorded {
			s.Batch, _, err = l.FindBatch(ctx, k)
		}
		if err != nil {
			return nil, errors.Join(err, l.Release(ctx, keys...))
		}
	}
	return standing, nil
}

// Release gives claims back.
func (l *Ledger) Release(ctx context.Context, keys ...pipeline.Key) error {
	return wrapError("release requests", l.claims.Release(context.WithoutCancel(ctx), keys))
}

func (c *claims) Release(ctx context.Context, keys []pipeline.Key) error {
	return c.eachKey(ctx, keys, func(tx *sql.Tx, key []byte) error {
		_, err := tx.Exec(`DELETE FROM claims WHERE key = ? AND owner = ?`, key, c.owner)
		return err
	})
}

// errTaken ends a transaction that found a request claimed.
var errTaken = errors.New("somebody asks this")

func (c *claims) Claim(ctx context.Context, keys []pipeline.Key) (bool, error) {
	err := c.eachKey(ctx, keys, func(tx *sql.Tx, key []byte) error {
		free, err := c.isFree(tx, key)
		if err != nil {
			return err
		}
		if !free {
			return errTaken
		}
		_, err = tx.Exec(`INSERT OR REPLACE INTO claims (key, owner, until) VALUES (?, ?, ?)`, key, c.owner, time.Now().Add(c.lease).UnixMilli())
		return err
	})
	if errors.Is(err, errTaken) {
		return false, nil
	}
	return err == nil, err
}

// CountClaimedByOthers counts the requests that other owners ask.
func (c *claims) CountClaimedByOthers(ctx context.Context, keys []pipeline.Key) (n int, err error) {
	err = c.eachKey(ctx, keys, func(tx *sql.Tx, key []byte) error {
		free, err := c.isFree(tx, key)
		if !free {
			n++
		}
		return err
	})
	return n, err
}

// isFree reports whether no other living owner asks a request.
func (c *claims) isFree(tx *sql.Tx, key []byte) (bool, error) {
	var owner string
	var until int64
	err := tx.QueryRow(`SELECT owner, until FROM claims WHERE key = ?`, key).Scan(&owner, &until)
	if errors.Is(err, sql.ErrNoRows) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return owner == c.owner || until <= time.Now().UnixMilli() || c.ownerDied(owner), nil
}

func (c *claims) eachKey(ctx context.Context, keys []pipeline.Key, visit func(*sql.Tx, []byte) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.open(ctx); err != nil {
		return err
	}
	tx, err := c.db.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return err
	}
	for _, k := range keys {
		key, err := encodeKey(k)
		if err == nil {
			err = visit(tx, key)
		}
		if err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// open makes the database at the first claim; c.mu is held.
func (c *claims) open(ctx context.Context) error {
	if c.db != nil {
		return nil
	}
	path, err := filepath.Abs(filepath.Join(c.dir, claimsFile))
	if err != nil {
		return err
	}
	// No WAL: of several that switch a new database to it at once, one is told that
	// it is locked, without waiting.
	db, err := sql.Open("sqlite", dsn(path, "synchronous(OFF)"))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS claims (key BLOB PRIMARY KEY, owner TEXT NOT NULL, until INTEGER NOT NULL)`)
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w; it holds nothing that is worth keeping, so remove it while nobody builds", claimsFile, err), db.Close())
	}
	if err := c.lockOwner(); err != nil {
		return errors.Join(err, db.Close())
	}
	if err := c.removeDeadOwners(ctx, db); err != nil {
		return errors.Join(err, db.Close())
	}
	c.db, c.end, c.ended = db, make(chan struct{}), make(chan struct{})
	go c.renew(db, c.end, c.ended)
	return nil
}

// NewOwner returns a random name.
func NewOwner() (string, error) {
	var id [16]byte
	_, err := rand.Read(id[:])
	return hex.EncodeToString(id[:]), err
}

// lockOwner makes the owner and the file whose lock says that it lives.
func (c *claims) lockOwner() error {
	var err error
	if c.owner, err = NewOwner(); err != nil {
		return err
	}
	c.lock, err = atomicfile.TakeLock(c.lockPath(c.owner))
	return err
}

func (c *claims) lockPath(owner string) string { return filepath.Join(c.dir, "claims-"+owner) }

// ownerDied reports that the file of an owner is gone, or unlocked.
func (c *claims) ownerDied(owner string) bool {
	held, err := atomicfile.IsLocked(c.lockPath(owner))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	if !held {
		_ = os.Remove(c.lockPath(owner)) // who is gone needs it no more
	}
	return !held
}

// removeDeadOwners removes the claims and the files of owners that were killed.
func (c *claims) removeDeadOwners(ctx context.Context, db *sql.DB) error {
	var gone []string
	err := eachRow(ctx, db, func(scan func(...any) error) error {
		var owner string
		if err := scan(&owner); err != nil {
			return err
		}
		if c.ownerDied(owner) {
			gone = append(gone, owner)
		}
		return nil
	}, `SELECT DISTINCT owner FROM claims`)
	if err != nil {
		return err
	}
	for _, owner := range gone {
		if _, err := db.ExecContext(ctx, `DELETE FROM claims WHERE owner = ?`, owner); err != nil {
			return err
		}
	}
	return nil
}

// renew renews the claims of the owner. Where that fails, a request may be asked twice.
func (c *claims) renew(db *sql.DB, end, ended chan struct{}) {
	defer close(ended)
	tick := time.NewTicker(c.lease / 4)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_, _ = db.Exec(`UPDATE claims SET until = ? WHERE owner = ?`, time.Now().Add(c.lease).UnixMilli(), c.owner)
		case <-end:
			return
		}
	}
}

// Close gives all claims back.
func (c *claims) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db == nil {
		return nil
	}
	close(c.end)
	<-c.ended
	_, err := c.db.Exec(`DELETE FROM claims WHERE owner = ?`, c.owner)
	err = errors.Join(err, c.db.Close(), os.Remove(c.lockPath(c.owner)), c.lock.Release())
	c.db = nil
	return err
}
