// Package archive walks the members of zip and tar files that come from
// strangers. Nothing is written to disk under a member's name: a caller looks
// at names and reads contents as streams. What would take memory or time out
// of proportion is refused, and no member is larger than it says.
package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits on one archive.
type Limits struct {
	// Members is the most entries of any kind; 0 is 1,000,000.
	Members int
	// MemberBytes is the largest member that is read, TotalBytes the most that
	// is decompressed in one walk.
	MemberBytes, TotalBytes int64
}

const defaultMembers = 1_000_000

// maxRatio is how much larger than its compressed form anything may be, beyond
// the first mebibyte. Videos hardly shrink, subtitles to a third; the method
// itself allows 1,032.
const maxRatio = 200

// Codes of Member.Problem.
const (
	UnsafeName  = "unsafe-name"
	TooLarge    = "too-large"
	Unreadable  = "unreadable"
	codeUnnamed = "bad-name"
)

// Member is one regular file of an archive.
type Member struct {
	// Name as in the archive, slash-separated, without leading "./"; made
	// printable.
	Name string
	Size int64
	// Code and Reason say why the content cannot be had; both empty if it can.
	Code, Reason string
}

// Visit sees one member. Its content may be read until Visit returns. Visit
// ends the walk without an error by returning fs.SkipAll.
type Visit func(m Member, content io.Reader) error

// ErrRefused marks archives that exceed a limit.
var ErrRefused = errors.New("the archive is refused")

// checkName returns a member's name and what is wrong with it. Only names
// below the archive's root are safe; no name is ever used as a path on disk,
// but one that tries to lead out says what the archive is.
func checkName(raw string) Member {
	name := strings.TrimPrefix(raw, "./")
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return Member{Name: strings.Trim(fmt.Sprintf("%+q", name), `"`), Code: codeUnnamed, Reason: "the name is not printable UTF-8"}
	}
	if !fs.ValidPath(name) || strings.Contains(name, `\`) {
		return Member{Name: name, Code: UnsafeName, Reason: "the name leads out of the archive"}
	}
	return Member{Name: name}
}

// Junk names what archivers of some systems add: __MACOSX, ._x, .DS_Store.
func Junk(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "__MACOSX" || part == ".DS_Store" || strings.HasPrefix(part, "._") {
			return true
		}
	}
	return false
}

func (l Limits) judge(m Member, size int64) Member {
	m.Size = size
	if m.Code == "" && size > l.MemberBytes {
		m.Code, m.Reason = TooLarge, fmt.Sprintf("%d bytes, more than the limit of %d", size, l.MemberBytes)
	}
	return m
}

// failing is the content of a member that has none.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// body is a member's content: exactly size bytes, counted against the walk.
type body struct {
	open func() (io.Reader, error)
	r    io.Reader
	left int64
	used *int64
	lim  Limits
}

func (b *body) Read(p []byte) (int, error) {
	if b.r == nil {
		r, err := b.open()
		if err != nil {
			return 0, fmt.Errorf("open the member: %w", unexpected(err))
		}
		b.r = r
	}
	if b.left == 0 {
		return b.end()
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if *b.used += int64(n); *b.used > b.lim.TotalBytes {
		return n, fmt.Errorf("%w: more than %d bytes", ErrRefused, b.lim.TotalBytes)
	}
	if b.left > 0 {
		err = unexpected(err)
	}
	if errors.Is(err, io.EOF) {
		err = nil // the next call checks the end
	}
	return n, err
}

// unexpected makes an end that comes too early an error.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// end makes sure that nothing follows what was announced. Only there does the
// decompressor check the sum.
func (b *body) end() (int, error) {
	var one [1]byte
	n, err := b.r.Read(one[:])
	if n > 0 {
		return 0, errors.New("the member is longer than it says")
	}
	if err == nil {
		return 0, io.ErrNoProgress
	}
	return 0, err
}
