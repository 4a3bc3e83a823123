package fetch

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline"
)

// downloadIndex remembers, between runs, under which SHA-256 the store has a file of
// which only the git SHA-1 is known before it is there. Without it a fetch that
// was killed before the lock was written would download such files once more.
// Each line of the file is "git-sha1 sha256 bytes end", for behind a pointer of Git LFS
// stands a larger file; a line that was cut off by a kill counts for nothing.
type downloadIndex struct {
	path string
	mu   sync.Mutex
	// known is nil until the file was read.
	known map[string]pipeline.Blob
}

// find returns what stands for a git blob in the store; without a digest if that
// is not known.
func (f *downloadIndex) find(gitSHA string) (pipeline.Blob, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.load(); err != nil {
		return pipeline.Blob{}, err
	}
	return f.known[gitSHA], nil
}

// note remembers a file that is in the store now.
func (f *downloadIndex) note(gitSHA string, b pipeline.Blob) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.load(); err != nil {
		return err
	}
	if f.known[gitSHA] == b {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return fmt.Errorf("make folder for downloads: %w", err)
	}
	out, err := os.OpenFile(f.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("note a finished download: %w", err)
	}
	// The line break in front ends a line that a kill cut off.
	_, err = fmt.Fprintf(out, "\n%s %s %d end", gitSHA, b.Digest, b.Size)
	if closing := out.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("note a finished download: %w", err)
	}
	f.known[gitSHA] = b
	return nil
}

func (f *downloadIndex) load() error {
	if f.known != nil {
		return nil
	}
	known := map[string]pipeline.Blob{}
	in, err := os.Open(f.path)
	if os.IsNotExist(err) {
		f.known = known
		return nil
	}
	if err != nil {
		return fmt.Errorf("read finished downloads: %w", err)
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 4 {
			continue
		}
		d, err := pipeline.ParseDigest(fields[1])
		size, bad := strconv.ParseInt(fields[2], 10, 64)
		if err == nil && bad == nil && isCommit(fields[0]) {
			known[fields[0]] = pipeline.Blob{Digest: d, Size: size}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read finished downloads: %w", err)
	}
	f.known = known
	return nil
}
