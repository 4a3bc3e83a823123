//go:build clouds

package store

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/pipelinetest/database"
)

// gatewayVariable names the program versitygw, which serves a folder as S3 does.
const gatewayVariable = "MEMFORGE_VERSITYGW"

// gateway is a server of S3 whose objects are files.
type gateway struct {
	dir, address string
	server       *exec.Cmd
}

// clouds are kinds of stores whose buckets need drivers of clouds.
func clouds(folder kind) []kind {
	s3 := folder
	s3.name = "s3"
	s3.place = func(t testing.TB) string { return placeIn(t, started(t).url(t)) }
	s3.object = func(_ anyStore, d pipeline.Digest) string {
		g, err := serving()
		if err != nil {
			return ""
		}
		// Names of buckets say when they were made: a test harms the store that it made.
		all, err := filepath.Glob(filepath.Join(g.dir, "data", "t*"))
		if err != nil || len(all) == 0 {
			return ""
		}
		return filepath.Join(slices.Max(all), "blobs", string(d[:2]), string(d))
	}
	return []kind{s3}
}

// serving is the one server of this process.
var serving = sync.OnceValues(serve)

func started(t testing.TB) *gateway {
	t.Helper()
	database.URL(t) // its folder is where the server's are
	if os.Getenv(gatewayVariable) == "" {
		t.Skipf("%s does not name the program versitygw; .ci/cluster.sh does", gatewayVariable)
	}
	g, err := serving()
	mustDo(t, err)
	return g
}

// url is that of a new bucket.
func (g *gateway) url(t testing.TB) string {
	t.Helper()
	name := "t" + strconv.FormatInt(time.Now().UnixNano(), 36)
	mustDo(t, os.Mkdir(filepath.Join(g.dir, "data", name), 0o755))
	q := url.Values{"endpoint": {"http://" + g.address}, "use_path_style": {"true"}, "region": {"us-east-1"}}
	return "s3://" + name + "?" + q.Encode()
}

func serve() (*gateway, error) {
	dir, err := os.MkdirTemp(database.Folder(), "s3-")
	if err != nil {
		return nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &gateway{dir: dir, address: free.Addr().String()}
	err = errors.Join(free.Close(), os.Mkdir(filepath.Join(dir, "meta"), 0o755), os.Mkdir(filepath.Join(dir, "data"), 0o755),
		os.Setenv("AWS_ACCESS_KEY_ID", "memforge"), os.Setenv("AWS_SECRET_ACCESS_KEY", "of-this-test"))
	return g, errors.Join(err, g.start())
}

func (g *gateway) start() error {
	g.server = exec.Command(os.Getenv(gatewayVariable), "--quiet", "--port", g.address, "posix", "--sidecar", filepath.Join(g.dir, "meta"), filepath.Join(g.dir, "data"))
	g.server.Env = append(os.Environ(), "ROOT_ACCESS_KEY=memforge", "ROOT_SECRET_KEY=of-this-test")
	if err := database.Child(g.server); err != nil {
		return err
	}
	for n := 0; ; n++ {
		conn, err := net.Dial("tcp", g.address)
		if err == nil {
			return conn.Close()
		}
		if n == 300 {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Blobs are put and read while the server of the bucket is killed and started again.
func TestBucketServerRestarts(t *testing.T) {
	g := started(t)
	s := openSharedAt(t, placeIn(t, g.url(t)))
	end := time.Now().Add(3 * time.Second)
	blobs := make([][]pipeline.Digest, 3)
	var work sync.WaitGroup
	for w := range blobs {
		work.Go(func() {
			for time.Now().Before(end) {
				text := strings.Repeat(time.Now().String(), 2000+w)
				b, err := s.PutBlob(context.Background(), strings.NewReader(text))
				if err != nil {
					t.Error(err)
					return
				}
				blobs[w] = append(blobs[w], b.Digest)
				forgetCopy(t, s, b.Digest)
				if got, err := readBlob(s, b.Digest); got != text || err != nil {
					t.Errorf("%d bytes read as %d, %v", len(text), len(got), err)
				}
			}
		})
	}
	for range 3 {
		time.Sleep(500 * time.Millisecond)
		mustDo(t, g.server.Process.Signal(syscall.SIGKILL))
		time.Sleep(200 * time.Millisecond)
		mustDo(t, g.start())
	}
	work.Wait()
	bad, err := s.SetAsideCorrupt(context.Background())
	if err != nil || len(bad) > 0 || len(blobs[0]) == 0 {
		t.Errorf("of %d, %d and %d blobs %d are damaged or gone, %v", len(blobs[0]), len(blobs[1]), len(blobs[2]), len(bad), err)
	}
}

// A blob of several parts is put and read past the cache.
func TestBlobOfManyParts(t *testing.T) {
	s := openSharedAt(t, placeIn(t, started(t).url(t)))
	text := strings.Repeat("0123456789abcdef", 5<<20) // 80 MB
	digest := put(t, s, text)
	forgetCopy(t, s, digest)
	if got, err := readBlob(s, digest); got != text || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
