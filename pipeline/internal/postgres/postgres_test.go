package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
	"github.com/memforge/memforge/pipeline/testkit/testwait"
)

func TestMain(m *testing.M) { os.Exit(testpostgres.RunTests(m)) }

func TestParse(t *testing.T) {
	p, err := Parse("postgres://me@db.example:5433/films?sslmode=verify-full&bucket=s3%3A%2F%2Fb%3Fregion%3Dx&schema=team_1", "bucket", "cache")
	if err != nil {
		t.Fatal(err)
	}
	if p.Schema != "team_1" || p.Own.Get("bucket") != "s3://b?region=x" || p.Own.Has("cache") {
		t.Errorf("%+v", p)
	}
	if got := p.url.String(); got != "postgres://me@db.example:5433/films?sslmode=verify-full" {
		t.Errorf("the database is asked for %s", got)
	}
	if got := p.String(); got != "postgres://me@db.example:5433/films" {
		t.Errorf("shown as %s", got)
	}
	for _, url := range []string{
		"postgres://me:secret@h/db", "postgres://h/db?password=secret", "postgres://me:secret@h/%zz", "mysql://h/db",
		"postgres://h/db?schema=a;drop", "postgres://h/db?schema=Team",
	} {
		if _, err := Parse(url); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestWhatPasses(t *testing.T) {
	for _, tc := range []struct {
		err  error
		pass bool
	}{
		{&pgconn.PgError{Code: "57P01"}, true}, {&pgconn.PgError{Code: "40P01"}, true}, {&pgconn.PgError{Code: "08006"}, true},
		{&pgconn.PgError{Code: "23505"}, false}, {&pgconn.PgError{Code: "28P01"}, false},
		{context.Canceled, false}, {context.DeadlineExceeded, false}, {errors.New("else"), false},
		{fmt.Errorf("read: %w", os.ErrDeadlineExceeded), true}, {fmt.Errorf("begin: %w", pgconn.ErrConnClosed), true},
	} {
		if got := IsTransient(tc.err); got != tc.pass {
			t.Errorf("%v: %t", tc.err, got)
		}
		tries := 0
		err := Retry(t.Context(), func() error {
			if tries++; tries == 2 {
				return nil
			}
			return tc.err
		})
		if (err == nil) != tc.pass || !tc.pass && !errors.Is(err, tc.err) {
			t.Errorf("%v: tried %d times, %v", tc.err, tries, err)
		}
	}
}

// Of many who open a new database at once one makes the tables, step after step.
func TestMigrationsByMany(t *testing.T) {
	p, err := Parse(testpostgres.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	part := Migrations{Name: "test", Steps: []string{`CREATE TABLE a (n integer)`}}
	if _, err := OpenReadOnly(t.Context(), p, part); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("read without tables: %v", err)
	}
	all := func(part Migrations) {
		t.Helper()
		var work sync.WaitGroup
		for range 8 {
			work.Go(func() {
				db, err := Open(t.Context(), p, part)
				if err != nil {
					t.Error(err)
					return
				}
				db.Close()
			})
		}
		work.Wait()
	}
	all(part)
	two := Migrations{Name: "test", Steps: append(part.Steps, `INSERT INTO a VALUES (1)`)}
	if _, err := OpenReadOnly(t.Context(), p, two); err == nil || !strings.Contains(err.Error(), "version 1") {
		t.Errorf("read tables of before: %v", err)
	}
	all(two)
	db, err := Open(t.Context(), p, two)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var rows int
	if err := db.QueryRow(t.Context(), `SELECT count(*) FROM a`).Scan(&rows); err != nil || rows != 1 {
		t.Errorf("the second step ran %d times, %v", rows, err)
	}
	if _, err := Open(t.Context(), p, part); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("opened tables of a later version: %v", err)
	}
	broken := Migrations{Name: "test", Steps: append(two.Steps, `CREATE TABLE b (n integer)`, `nonsense`)}
	if _, err := Open(t.Context(), p, broken); err == nil {
		t.Error("a broken step passed")
	}
	if _, err := db.Exec(t.Context(), `SELECT * FROM b`); err == nil {
		t.Error("half of what failed was kept")
	}
}

func TestReadOnlyWritesNothing(t *testing.T) {
	p, err := Parse(testpostgres.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	part := Migrations{Name: "test", Steps: []string{`CREATE TABLE a (n integer)`}}
	w, err := Open(t.Context(), p, part)
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	r, err := OpenReadOnly(t.Context(), p, part)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Exec(t.Context(), `INSERT INTO a VALUES (1)`); err == nil {
		t.Error("a reader wrote")
	}
}

// What is asked while the server restarts is answered once it is back.
func TestServerRestarts(t *testing.T) {
	p, err := Parse(testpostgres.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), p, Migrations{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ended := make(chan error)
	var answered atomic.Int64
	restarted := make(chan struct{})
	go func() {
		for after := 0; after < 20; {
			if err := Retry(t.Context(), func() error { return db.Ping(t.Context()) }); err != nil {
				ended <- err
				return
			}
			answered.Add(1)
			select {
			case <-restarted:
				after++
			default:
			}
		}
		ended <- nil
	}()
	testwait.Until(t, "answers before the restart", func() bool { return answered.Load() >= 20 })
	testpostgres.Restart(t, 200*time.Millisecond)
	close(restarted)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
