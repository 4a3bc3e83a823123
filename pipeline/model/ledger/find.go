package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/memforge/memforge/pipeline"
)

// Find looks an answer up. A damaged row counts as absent.
func (l *Ledger) Find(ctx context.Context, key pipeline.Key) (pipeline.Reply, bool, error) {
	raw, err := encodeKey(key)
	if err != nil {
		return pipeline.Reply{}, false, err
	}
	a, ok := l.ahead.remove([32]byte(raw))
	if !ok {
		// The driver starts a goroutine to watch a context that can end, which takes
		// longer than the lookup.
		err = l.wait(ctx, func() (err error) {
			a, ok, err = l.findStored(context.WithoutCancel(ctx), raw)
			return err
		})
		if err != nil {
			return pipeline.Reply{}, false, fmt.Errorf("read ledger: %w", err)
		}
	}
	if !ok || string(checksum(raw, a.reply)) != string(a.sum) {
		return pipeline.Reply{}, false, nil
	}
	var r pipeline.Reply
	if err := decode(a.reply, &r); err != nil {
		return pipeline.Reply{}, false, fmt.Errorf("read ledger: reply %s: %w", key, err)
	}
	return r, true, nil
}

// FindEntry returns a whole call. A damaged one counts as absent.
func (l *Ledger) FindEntry(ctx context.Context, key pipeline.Key) (Entry, bool, error) {
	raw, err := encodeKey(key)
	if err != nil {
		return Entry{}, false, err
	}
	e := Entry{Key: key}
	var request, reply, sum []byte
	err = l.wait(ctx, func() error {
		return l.db.QueryRowContext(ctx, `SELECT node, item, request, reply, sum FROM calls LEFT JOIN requests ON call = id WHERE key = $1`, raw).
			Scan(&e.Step, &e.Item, &request, &reply, &sum)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return Entry{}, false, nil
	}
	if err != nil {
		return Entry{}, false, fmt.Errorf("read ledger: call %s: %w", key, err)
	}
	return e, e.unpack(request, reply, sum), nil
}

type storedReply struct{ reply, sum []byte }

// findStored reads a call, and those recorded after it when that has paid.
func (l *Ledger) findStored(ctx context.Context, key []byte) (storedReply, bool, error) {
	var at position
	var a storedReply
	err := l.selectCall.QueryRowContext(ctx, key).Scan(&at.id, &at.task, &at.item, &a.reply, &a.sum)
	if errors.Is(err, sql.ErrNoRows) {
		return a, false, nil
	}
	if err != nil {
		return a, false, err
	}
	return a, true, l.readAhead(ctx, at, l.ahead.rowsToRead())
}

type position struct {
	id         int64
	task, item string
}

func (l *Ledger) readAhead(ctx context.Context, at position, n int) error {
	if n == 0 {
		return nil
	}
	rows, err := l.selectNext.QueryContext(ctx, at.task, at.item, at.id, n)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var key []byte
		var a storedReply
		if err := rows.Scan(&key, &a.reply, &a.sum); err != nil {
			return err
		}
		if len(key) == 32 {
			l.ahead.add([32]byte(key), a)
		}
	}
	return rows.Err()
}

// readAheadCache holds replies that were read before they were asked for. A replay asks for
// the calls of one item in the order in which they were recorded, and another row costs less
// than half of a lookup. Where rows read ahead are not used, hardly any are read.
type readAheadCache struct {
	mu      sync.Mutex
	answers map[[32]byte]storedReply
	order   [][32]byte // of arrival; the oldest goes first
	size    int        // bytes held
	// What was read ahead lately, in rows, and what of it was asked for.
	read, used int
	lookups    int
}

const (
	maxRowsAhead = 64 // rows at once
	maxBytesHeld = 24 << 20
	recentRows   = 64 * maxRowsAhead
	// Reading ahead stops when less than a quarter was asked for. Every so many
	// lookups it is tried again.
	minUsed       = 4
	tryEvery      = 64
	queryCost     = 4   // rows that asking for rows costs, even if there are none
	replyOverhead = 128 // bytes that an answer takes besides its reply
)

// remove returns a reply once: the next lookup reads the ledger.
func (a *readAheadCache) remove(key [32]byte) (storedReply, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	got, ok := a.answers[key]
	if ok {
		a.drop(key, got)
		a.used++
	}
	return got, ok
}

func (a *readAheadCache) drop(key [32]byte, got storedReply) {
	delete(a.answers, key)
	a.size -= len(got.reply) + replyOverhead
}

func (a *readAheadCache) clear() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers, a.order, a.size = nil, nil, 0
}

// rowsToRead is how many rows to read after one that had to be looked up.
func (a *readAheadCache) rowsToRead() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lookups++
	if a.read > recentRows {
		a.read, a.used = a.read/2, a.used/2
	}
	if a.read > recentRows/2 && a.used*minUsed < a.read && a.lookups%tryEvery != 0 {
		return 0
	}
	a.read += queryCost
	return maxRowsAhead
}

func (a *readAheadCache) add(key [32]byte, got storedReply) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.answers == nil {
		a.answers = map[[32]byte]storedReply{}
	}
	a.read++
	if _, known := a.answers[key]; known {
		return
	}
	a.answers[key] = got
	a.order = append(a.order, key)
	a.size += len(got.reply) + replyOverhead
	for a.size > maxBytesHeld || len(a.order) > maxBytesHeld/replyOverhead {
		oldest := a.order[0]
		a.order = a.order[1:]
		if old, there := a.answers[oldest]; there {
			a.drop(oldest, old)
		}
	}
}

// NearestRequest is the recorded request that is most like one that is not recorded.
type NearestRequest struct {
	// Item it was made for, and the fields in which it differs, in the order in
	// which they enter the key.
	Item    string
	Changed []string
}

// maxCompared bounds how many recorded requests are compared.
const maxCompared = 2000

// Nearest finds the recorded request of the same task with the fewest fields
// that differ, one for the same item before others. Without any it returns no
// changed field.
func (l *Ledger) Nearest(ctx context.Context, r pipeline.Request, item string) (near NearestRequest, err error) {
	_, want := Digests(r)
	err = eachRow(ctx, l.db, func(scan func(...any) error) error {
		var at string
		var request []byte
		if err := scan(&at, &request); err != nil {
			return err
		}
		if near.Item == item && at != item && len(near.Changed) > 0 {
			return errNearestFound
		}
		var recorded pipeline.Request
		if decode(request, &recorded) != nil {
			return nil
		}
		_, have := Digests(recorded)
		if changed := want.diff(have); len(near.Changed) == 0 || len(changed) < len(near.Changed) {
			near = NearestRequest{Item: at, Changed: changed}
		}
		return nil
	}, `SELECT item, request FROM calls JOIN requests ON call = id WHERE task = $1
		ORDER BY item = $2 DESC, id DESC LIMIT $3`, r.Task, item, maxCompared)
	if errors.Is(err, errNearestFound) {
		err = nil
	}
	return near, wrapError("read ledger", err)
}

// errNearestFound ends the search of Nearest after the requests for the same item.
var errNearestFound = errors.New("the nearest request is found")

func (f FieldDigests) diff(other FieldDigests) []string {
	var names []string
	for _, name := range fieldOrder {
		if f[name] != other[name] {
			names = append(names, name)
		}
	}
	return names
}
