package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release/hydrate"
)

type hydrateCmd struct {
	releaseFlags `embed:""`

	MediaDir []string `required:"" name:"media-dir" placeholder:"DIR" help:"Folder of your copies of the originals, also of some. Repeatable."`
	Jobs     int      `placeholder:"N" help:"How many files are made at once; one per processor if it is not given."`
	Release  string   `arg:"" placeholder:"RELEASE" completion:"releases" help:"Folder of a release that references media."`
}

func (hydrateCmd) Help() string {
	return `Copies a release and makes in the copy the media that it references because their
licence forbids shipping, of your own copies of the originals. These are found by their
digests, whatever they are called; originals in archives must be unpacked. Each file made
is compared with its digest, and the copy is verified. --out names the folder of the copy,
RELEASE-hydrated if it is not given.

What cannot be made is listed with its cause, the exit code is 4, and the copy holds the
rest. Run the command again to go on, also after an interrupt.

Example:
  memforge hydrate signs-1.0.0 --media-dir ~/videos --out signs-hydrated`
}

func (c hydrateCmd) Run(e *env) error {
	if err := checkReleaseDir("hydrate", c.Release); err != nil {
		return err
	}
	if c.Jobs < 0 {
		return &usageError{fmt.Errorf("hydrate: --jobs is %d; want 1 or more", c.Jobs)}
	}
	out := e.options.Out
	if out == "" {
		out = filepath.Clean(c.Release) + "-hydrated"
	}
	opts := hydrate.Options{Limits: c.limits(), Jobs: c.Jobs, Tell: func(line string) { safetext.Fprintf(e.err, "%s\n", line) }}
	res, err := hydrate.Hydrate(e, c.Release, out, c.MediaDir, opts)
	var locked *atomicfile.LockedError
	if errors.As(err, &locked) {
		return &inputError{err}
	}
	var incomplete *hydrate.IncompleteError
	if err != nil && !errors.As(err, &incomplete) {
		return err
	}
	safetext.Fprintf(e.out, "%s %s hydrated: %d referenced media, %d made, %d kept; verified %d files, %d bytes\n%s\n",
		res.Report.Manifest.Name, res.Report.Manifest.Version, res.Media, res.Made, res.Kept, res.Report.Files, res.Report.Bytes, shortPath(res.Dir))
	return err
}
