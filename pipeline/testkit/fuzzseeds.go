package testkit

import (
	"bytes"
	"os"
	"testing"
)

// AddFuzzLines makes the lines of files the first inputs of a fuzz target.
func AddFuzzLines(f *testing.F, names ...string) {
	f.Helper()
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			f.Add(bytes.TrimSpace(line))
		}
	}
}
