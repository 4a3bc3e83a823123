package testkit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store"
)

func TestFaultStore(t *testing.T) {
	full := errors.New("disk full")
	for _, c := range []struct {
		failAt int64
		stay   bool
		err    error
		want   string // one letter a write: o for ok, f for failed
	}{
		{want: "oooo"},
		{failAt: 1, want: "fooo"},
		{failAt: 3, err: full, want: "oofo"},
		{failAt: 2, stay: true, want: "offf"},
		{failAt: 9, want: "oooo"},
	} {
		t.Run(fmt.Sprint(c.failAt, c.stay), func(t *testing.T) {
			ctx := context.Background()
			disk, err := store.Open(ctx, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer disk.Close()
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, []byte("file"), 0o644); err != nil {
				t.Fatal(err)
			}
			s := &FaultStore{Store: disk, FailAt: c.failAt, Stay: c.stay, Err: c.err}
			want := c.err
			if want == nil {
				want = ErrFault
			}
			var got strings.Builder
			for _, write := range []func() error{
				func() error { _, err := s.PutBlob(ctx, strings.NewReader("blob")); return err },
				func() error { _, err := s.PutFile(ctx, path, false); return err },
				func() error { return s.Commit(ctx, nil) },
				func() error { _, err := s.PutBlob(ctx, strings.NewReader("last")); return err },
			} {
				switch err := write(); {
				case err == nil:
					got.WriteByte('o')
				case errors.Is(err, want):
					got.WriteByte('f')
				default:
					t.Errorf("a write failed with %v, want %v", err, want)
				}
			}
			if got.String() != c.want || s.Writes() != 4 {
				t.Errorf("writes went %s, want %s; %d counted", got.String(), c.want, s.Writes())
			}
			missing, err := disk.MissingBlobs(ctx, []pipeline.Digest{pipeline.DigestOf([]byte("blob"))})
			if err != nil || (len(missing) == 1) != (c.want[0] == 'f') {
				t.Errorf("first blob missing: %v (%v)", missing, err)
			}
		})
	}
}
