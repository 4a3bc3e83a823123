// Package testpostgres starts a PostgreSQL server for the tests of a package, once, in a
// temporary folder.
package testpostgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/pipeline/testkit/testwait"
)

// folderVariable names the folder of the server that runs, also to child processes.
const folderVariable = "MEMFORGE_TEST_DATABASE"

// RunTests runs the tests of a package and ends the server that they started.
func RunTests(m *testing.M) int {
	code := m.Run()
	if dir := os.Getenv(folderVariable); dir != "" {
		if err := errors.Join(stop(dir), os.RemoveAll(dir)); err != nil {
			fmt.Fprintln(os.Stderr, "end PostgreSQL:", err)
			return cmp.Or(code, 1)
		}
	}
	return code
}

// server is the server of this process.
var server = sync.OnceValues(start)

// URL is that of an empty database, or of an empty part of one. It skips the test where
// only a part of what can be tried is asked for, and where there is no PostgreSQL.
func URL(t testing.TB) string {
	t.Helper()
	if !testsize.Full() {
		t.Skipf("PostgreSQL is started only for %s=all", testsize.Variable)
	}
	dir := os.Getenv(folderVariable)
	if dir == "" {
		var err error
		if dir, err = server(); errors.Is(err, exec.ErrNotFound) {
			t.Skipf("%v; install postgresql", err)
		} else if err != nil {
			t.Fatal(err)
		}
	}
	schema := "t" + strconv.FormatInt(time.Now().UnixNano(), 36)
	q := url.Values{"host": {dir}, "schema": {schema}, "user": {"memforge"}}
	return "postgres:///postgres?" + q.Encode()
}

// Folder is that of the server, once a test had its URL, and removed with it.
func Folder() string { return os.Getenv(folderVariable) }

// Restart kills the server as a crash does, and starts it again after a while.
func Restart(t testing.TB, after time.Duration) {
	t.Helper()
	dir := os.Getenv(folderVariable)
	if err := command(t.Context(), "pg_ctl", "-D", dataFolder(dir), "-m", "immediate", "-w", "stop"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after) // it is away for so long
	if err := serve(dir); err != nil {
		t.Fatal(err)
	}
}

func dataFolder(dir string) string { return filepath.Join(dir, "data") }

func start() (string, error) {
	if _, err := program("initdb"); err != nil {
		return "", err
	}
	// Sockets have short paths, and the user postgres cannot look into root's folders.
	dir, err := os.MkdirTemp("/tmp", "memforge-db-")
	if err != nil {
		return "", err
	}
	if as := asPostgres(); as != nil {
		err = os.Chown(dir, int(as.Uid), int(as.Gid))
	}
	if err == nil {
		err = command(context.Background(), "initdb", "-D", dataFolder(dir), "-U", "memforge", "-A", "trust", "--no-sync", "--locale=C.UTF-8")
	}
	if err == nil {
		err = serve(dir)
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, os.Setenv(folderVariable, dir)
}

// serve starts the server of a folder and waits until it answers.
func serve(dir string) error {
	path, err := program("postgres")
	if err != nil {
		return err
	}
	cmd := exec.Command(path, "-D", dataFolder(dir), "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=200")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: asPostgres()}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, dir
	if err := errors.Join(StartChild(cmd), log.Close()); err != nil {
		return err
	}
	testwait.Poll(startTimeout, func() bool {
		err = command(context.Background(), "pg_isready", "-h", dir, "-q", "-d", "postgres", "-U", "memforge")
		return err == nil
	})
	return err
}

func stop(dir string) error {
	return command(context.Background(), "pg_ctl", "-D", dataFolder(dir), "-m", "fast", "-w", "stop")
}

// command runs a program of PostgreSQL.
func command(ctx context.Context, name string, args ...string) error {
	path, err := program(name)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: asPostgres()}
	cmd.Dir = "/"
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// program finds a program on the path or where Debian keeps those of the server.
func program(name string) (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) > 0 && err == nil {
		return found[len(found)-1], nil
	}
	return exec.LookPath(name)
}

// asPostgres is the user postgres for root, whom the server refuses, and nil for others.
func asPostgres() *syscall.Credential {
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	if err1 != nil || err2 != nil {
		return nil
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
