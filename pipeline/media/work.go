package media

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// work is a folder for half-made files inside the caller's folder. Nothing in
// it is a result; publish moves a finished file out.
type work struct{ out, dir string }

func newWork(dir string) (work, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return work{}, err
	}
	tmp, err := os.MkdirTemp(abs, ".media-*")
	if err != nil {
		return work{}, fmt.Errorf("make a work folder: %w", err)
	}
	return work{out: abs, dir: tmp}, nil
}

func (w work) path(name string) string { return filepath.Join(w.dir, name) }

func (w work) remove() { _ = os.RemoveAll(w.dir) }

// publish moves a finished file to its final name, which is the SHA-256 of its
// bytes: it says nothing about the content, and equal files share one name.
func (w work) publish(name string) (string, error) {
	sum, err := fileSum(w.path(name))
	if err != nil {
		return "", err
	}
	final := filepath.Join(w.out, sum+filepath.Ext(name))
	if err := os.Rename(w.path(name), final); err != nil {
		return "", fmt.Errorf("publish: %w", err)
	}
	return final, nil
}

func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("hash: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// checkSize refuses a file that reached the limit: it was cut there.
func checkSize(path string, lim Limits) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	if lim.MaxOutputBytes > 0 && info.Size() >= lim.MaxOutputBytes {
		return unplayable(CodeOutputSize, "the output reached the limit of %d bytes; raise it or use a shorter input", lim.MaxOutputBytes)
	}
	return nil
}
