package cli

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/memforge/memforge/pipeline/export"
	"github.com/memforge/memforge/pipeline/export/m3eval"
	"github.com/memforge/memforge/pipeline/plain"
)

type exportCmd struct {
	reading `embed:""`

	Format  string `enum:"m3eval" required:"" placeholder:"NAME" help:"The layout: ${enum}."`
	Force   bool   `help:"Replace an earlier export in the same place."`
	Copy    bool   `help:"Copy videos. Without it they are hard links into the release where the file system allows."`
	BuiltIn bool   `name:"allow-built-in" help:"Export questions that the built-in model wrote too. The export says so; they are no benchmark."`
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
	res, err := export.Write(e, format, c.Release, c.Out, export.Options{Force: c.Force, Copy: c.Copy, BuiltIn: c.BuiltIn, Limits: c.limits()})
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%d files and %d videos (%d linked, %d copied, %d bytes)\n%s\n",
		res.Files, res.Linked+res.Copied, res.Linked, res.Copied, res.Bytes, shown(res.Dir))
	for _, n := range res.Notes {
		plain.Fprintf(e.err, "note: %s\n", n)
	}
	return nil
}

// releaseThere tells a folder that is not there from one that does not verify.
func releaseThere(command, dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return &inputError{fmt.Errorf("%s: there is no folder %s; `memforge release list` shows the releases", command, dir)}
	case err == nil && !info.IsDir():
		return &inputError{fmt.Errorf("%s: %s is no folder; name the folder of a release, `memforge release list` shows them", command, dir)}
	}
	return nil
}
