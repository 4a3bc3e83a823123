package store_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/store"
)

func TestOpenByURL(t *testing.T) {
	dir := t.TempDir()
	st, err := store.Open(t.Context(), "file://"+filepath.ToSlash(dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := store.OpenReadOnly(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	var none *atomicfile.URLError
	if st, err := store.Open(t.Context(), "s3://bucket"); st != nil || !errors.As(err, &none) || none.Scheme != "s3" {
		t.Errorf("%v, %v", st, err)
	}
}
