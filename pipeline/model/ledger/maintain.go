package ledger

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline"
)

// Filter names calls; what is empty does not restrict.
type Filter struct {
	Task, Model, Host, Outcome string
	// Before is the moment before which the calls were recorded.
	Before time.Time
}

// Empty reports whether the filter names every call.
func (f Filter) Empty() bool { return f == Filter{} }

func (f Filter) where() (string, []any) {
	parts, args := []string{"1 = 1"}, []any{}
	add := func(condition string, value any) {
		args = append(args, value)
		parts = append(parts, fmt.Sprintf("%s $%d", condition, len(args)))
	}
	for _, c := range []struct{ column, value string }{{"calls.task", f.Task}, {"calls.model", f.Model}, {"calls.host", f.Host}, {"outcome", f.Outcome}} {
		if c.value != "" {
			add(c.column+" =", c.value)
		}
	}
	if !f.Before.IsZero() {
		add("at <", f.Before.Unix())
	}
	return strings.Join(parts, " AND "), args
}

// Stat counts the calls of one task to one model with one outcome.
type Stat struct {
	Host, Model, Task, Outcome string
	Calls                      int64
	Usage                      pipeline.Usage
}

// Stats counts what is recorded, sorted by host, model, task and outcome.
func (l *Ledger) Stats(ctx context.Context) (stats []Stat, err error) {
	err = eachRow(ctx, l.db, func(scan func(...any) error) error {
		var s Stat
		err := scan(&s.Host, &s.Model, &s.Task, &s.Outcome, &s.Calls, &s.Usage.Input, &s.Usage.Cached, &s.Usage.Output)
		stats = append(stats, s)
		return err
	}, `SELECT host, model, task, outcome, count(*), sum(input), sum(cached), sum(output)
		FROM calls GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`)
	return stats, wrapError("read ledger", err)
}

// Waiting is how many requests wait for a batch.
func (l *Ledger) Waiting(ctx context.Context) (int64, error) { return l.countRows(ctx, "pending") }

func (l *Ledger) countRows(ctx context.Context, table string) (n int64, err error) {
	err = l.db.QueryRowContext(ctx, `SELECT count(*) FROM `+table).Scan(&n)
	return n, wrapError("read ledger", err)
}

// Each visits the calls of a filter in the order of keys. damaged counts those
// that cannot be read.
func (l *Ledger) Each(ctx context.Context, f Filter, visit func(Entry) error) (damaged int, err error) {
	where, args := f.where()
	err = eachRow(ctx, l.db, func(scan func(...any) error) error {
		var e Entry
		var key, request, reply, sum []byte
		if err := scan(&key, &e.Step, &e.Item, &request, &reply, &sum, &e.Corrected); err != nil {
			return fmt.Errorf("read ledger: %w", err)
		}
		if e.Key = decodeKey(key); !e.unpack(request, reply, sum) {
			damaged++
			return nil
		}
		return visit(e)
	}, `SELECT calls.key, node, item, request, reply, sum, coalesce(times, 0)
		FROM calls LEFT JOIN requests ON call = id LEFT JOIN corrected ON corrected.key = calls.key
		WHERE `+where+` ORDER BY calls.key`, args...)
	return damaged, err
}

// unpack reads a row's bodies; false means that they are damaged.
func (e *Entry) unpack(request, reply, sum []byte) bool {
	key, err := encodeKey(e.Key)
	if err != nil || string(checksum(key, reply)) != string(sum) {
		return false
	}
	if decode(request, &e.Request) != nil || decode(reply, &e.Reply) != nil {
		return false
	}
	return Key(e.Request) == e.Key
}

// Export writes calls as JSON lines, in the order of keys.
func (l *Ledger) Export(ctx context.Context, w io.Writer, f Filter) (calls, damaged int, err error) {
	buf := bufio.NewWriter(w)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	damaged, err = l.Each(ctx, f, func(e Entry) error {
		calls++
		return enc.Encode(e)
	})
	return calls, damaged, errors.Join(err, buf.Flush())
}

