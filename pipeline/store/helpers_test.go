package store

import (
	"context"
	"testing"
)

func open(tb testing.TB, dir string) *Disk {
	tb.Helper()
	d, err := OpenDisk(context.Background(), dir)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := d.Close(); err != nil {
			tb.Error(err)
		}
	})
	return d
}
