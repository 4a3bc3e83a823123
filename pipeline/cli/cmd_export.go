package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/kit/safetext"
)

type exportCmd struct {
	releaseFlags `embed:""`

	formats []export.Format

	Format  string `required:"" placeholder:"NAME" help:"The layout: ${exports}."`
	Force   bool   `help:"Replace an earlier export in the same place."`
	Copy    bool   `help:"Copy videos. Without it they are hard links into the release where the file system allows."`
	BuiltIn bool   `name:"allow-built-in" help:"Export questions that the built-in model wrote too. The export says so; they are no benchmark."`
	Release string `arg:"" placeholder:"RELEASE" help:"Folder of a release."`
	Out     string `arg:"" placeholder:"OUT" help:"Folder to write below."`
}

// Help is shown below the flags.
func (c exportCmd) Help() string {
	var each strings.Builder
	for _, f := range c.formats {
		fmt.Fprintf(&each, "%s: %s\n", f.Name, f.Help)
	}
	return `Writes a release as another project publishes its data, so that its tools run on
it unchanged. The release is verified first and never changed.

` + each.String() + `
Examples:
  memforge export --format FORMAT "$(memforge release latest)" out/exported
  memforge export --format FORMAT --force --copy out/releases/demo/1.0.0 ../exported`
}

// Run writes the export and says what the other project cannot use.
func (c exportCmd) Run(e *env) error {
	if err := checkReleaseDir("export", c.Release); err != nil {
		return err
	}
	i := slices.IndexFunc(c.formats, func(f export.Format) bool { return f.Name == c.Format })
	if i < 0 {
		return &usageError{fmt.Errorf("--format must be one of %s, and is %q", joinNames(c.formats, formatName), c.Format)}
	}
	res, err := export.Write(e, c.formats[i], c.Release, c.Out, export.Options{Force: c.Force, Copy: c.Copy, BuiltIn: c.BuiltIn, Limits: c.limits()})
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%d files and %d media files (%d linked, %d copied, %d bytes)\n%s\n",
		res.Files, res.Linked+res.Copied, res.Linked, res.Copied, res.Bytes, shortPath(res.Dir))
	for _, n := range res.Notes {
		safetext.Fprintf(e.err, "note: %s\n", n)
	}
	return nil
}

func formatName(f export.Format) string { return f.Name }

// joinNames lists what plugins brought.
func joinNames[T any](all []T, name func(T) string) string {
	names := make([]string, len(all))
	for i, v := range all {
		names[i] = name(v)
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// checkReleaseDir tells a folder that is not there from one that does not verify.
func checkReleaseDir(command, dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return &inputError{fmt.Errorf("%s: there is no folder %s; `memforge release list` shows the releases", command, dir)}
	case err == nil && !info.IsDir():
		return &inputError{fmt.Errorf("%s: %s is no folder; name the folder of a release, `memforge release list` shows them", command, dir)}
	}
	return nil
}
