//go:build clouds

package storetest

import (
	"errors"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
)

// gatewayVariable names the program versitygw, which serves a folder as S3 does.
const gatewayVariable = "MEMFORGE_VERSITYGW"

// Gateway is a server of S3 whose objects are files.
type Gateway struct {
	Dir, address string
	testpostgres.Process
}

// Serving is the one server of this process.
var Serving = sync.OnceValues(serve)

// StartGateway is the server. Where there is none it skips the test.
func StartGateway(t testing.TB) *Gateway {
	t.Helper()
	testpostgres.URL(t) // its folder is where the server's are
	if os.Getenv(gatewayVariable) == "" {
		t.Skipf("%s does not name the program versitygw; .ci/cluster.sh does", gatewayVariable)
	}
	g, err := Serving()
	MustDo(t, err)
	return g
}

// URL is that of a new bucket.
func (g *Gateway) URL(t testing.TB) string {
	t.Helper()
	name := "t" + strconv.FormatInt(time.Now().UnixNano(), 36)
	MustDo(t, os.Mkdir(filepath.Join(g.Dir, "data", name), 0o755))
	q := url.Values{"endpoint": {"http://" + g.address}, "use_path_style": {"true"}, "region": {"us-east-1"}}
	return "s3://" + name + "?" + q.Encode()
}

func serve() (*Gateway, error) {
	dir, err := os.MkdirTemp(testpostgres.Folder(), "s3-")
	if err != nil {
		return nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &Gateway{Dir: dir, address: free.Addr().String()}
	g.Process = testpostgres.Process{Command: g.command, Ready: g.ready}
	err = errors.Join(free.Close(), os.Mkdir(filepath.Join(dir, "meta"), 0o755), os.Mkdir(filepath.Join(dir, "data"), 0o755),
		os.Setenv("AWS_ACCESS_KEY_ID", "memforge"), os.Setenv("AWS_SECRET_ACCESS_KEY", "of-this-test"))
	return g, errors.Join(err, g.Start())
}

func (g *Gateway) command() *exec.Cmd {
	cmd := exec.Command(os.Getenv(gatewayVariable), "--quiet", "--port", g.address, "posix", "--sidecar", filepath.Join(g.Dir, "meta"), filepath.Join(g.Dir, "data"))
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=memforge", "ROOT_SECRET_KEY=of-this-test")
	return cmd
}

func (g *Gateway) ready() error {
	conn, err := net.Dial("tcp", g.address)
	if err != nil {
		return err
	}
	return conn.Close()
}
