package release

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/kit/parquetread"
)

// DefaultInflated is how much the tables of a release may take once they are
// decoded: bytes uncompressed, and parquetrows.ValueBytes for each value. Holding
// them takes up to four times that of memory.
const DefaultInflated = 768 << 20

// maxRatio is how often the bytes of its tables a release may take by default where
// its rows are not held: probes that answer much alike take a hundred times theirs.
const maxRatio = 512

// Unlimited is for releases that this program writes itself.
const Unlimited = math.MaxInt64

// MaxMedia is how many media a release holds: the lists that name every file are then as
// long as they are read.
const MaxMedia = 1_000_000

// TooManyMedia says what a release of so many media cannot hold; empty where it can.
func TooManyMedia(media float64) string {
	if media <= MaxMedia {
		return ""
	}
	return fmt.Sprintf("the release would hold %.0f media; at most %d are possible: make several releases", media, MaxMedia)
}

// Limits bound what reading a release may take. A file of some kilobytes may hold
// gigabytes of zeros, or millions of nulls, so that its size says nothing.
type Limits struct {
	// Inflated is for all tables together, DefaultInflated if it is 0; one file may
	// take half of it. Where the rows are not held, as by Verify, 0 allows more to
	// tables of many bytes, and no more to a row group: the time grows with them, and
	// not the memory.
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

// budget is what is left of the limits while a release is read; group is for one row
// group.
type budget struct{ all, left, group int64 }

func (l Limits) budget() *budget {
	n := l.Inflated
	if n <= 0 {
		n = DefaultInflated
	}
	return &budget{n, n, max(n/2, 1)}
}

// streaming is the budget of who holds no more than a row group, of tables that have
// so many bytes.
func (l Limits) streaming(tables int64) *budget {
	b := l.budget()
	if l.Inflated <= 0 && tables < Unlimited/maxRatio {
		b.all = max(b.all, tables*maxRatio)
		b.left = b.all
	}
	return b
}

// groups gives the rows of a file, a row group at a time. Nothing is taken of memory
// before it was counted: neither bytes of the file nor a page of it. The error comes
// last: a file that is not just its rows gives them all with a
// *parquetrows.InexactError behind them, and *LimitError says that there is no more
// budget. Callers check the file's digest first.
func (b *budget) groups(at io.ReaderAt, size int64, t table, path string) iter.Seq2[group, error] {
	return func(yield func(group, error) bool) {
		file := min(b.left, max(b.all/2, 1)) // what is left for the file
		f, err := openTable(at, size, t, min(file, b.group))
		file, b.left = file-f.taken, b.left-f.taken
		for i := 0; err == nil && i < f.Groups(); i++ {
			var rows []row
			var taken int64
			if rows, taken, err = f.group(i, min(file, b.group)); err != nil {
				break
			}
			file, b.left = file-taken, b.left-taken
			if !yield(group{f, rows}, nil) {
				return
			}
		}
		if err == nil && f.Groups() == 0 && !yield(group{file: f}, nil) {
			return
		}
		if err == nil {
			err = f.Exact()
		}
		var over *parquetread.BudgetError
		if errors.As(err, &over) {
			err = &LimitError{path, b.all, err}
		}
		if err != nil {
			yield(group{}, err)
		}
	}
}

// group are the rows of one row group, or none of a file without any.
type group struct {
	file tableFile
	rows []row
}

// openPart opens a file of a release for reading its groups.
func openPart(dir, path string) (*os.File, int64, error) {
	f, err := atomicfile.Open(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// maxText is the largest text of a release, such as its report, that is read.
const maxText = 128 << 20

// readText reads a text of a release.
func readText(info Info, path string) ([]byte, error) {
	i, listed := info.Manifest.File(path)
	if !listed {
		return nil, info.checkDigest(path, "")
	}
	size := info.Manifest.Files[i].Size
	if size > maxText {
		return nil, damagedError(info.Dir, path, "has %d bytes; a text of a release has at most %d", size, maxText)
	}
	data, err := atomicfile.Read(filepath.Join(info.Dir, filepath.FromSlash(path)), size)
	if err != nil {
		return nil, fmt.Errorf("release %s: %w", info.Dir, err)
	}
	return data, info.checkDigest(path, pipeline.DigestOf(data))
}
