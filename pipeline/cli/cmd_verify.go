package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/safetext"
)

type verifyCmd struct {
	releaseFlags `embed:""`

	Pubkey *string `placeholder:"FILE|KEY" help:"Check the release's signature with this public key of minisign, a file or the key itself."`
	Dir    string  `arg:"" placeholder:"DIR" completion:"releases" help:"Folder of a release."`
}

func (verifyCmd) Help() string {
	return `Checks every byte, schema, reference and count. It needs no configuration and no
network. A release from an unknown source is safe to verify: what needs more than
--max-inflated is rejected before it is read.

With --pubkey the exit code is 15 unless the owner of that key signed exactly these
bytes. Without it, nothing proves who made the release.

Examples:
  memforge verify out/releases/demo/1.0.0
  memforge verify --pubkey benchmarks.pub out/releases/demo/1.0.0
  memforge verify "$(memforge release latest)"`
}

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
	if report.Links > 0 {
		safetext.Fprintf(e.out, "%d files are links, the first to %s; their bytes were checked\n", report.Links, report.LinkTarget)
	}
	if len(report.Added) > 0 {
		safetext.Fprintf(e.out, "not of the release, and not looked into: %s\n", strings.Join(report.Added, ", "))
	}
	if n := len(report.Referenced); n > 0 {
		safetext.Fprintf(e.out, "%d media referenced, not shipped: their files are not checked; memforge hydrate makes them\n", n)
	}
	safetext.Fprintf(e.out, "signature: %s\n", signature)
	return nil
}
