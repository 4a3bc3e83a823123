package release

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

const childRoot = "MEMFORGE_TEST_KILLED_ROOT"

// TestKilledWriterChild is the process that TestKilledWriter kills: it writes a
// release from a store that stops in the middle of a medium.
func TestKilledWriterChild(t *testing.T) {
	root := os.Getenv(childRoot)
	if root == "" {
		t.Skip("runs as a child of TestKilledWriter only")
	}
	store, in := sample(t, 6)
	store.spoil = func(d pipeline.Digest, r io.Reader) io.Reader {
		if len(store.blobs[d]) < 5000 { // the picture, read before anything is written
			return r
		}
		return io.MultiReader(io.LimitReader(r, 100), stopped{})
	}
	_, err := Write(t.Context(), store, root, in, Options{})
	t.Fatalf("not killed: %v", err)
}

type stopped struct{}

func (stopped) Read([]byte) (int, error) {
	fmt.Println("stopped")
	_, _ = io.Copy(io.Discard, os.Stdin) // until the parent kills it, or ends
	return 0, io.ErrUnexpectedEOF
}

func TestKilledWriter(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestKilledWriterChild$")
	child.Env = append(os.Environ(), childRoot+"="+root)
	if _, err := child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "stopped"; {
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err == nil {
		t.Fatal("the child ended well")
	}
	if left, err := filepath.Glob(filepath.Join(root, "demo", partialPrefix+"*", "data")); err != nil || len(left) != 1 {
		t.Errorf("the child was not killed while writing: %v %v", left, err)
	}
	if all, err := List(root); err != nil || len(all) != 0 {
		t.Errorf("half a release is listed: %v %v", all, err)
	}
	store, in := sample(t, 6)
	mustVerify(t, write(t, store, root, in).Dir)
	noPartial(t, root)
}
