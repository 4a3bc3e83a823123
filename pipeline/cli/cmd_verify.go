package cli

import (
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline/kit/safetext"
)

type verifyCmd struct {
	releaseFlags `embed:""`

	Pubkey *string `placeholder:"FILE|KEY" help:"Check the release's signature with this public key of minisign, a file or the key itself."`
	Dir    string  `arg:"" placeholder:"DIR" help:"Folder of a release."`
}

// Help is shown below the flags.
func (verifyCmd) Help() string {
	return `Every byte, schema, reference and count is checked. It needs no
configuration and no network; a release from a stranger is safe to verify: what
would take more than --max-inflated is refused before it is read.

With --pubkey it ends with code 15 unless the owner of that key signed these very
bytes. Without, nothing says who made the release.

Examples:
  memforge verify out/releases/demo/1.0.0
  memforge verify --pubkey benchmarks.pub out/releases/demo/1.0.0
  memforge verify "$(memforge release latest)"`
}

// Run checks a release and says how much was checked.
func (c verifyCmd) Run(e *env) error {
	if err := checkReleaseDir("verify", c.Dir); err != nil {
		return err
	}
	report, err := c.limits().Verify(e, c.Dir)
	if err != nil {
		return err
	}
	signature, err := checkSignature(c.Pubkey, []byte(report.Sums), report.Signature)
	if err != nil {
		return err
	}
	safetext.Fprintf(e.out, "%s %s verified: %d files, %d bytes\n",
		report.Manifest.Name, report.Manifest.Version, report.Files, report.Bytes)
	for _, table := range slices.Sorted(maps.Keys(report.Rows)) {
		safetext.Fprintf(e.out, "  %-14s %d rows\n", table, report.Rows[table])
	}
	safetext.Fprintf(e.out, "signature: %s\n", signature)
	return nil
}

// inputError says that what a command was given to work on is not there.
type inputError struct{ err error }

func (e *inputError) Error() string { return e.err.Error() }
func (e *inputError) Unwrap() error { return e.err }
