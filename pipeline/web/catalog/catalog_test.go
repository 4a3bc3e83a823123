package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/videorelease"
	"github.com/memforge/memforge/pipeline/web/catalog"
)

// childVariable makes this program the child of a catalog.
const childVariable = "MEMFORGE_TEST_CATALOG_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		handled, err := runTestChild(context.Background(), os.Args[1:])
		if !handled {
			err = catalog.RunChild(context.Background(), os.Args[1:], os.Stdin, os.Stdout)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// open opens a release with a child that reads it.
func open(t testing.TB, dir string) *catalog.Catalog {
	t.Helper()
	t.Setenv(childVariable, "1")
	c, err := catalog.Open(t.Context(), dir, catalog.Options{Command: []string{os.Args[0]}, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func sample(t testing.TB) string {
	t.Helper()
	dir, err := videorelease.Write(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestPagesFollowEachOther(t *testing.T) {
	c := open(t, sample(t))
	var ids []string
	for q := (catalog.Query{Limit: 4}); ; {
		page, err := c.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Rows {
			ids = append(ids, r.ID)
		}
		if page.First != int64(len(ids)-len(page.Rows)+1) {
			t.Errorf("page after %q begins at %d", q.After, page.First)
		}
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	if n := int(c.Tables()[0].Rows); len(ids) != n || n == 0 {
		t.Fatalf("%d of %d questions in pages", len(ids), n)
	}
	for i, id := range ids {
		item, err := c.Item(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if item.Question.QuestionID != id || item.Number != int64(i) || len(item.Unread) > 0 {
			t.Errorf("item %s: %+v", id, item)
		}
		before, after, place, _, err := c.Neighbours(t.Context(), catalog.Query{}, item.Number)
		if err != nil || place != int64(i+1) || i > 0 && before != ids[i-1] || i+1 < len(ids) && after != ids[i+1] {
			t.Errorf("neighbours of %s: %q, %q, %d, %v", id, before, after, place, err)
		}
	}
	if _, err := c.Item(t.Context(), "../nothing"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("an unknown id: %v", err)
	}
}
