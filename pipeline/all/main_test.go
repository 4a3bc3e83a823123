package all_test

import (
	"os"
	"testing"

	"github.com/memforge/memforge/pipeline/all"
	"github.com/memforge/memforge/pipeline/cli"
)

// childVariable makes the test's binary a memforge, to be killed.
const childVariable = "MEMFORGE_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(cli.Main(all.Registry(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
	}
	os.Exit(m.Run())
}
