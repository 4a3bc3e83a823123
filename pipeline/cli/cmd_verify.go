package cli

import (
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline/release"
)

type verifyCmd struct {
	Dir string `arg:"" placeholder:"DIR" help:"Folder of a release."`
}

// Help is shown below the flags.
func (verifyCmd) Help() string {
	return `Every byte, schema, reference and count is checked. It needs no
configuration and no network; a release from a stranger is safe to verify.

Examples:
  memforge verify out/releases/demo/1.0.0
  memforge verify "$(memforge release latest)"`
}

// Run checks a release and says how much was checked.
func (c verifyCmd) Run(e *env) error {
	if err := releaseThere("verify", c.Dir); err != nil {
		return err
	}
	report, err := release.Verify(e, c.Dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%s %s verified: %d files, %d bytes\n",
		report.Manifest.Name, report.Manifest.Version, report.Files, report.Bytes)
	for _, table := range slices.Sorted(maps.Keys(report.Rows)) {
		fmt.Fprintf(e.out, "  %-14s %d rows\n", table, report.Rows[table])
	}
	return nil
}

// inputError says that what a command was given to work on is not there.
type inputError struct{ err error }

func (e *inputError) Error() string { return e.err.Error() }
func (e *inputError) Unwrap() error { return e.err }
