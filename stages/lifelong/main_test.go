package lifelong_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets garbage wait: the tests make much of it and keep little.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
