package pipeline

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// shut is a store of one blob whose reader fails to close.
type shut struct {
	noStore
	text string
	err  error
}

func (s shut) OpenBlob(context.Context, Digest) (io.ReadCloser, error) {
	return closing{strings.NewReader(s.text), s.err}, nil
}

type closing struct {
	io.Reader
	err error
}

func (c closing) Close() error { return c.err }

// TestReadBlob: a blob within the bound comes whole, of a larger one a byte too many, and
// an error of the store is told.
func TestReadBlob(t *testing.T) {
	broken := errors.New("the disk is gone")
	for most, want := range map[int64]string{9: "sixteen", 7: "sixteen", 6: "sixteen", 3: "sixt", -5: ""} {
		s := &Scope{options: ScopeOptions{Store: shut{text: "sixteen"}}}
		if got, err := s.ReadBlob(t.Context(), "d", most); err != nil || string(got) != want {
			t.Errorf("at most %d: %q, %v; want %q", most, got, err, want)
		}
	}
	s := &Scope{options: ScopeOptions{Store: shut{text: "x", err: broken}}}
	if _, err := s.ReadBlob(t.Context(), "d", 9); !errors.Is(err, broken) {
		t.Errorf("%v, want the store's error", err)
	}
	s = &Scope{options: ScopeOptions{Store: noStore{}}}
	if _, err := s.ReadBlob(t.Context(), "d", 9); !errors.Is(err, ErrNoStore) {
		t.Errorf("%v, want that there is no store", err)
	}
}

// commits is a store that notes what is committed.
type commits struct {
	noStore
	got []Committed
}

func (c *commits) Results(context.Context, []Key) (map[Key]Result, error) { return nil, nil }

func (c *commits) Commit(_ context.Context, list []Committed) error {
	c.got = append(c.got, list...)
	return nil
}

// TestDerivedComesAgain wants what is derived to be committed as what comes again by rule,
// with its blobs in order and each named once.
func TestDerivedComesAgain(t *testing.T) {
	st := &commits{}
	a, b := DigestOf([]byte("a")), DigestOf([]byte("b"))
	if _, err := RunInScope(ScopeOptions{Store: st, TempRoot: t.TempDir()}, func(s *Scope) error {
		_, err := s.DeriveBlobs(t.Context(), "recipe", func() ([]Digest, error) { return []Digest{b, a, b}, nil })
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if len(st.got) != 1 || !st.got[0].Instant || len(st.got[0].Result.Blobs) != 2 || len(st.got[0].Result.Outputs) != 1 || string(st.got[0].Records[0].Data) != `{"blobs":["`+string(b)+`","`+string(a)+`","`+string(b)+`"]}` {
		t.Errorf("committed %+v", st.got)
	}
}
