package ledgerurl_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/model/ledger/ledgerurl"
)

// A URL goes to the kind that it names, and where nothing is opened there is nothing.
func TestOpenByURL(t *testing.T) {
	st, err := ledgerurl.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	st, err = ledgerurl.Open(t.Context(), "postgres:///x?password=secret")
	if st != nil || err == nil || !strings.Contains(err.Error(), "PGPASSWORD") {
		t.Errorf("%v, %v", st, err)
	}
	var none *atomicfile.URLError
	if st, err := ledgerurl.Open(t.Context(), "s3://bucket"); st != nil || !errors.As(err, &none) || none.Scheme != "s3" {
		t.Errorf("%v, %v", st, err)
	}
}
