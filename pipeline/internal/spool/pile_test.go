package spool

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

func thing(i int) []byte { return []byte(strings.Repeat(fmt.Sprintf("record %d, ", i), i%50)) }

// TestWhatIsPutAsideComesBack whatever part of it is on disk, to any number of readers
// at once, and nothing is left of the file.
func TestWhatIsPutAsideComesBack(t *testing.T) {
	t.Parallel()
	const n = 500
	for _, memory := range []int{0, 700, 1 << 20} {
		dir := t.TempDir()
		p := New(dir, memory)
		var at []Position
		for i := range n {
			place, err := p.Put(thing(i))
			if err != nil {
				t.Fatal(err)
			}
			at = append(at, place)
		}
		if (p.file != nil) != (memory < 1<<20) || len(p.tail) > max(memory, 0) {
			t.Errorf("memory %d: file %v, %d bytes in memory", memory, p.file, len(p.tail))
		}
		var all sync.WaitGroup
		for worker := range 4 {
			all.Go(func() {
				for i := range n {
					i = (i*7 + worker) % n
					if got, err := p.Get(at[i]); err != nil || !bytes.Equal(got, thing(i)) {
						t.Errorf("memory %d: %q, %v; want %q", memory, got, err, thing(i))
						return
					}
				}
			})
		}
		all.Wait()
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			t.Errorf("memory %d: %v, %d files", memory, err, len(files))
		}
		for range 2 {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestAFullDiskIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := New(t.TempDir()+"/gone", 0).Put([]byte("x")); err == nil {
		t.Error("it went nowhere")
	}
	p := New(t.TempDir(), 0)
	at, err := p.Put([]byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.file.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Get(at); err == nil {
		t.Errorf("%q came back from a file that was cut off", got)
	}
}
