package release

import (
	"context"
	"errors"
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
	v.others, v.held = others{}, true
	err := v.verdict()
	var damaged *DamagedError
	if err == nil || errors.As(err, &damaged) && v.unread == 0 && len(v.problems) == len(v.others) {
		c, failed := v.contents()
		return c, errors.Join(err, failed)
	}
	return Contents{}, err
}

// setAside keeps a table of other bytes, whose finding is the last one.
func (v *verifier) setAside(rel string) {
	if v.others != nil && isTable(rel) {
		v.others[rel] = len(v.problems) - 1
	}
}

// setApart reports whether a table has other bytes than listed.
func (v *verifier) setApart(path string) bool {
	_, ok := v.others[path]
	return ok
}
