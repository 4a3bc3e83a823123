package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/memforge/memforge/pipeline/export"
	"github.com/memforge/memforge/pipeline/export/m3eval"
)

type exportCmd struct {
	Format  string `enum:"m3eval" required:"" placeholder:"NAME" help:"The layout: ${enum}."`
	Force   bool   `help:"Replace an earlier export in the same place."`
	Copy    bool   `help:"Copy videos. Without it they are hard links into the release where the file system allows."`
	Release string `arg:"" placeholder:"RELEASE" help:"Folder of a release."`
	Out     string `arg:"" placeholder:"OUT" help:"Folder to write below."`
}

// Help is shown below the flags.
func (exportCmd) Help() string {
	return `Writes a release as another project publishes its data, so that its tools run on
it unchanged. The release is verified first and never changed. For m3eval, OUT
may be a checkout of its repository: the files appear in OUT/data/m3eval.

Examples:
  memforge export --format m3eval "$(memforge release latest)" out/m3eval
  memforge export --format m3eval --force --copy out/releases/demo/1.0.0 ../m3eval`
}

// Run writes the export and says what the other project cannot use.
func (c exportCmd) Run(e *env) error {
	if err := releaseThere("export", c.Release); err != nil {
		return err
	}
	format := map[string]export.Format{"m3eval": m3eval.Format()}[c.Format]
	res, err := export.Write(e, format, c.Release, c.Out, export.Options{Force: c.Force, Copy: c.Copy})
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%d files and %d videos (%d linked, %d copied, %d bytes)\n%s\n",
		res.Files, res.Linked+res.Copied, res.Linked, res.Copied, res.Bytes, shown(res.Dir))
	for _, n := range res.Notes {
		fmt.Fprintf(e.err, "note: %s\n", n)
	}
	return nil
}

// releaseThere tells a folder that is not there from one that does not verify.
func releaseThere(command, dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return &inputError{fmt.Errorf("%s: there is no folder %s; `memforge release list` shows the releases", command, dir)}
	}
	return nil
}
