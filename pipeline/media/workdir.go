package media

import (
	"fmt"
	"os"
	"path/filepath"
)

// workDir is a folder for half-made files inside the caller's folder. Nothing
// in it is a result; publish moves a finished file out.
type workDir struct{ out, dir string }

func newWork(dir string) (workDir, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return workDir{}, err
	}
	tmp, err := os.MkdirTemp(abs, ".media-*")
	if err != nil {
		return workDir{}, fmt.Errorf("make a work folder: %w", err)
	}
	return workDir{out: abs, dir: tmp}, nil
}

func (w workDir) path(name string) string { return filepath.Join(w.dir, name) }

func (w workDir) remove() { _ = os.RemoveAll(w.dir) }

// publish moves a finished file out of the folder. Its new name is random: it
// says nothing about the content, and moving one result away never takes
// another with it.
func (w workDir) publish(name string) (string, error) {
	reserved, err := os.CreateTemp(w.out, "*"+filepath.Ext(name))
	if err != nil {
		return "", fmt.Errorf("publish: %w", err)
	}
	if err := reserved.Close(); err != nil {
		return "", fmt.Errorf("publish: %w", err)
	}
	if err := os.Chmod(w.path(name), 0o644); err != nil {
		return "", fmt.Errorf("publish: %w", err)
	}
	if err := os.Rename(w.path(name), reserved.Name()); err != nil {
		return "", fmt.Errorf("publish: %w", err)
	}
	return reserved.Name(), nil
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
