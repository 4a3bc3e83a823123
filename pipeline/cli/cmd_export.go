package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/kit/safetext"
)

type exportCmd struct {
	releaseFlags `embed:""`

	formats []export.Format

	Format  string   `required:"" placeholder:"NAME" completion:"formats" help:"The layout: ${exports}."`
	Force   bool     `help:"Replace an earlier export in the same place."`
	Copy    bool     `help:"Copy videos, instead of hard links into the release where the file system allows them."`
	Family  []string `placeholder:"FAMILY" help:"Take the questions of this family alone; may be repeated."`
	BuiltIn bool     `name:"allow-built-in" help:"Export questions that the built-in model wrote, too. The export says so; they are no benchmark."`
	Release string   `arg:"" placeholder:"RELEASE" help:"Folder of a release."`
	Out     string   `arg:"" placeholder:"OUT" help:"Folder to write below."`
}

func (c exportCmd) Help() string {
	var each strings.Builder
	for _, f := range c.formats {
		fmt.Fprintf(&each, "%s: %s\n", f.Name, f.Help)
	}
	return `Writes a release in the layout in which another project publishes its data, so that
its tools work on it unchanged. The release is verified first and never changed.

` + each.String() + `
Examples:
  memforge export --format FORMAT "$(memforge release latest)" out/exported
  memforge export --format FORMAT --force --copy out/releases/demo/1.0.0 ../exported`
}

func (c exportCmd) Run(e *env) error {
	if err := checkReleaseDir("export", c.Release); err != nil {
		return err
	}
	format, err := selectNamed("--format", c.Format, c.formats, formatName)
	if err != nil {
		return err
	}
	res, err := export.Write(e, format, c.Release, c.Out, export.Options{
		Force: c.Force, Copy: c.Copy, BuiltIn: c.BuiltIn, Limits: c.limits(),
		Choice: benchformat.Choice{Families: c.Family, Claims: export.Claims(c.formats)},
	})
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

// joinNames lists the names of what plugins registered.
func joinNames[T any](all []T, name func(T) string) string {
	return cmp.Or(strings.Join(namesOf(all, name), ", "), "none")
}

func namesOf[T any](all []T, name func(T) string) []string {
	names := make([]string, len(all))
	for i, v := range all {
		names[i] = name(v)
	}
	return names
}

// selectNamed returns what a flag names.
func selectNamed[T any](flag, wanted string, all []T, name func(T) string) (found T, err error) {
	i := slices.IndexFunc(all, func(v T) bool { return name(v) == wanted })
	if i < 0 {
		return found, &usageError{fmt.Errorf("%s must be one of %s, and is %q", flag, joinNames(all, name), wanted)}
	}
	return all[i], nil
}

// checkReleaseDir tells a missing folder from one that does not verify.
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
