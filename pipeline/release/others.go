package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/memforge/memforge/pipeline/disk"
	"github.com/memforge/memforge/pipeline/parquetrows"
)

// others are tables whose bytes are not those listed, or not what memforge writes,
// and that are read in spite of it, with the place of the finding that says so.
// Where it is nil none is.
type others map[string]int

// ReadRows is Read for who judges rows by what they say. Tables may have other
// bytes than the lists name, or than memforge writes, as when another program wrote
// the same rows anew.
// Where all else verifies, rows and all, the contents come together with a
// *DamagedError that has one finding for each such file; contents without a Dir
// are none.
func (l Limits) ReadRows(ctx context.Context, dir string) (Contents, error) {
	v := l.verifier(ctx, dir)
	v.others = others{}
	err := v.verdict()
	var damaged *DamagedError
	if err == nil || errors.As(err, &damaged) && v.unread == 0 && len(v.problems) == len(v.others) {
		return v.contents(), err
	}
	return Contents{}, err
}

// setAside keeps a table of other bytes, whose finding is the last one.
func (v *verifier) setAside(rel string) {
	if v.others != nil && strings.HasPrefix(rel, "data/") && strings.HasSuffix(rel, ".parquet") {
		v.others[rel] = len(v.problems) - 1
	}
}

// setApart reports whether a table has other bytes than listed.
func (v *verifier) setApart(path string) bool {
	_, ok := v.others[path]
	return ok
}

// readOther reads the rows of such a table, within the budget. What is found of its
// bytes goes to the finding that they are others: it has the same cause.
func (v *verifier) readOther(info Info, t table, path string) ([]row, error) {
	name, may := filepath.Join(info.Dir, filepath.FromSlash(path)), v.budget.perFile()
	file, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if file.Size() > may {
		return nil, &LimitError{path, v.budget.all, fmt.Errorf("a file of %d bytes", file.Size())}
	}
	data, err := disk.Read(name, file.Size())
	if err != nil {
		return nil, err
	}
	rows, meta, err := v.budget.decode(data, t, path)
	var over *LimitError
	if errors.As(err, &over) {
		return nil, over
	}
	finding := &v.problems[v.others[path]]
	var inexact *parquetrows.InexactError
	switch {
	case errors.As(err, &inexact):
		finding.Detail += "; its rows can be read, but it is not what memforge writes of them: " + inexact.Error()
	case err != nil:
		finding.Detail += "; its rows cannot be read: " + err.Error()
		v.unread++
		return nil, nil
	}
	v.checkRows(t, path, rows, meta)
	return rows, nil
}
