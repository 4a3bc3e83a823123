package release

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/memforge/memforge/pipeline/parquetrows"
)

// DefaultInflated is how much the tables of a release may take once they are
// decoded: bytes uncompressed, and parquetrows.ValueBytes for each value. Reading
// takes up to four times that of memory.
const DefaultInflated = 768 << 20

// Unlimited is for releases that this program writes itself.
const Unlimited = math.MaxInt64

// Limits bound what reading a release may take. A file of some kilobytes may hold
// gigabytes of zeros, or millions of nulls, so that its size says nothing.
type Limits struct {
	// Inflated is for all tables together, DefaultInflated if it is 0; one file
	// may take half of it.
	Inflated int64
}

// LimitError says that a release takes more to read than it may.
type LimitError struct {
	Path   string // inside the release
	Budget int64  // of the whole release
	Err    error
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: %v; a release may take %d bytes and one file half of them: if you trust who made it and have four times as much memory, allow more with --max-inflated", e.Path, e.Err, e.Budget)
}

func (e *LimitError) Unwrap() error { return e.Err }

// budget is what is left of the limits while a release is read.
type budget struct{ all, left int64 }

func (l Limits) budget() *budget {
	n := l.Inflated
	if n <= 0 {
		n = DefaultInflated
	}
	return &budget{n, n}
}

// table reads and decodes a table within what is left. Nothing is taken of memory
// before it was counted: neither the file itself nor a page of it. A file that is
// not just its rows gives them with a *parquetrows.InexactError.
func (b *budget) table(info Info, t table, path string) ([]row, map[string]string, error) {
	may := b.perFile()
	i := slices.IndexFunc(info.Manifest.Files, func(f FileInfo) bool { return f.Path == path })
	if i >= 0 && info.Manifest.Files[i].Size > may {
		return nil, nil, &LimitError{path, b.all, fmt.Errorf("a file of %d bytes", info.Manifest.Files[i].Size)}
	}
	data, err := readPinned(info, path)
	if err != nil {
		return nil, nil, err
	}
	return b.decode(data, t, path)
}

// decode is table for bytes that are read already.
func (b *budget) decode(data []byte, t table, path string) ([]row, map[string]string, error) {
	may := b.perFile()
	taken, err := guard(data, t, may)
	var over *parquetrows.BudgetError
	if errors.As(err, &over) {
		return nil, nil, &LimitError{path, b.all, err}
	}
	var inexact *parquetrows.InexactError
	if err != nil && !errors.As(err, &inexact) {
		return nil, nil, err
	}
	rows, meta, texts, failed := decodeTable(data, t, may-taken)
	if errors.As(failed, &over) {
		return nil, nil, &LimitError{path, b.all, &parquetrows.BudgetError{Budget: may}}
	}
	if failed != nil {
		return nil, nil, failed
	}
	b.left -= taken + texts
	return rows, meta, err
}

// perFile is what one file may take.
func (b *budget) perFile() int64 { return min(b.left, max(b.all/2, 1)) }

// maxText is the largest text of a release, such as its report, that is read.
const maxText = 128 << 20

// readText reads a text of a release.
func readText(info Info, path string) ([]byte, error) {
	for _, f := range info.Manifest.Files {
		if f.Path == path && f.Size > maxText {
			return nil, &DamagedError{Dir: info.Dir, Problems: []Problem{{path, fmt.Sprintf("has %d bytes; a text of a release has at most %d", f.Size, maxText)}}}
		}
	}
	return readPinned(info, path)
}