// Imported counts what an import did. Corrected took the place of answers that
// were taken back elsewhere.
type Imported struct{ Added, Known, Corrected int64 }

// maxLine bounds a line of an imported file.
const maxLine = 64 << 20

// Import records the calls of JSON lines that Export wrote. A call that is
// recorded already stays as it is, unless its answer was corrected elsewhere more
// often than here. A line whose request does not have its key
// ends the import; what stands before it is kept.
func (l *Ledger) Import(ctx context.Context, r io.Reader) (Imported, error) {
	var done Imported
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	var batch []Entry
	for n := 1; lines.Scan(); n++ {
		if len(strings.TrimSpace(lines.Text())) == 0 {
			continue
		}
		var e Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return done, fmt.Errorf("import ledger: line %d: %w", n, err)
		}
		if err := e.check(); err != nil {
			return done, fmt.Errorf("import ledger: line %d: %w", n, err)
		}
		e.Request = upgrade(e.Request)
		e.Key = Key(e.Request)
		if batch = append(batch, e); len(batch) == 500 {
			if err := l.importEntries(ctx, batch, &done); err != nil {
				return done, err
			}
			batch = batch[:0]
		}
	}
	if err := lines.Err(); err != nil {
		return done, fmt.Errorf("import ledger: %w", err)
	}
	return done, l.importEntries(ctx, batch, &done)
}

func (e Entry) check() error {
	if key := Key(e.Request); key != e.Key {
		return fmt.Errorf("the request has the key %s, the line says %s; it was changed", key, e.Key)
	}
	if e.Reply.Outcome == "" {
		return errors.New("the reply has no outcome")
	}
	return nil
}

func (l *Ledger) importEntries(ctx context.Context, batch []Entry, done *Imported) error {
	batch, err := l.importCorrected(ctx, batch, done)
	if err != nil {
		return err
	}
	before, err := l.countRows(ctx, "calls")
	if err != nil {
		return err
	}
	if _, err := l.Record(ctx, batch...); err != nil {
		return err
	}
	after, err := l.countRows(ctx, "calls")
	done.Added += after - before
	done.Known += int64(len(batch)) - (after - before)
	return err
}

// importCorrected imports what was corrected more often elsewhere, and returns what is left to
// import: all but what was withdrawn here since.
func (l *Ledger) importCorrected(ctx context.Context, batch []Entry, done *Imported) (rest []Entry, err error) {
	here := map[pipeline.Key]int{}
	all, err := l.Corrections(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		here[c.Key] = c.Times
	}
	for _, e := range batch {
		switch times := here[e.Key]; {
		case e.Corrected > times:
			if err := l.adoptCorrection(ctx, e); err != nil {
				return nil, err
			}
			done.Corrected++
		case e.Corrected < times:
			done.Known++
		default:
			rest = append(rest, e)
		}
	}
	return rest, nil
}

// Prune removes the calls of a filter and says how many there were and what
// their answers took. With dry nothing is removed. Who names an outcome that is no
// answer wants another: such calls are taken back, see Correction.
func (l *Ledger) Prune(ctx context.Context, f Filter, dry bool) (calls int64, usage pipeline.Usage, err error) {
	where, args := f.where()
	err = l.tx(ctx, func(tx *sql.Tx) error {
		row := tx.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(input), 0), coalesce(sum(cached), 0), coalesce(sum(output), 0) FROM calls WHERE `+where, args...)
		if err := row.Scan(&calls, &usage.Input, &usage.Cached, &usage.Output); err != nil || dry {
			return err
		}
		if f.Outcome != "" && f.Outcome != string(pipeline.ReplyOK) {
			_, err := tx.ExecContext(ctx, `INSERT INTO corrected SELECT key, host, model, task, 1 FROM calls WHERE `+where+`
				ON CONFLICT (key) DO UPDATE SET times = corrected.times + 1`, args...)
			if err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM calls WHERE `+where, args...)
		return err
	})
	if err != nil || dry || calls == 0 {
		return calls, usage, wrapError("prune ledger", err)
	}
	return calls, usage, wrapError("prune ledger", l.shrink(ctx, l.write))
}

func wrapError(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", op, err)
}
