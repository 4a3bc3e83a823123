package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// rebuildFlags say what a rebuild may use besides the release.
type rebuildFlags struct {
	Inputs string `placeholder:"DIR" help:"Folder with the local files that sources read: the paths of table sources start there."`
	Cache  string `placeholder:"DIR" help:"Folder of a build cache from which pinned downloads are taken."`
	Trust  bool   `help:"Let the recipe, which may be a stranger's, download files and ask models with your keys."`
}

type rebuildCmd struct {
	releaseFlags `embed:""`
	rebuildFlags `embed:""`

	JSON    bool    `name:"json" help:"Print the comparison as JSON."`
	MaxCost *amount `placeholder:"AMOUNT" help:"Stop before models cost more than this, in the currency of their prices; 0 spends nothing."`
	Dir     string  `arg:"" placeholder:"RELEASE" completion:"releases" help:"Folder of a release."`
}

func (rebuildCmd) Help() string {
	return `Verifies a release, builds it again from the recipe in it, in a folder that is removed
afterwards, and compares every file byte for byte. --out keeps the folder. The exit code
is 12 if a file differs.

A recipe may be a stranger's. It can name no command and reads no file outside --inputs.
It uses no network and asks no model unless --trust is given; without it, recorded answers
in the release and downloads in --cache are used, and an error lists what the recipe would
fetch and ask. A build takes the time and disk space that its configuration asks for.

Examples:
  memforge rebuild out/releases/demo/1.0.0
  memforge rebuild --cache out/store --inputs . out/releases/demo/1.0.0
  memforge rebuild --trust --max-cost 5 --out /tmp/again demo/1.0.0`
}

func (c rebuildCmd) Run(e *env) error {
	if err := checkReleaseDir("rebuild", c.Dir); err != nil {
		return err
	}
	contents, err := c.limits().Read(e, c.Dir)
	if err != nil {
		return err
	}
	info, sources := release.Info{Dir: contents.Dir, Manifest: contents.Manifest}, contents.Sources
	contents = release.Contents{} // its rows take memory that the build needs
	report, err := c.rebuild(e, info, sources, c.MaxCost)
	if err != nil {
		return err
	}
	if c.JSON {
		err = writeJSON(e.out, report)
	} else {
		err = printRebuild(e.out, report)
	}
	return errors.Join(err, rebuildError(report))
}

// rebuild builds a verified release again and compares.
func (c rebuildFlags) rebuild(e *env, info release.Info, sources []schemas.Source, most *amount) (report assemble.RebuildReport, err error) {
	opt := assemble.RebuildOptions{Trust: c.Trust}
	for flag, to := range map[string]struct {
		given string
		abs   *string
	}{"--inputs": {c.Inputs, &opt.Inputs}, "--cache": {c.Cache, &opt.Cache}, "--out": {e.options.Out, &opt.Scratch}} {
		if to.given == "" {
			continue
		}
		if *to.abs, err = filepath.Abs(to.given); err != nil {
			return report, fmt.Errorf("%s %s: %w", flag, to.given, err)
		}
	}
	if opt.Scratch == "" {
		if opt.Scratch, err = os.MkdirTemp("", "memforge-rebuild-"); err != nil {
			return report, fmt.Errorf("folder for the rebuilt release: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(opt.Scratch)) }()
	}
	again, err := assemble.OpenRebuild(e, e.reg, info, sources, opt)
	if err != nil {
		return report, err
	}
	if c.Trust && len(again.Wants) > 0 {
		safetext.Fprintf(e.err, "the recipe may:\n  %s\n", strings.Join(again.Wants, "\n  "))
	}
	res, err := buildCmd{MaxCost: most}.runWithProgress(e, again.Config, again.Options)
	if err != nil {
		return report, again.Explain(err)
	}
	if sameFolder(res.Release.Dir, info.Dir) {
		return report, &usageError{fmt.Errorf("--out %s holds the release itself; name another folder", e.options.Out)}
	}
	return again.Compare(res.Release.Dir)
}

func sameFolder(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errors.Join(errX, errY) == nil && os.SameFile(x, y)
}

func rebuildError(r assemble.RebuildReport) error {
	if len(r.Differs) == 0 {
		return nil
	}
	return &auditError{audit.Differs, fmt.Sprintf("%d of %d files differ from those that the recipe gives here", len(r.Differs), r.Files)}
}

func printRebuild(out io.Writer, r assemble.RebuildReport) error {
	safetext.Fprintf(out, "%s rebuilt: %d of %d files have the same bytes\n", r.Release, r.Same, r.Files)
	for _, name := range r.Taken {
		safetext.Fprintf(out, "taken over, because it follows from the version before: %s\n", name)
	}
	var lines []string
	for _, d := range r.Differs {
		lines = append(lines, d.Path+": "+strings.Join(d.Why, "; "))
	}
	if len(lines) > 0 {
		printList(out, fmt.Sprintf("%d files differ", len(lines)), lines)
	}
	if len(lines) > 0 && len(r.Versions) > 0 {
		printList(out, "what is different here, and may be why", r.Versions)
	}
	return nil
}
