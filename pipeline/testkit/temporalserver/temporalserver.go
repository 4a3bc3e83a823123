// Package temporalserver starts Temporal's development server for the tests of a
// package, once, in a temporary folder.
package temporalserver

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// Variable names the program temporal; without it the one that make cluster keeps is
// taken.
const Variable = "MEMFORGE_TEMPORAL"

// Server is a development server whose memory is a file: killed and started again, it
// goes on.
type Server struct {
	dir, program string
	ports        [2]string
	testpostgres.Process
}

// server is the one server of this process; nil where only a part of what can be tried is
// asked for.
var server = sync.OnceValues(prepare)

func prepare() (*Server, error) {
	if !testsize.Full() {
		return nil, nil
	}
	program := os.Getenv(Variable)
	if program == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		program = filepath.Join(cache, "memforge/temporal-v1.5.1/temporal")
	}
	if _, err := os.Stat(program); err != nil {
		return nil, err
	}
	s := &Server{program: program}
	for i := range s.ports {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer free.Close()
		if _, s.ports[i], err = net.SplitHostPort(free.Addr().String()); err != nil {
			return nil, err
		}
	}
	var err error
	if s.dir, err = os.MkdirTemp("", "temporal-"); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(s.dir, "log"))
	s.Process = testpostgres.Process{Command: func() *exec.Cmd { return s.command(log) }, Ready: s.ready}
	return s, err
}

// Start gives the server, and skips the test where there is none.
func Start(t testing.TB) *Server {
	t.Helper()
	s, err := server()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.Skipf("%v; %s names the program temporal, and make cluster keeps one", err, Variable)
	case err != nil:
		t.Fatal(err)
	case s == nil:
		t.Skipf("a server of Temporal is started only for %s=all", testsize.Variable)
	}
	if !s.Running() {
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Address is host:port of the server.
func (s *Server) Address() string { return "127.0.0.1:" + s.ports[0] }

// command starts the server; it ends with this process.
func (s *Server) command(log *os.File) *exec.Cmd {
	cmd := exec.Command(s.program, "server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", s.ports[0], "--http-port", s.ports[1],
		"--db-filename", filepath.Join(s.dir, "db"), "--sqlite-pragma", "journal_mode=WAL", "--sqlite-pragma", "synchronous=NORMAL", "--log-level", "error")
	cmd.Env = append(os.Environ(), "HOME="+s.dir)
	cmd.Stdout, cmd.Stderr = log, log
	return cmd
}

// ready is no error once the server has its namespace, which it makes once it listens.
func (s *Server) ready() error {
	cmd := exec.Command(s.program, "operator", "namespace", "describe", "--address", s.Address(), "-n", "default")
	cmd.Env = append(os.Environ(), "HOME="+s.dir)
	return cmd.Run()
}

// End ends the server that tests started, after the last one, and removes its folder.
func End() {
	s, err := server()
	if err != nil || s == nil {
		return
	}
	_ = s.Kill()
	_ = os.RemoveAll(s.dir)
}
