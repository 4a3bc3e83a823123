package cli

import (
	"fmt"
	"io"

	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release/publish"
)

type publishCmd struct {
	releaseFlags `embed:""`

	Create  bool   `help:"Make the dataset on the hub if it is not there."`
	Private bool   `help:"Make it private, or check that it is. A release that must not be public is published only so."`
	Replace bool   `help:"Remove files that no release brought, or replace another release or a newer version."`
	DryRun  bool   `help:"Check everything and list what would be sent, without sending it."`
	Release string `arg:"" placeholder:"RELEASE" help:"Folder of a release."`
	To      string `arg:"" placeholder:"PLACE" help:"hf:OWNER/NAME, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or a folder."`
}

func (publishCmd) Help() string {
	return `Verifies the release, checks licence, card and limits of the place, and sends what the
place lacks. Interrupted, it goes on at the next run; run again, it changes nothing. No
version is visible by half: a dataset of the hub gets one commit, and a tag such as
v1.0.0; a bucket gets VERSION.json last; a folder gets its name last. A version that is
there with other bytes is refused.

The token is read from HF_TOKEN, the hub's address from HF_ENDPOINT. Buckets take their
credentials from the environment, as the clouds' own programs do, and need a memforge
built with -tags clouds.

Examples:
  memforge publish --dry-run out/releases/demo/1.0.0 hf:lab/demo
  memforge publish --create --private "$(memforge release latest)" hf:lab/demo
  memforge publish out/releases/demo/1.0.0 s3://lab-data/demo`
}

func (c publishCmd) Run(e *env) error {
	if err := checkReleaseDir("publish", c.Release); err != nil {
		return err
	}
	to, err := publish.ParseTarget(c.To)
	if err != nil {
		return &usageError{fmt.Errorf("publish: %w", err)}
	}
	opts, err := e.publishOptions(c.releaseFlags)
	if err != nil {
		return err
	}
	opts.Create, opts.Private, opts.Replace, opts.DryRun = c.Create, c.Private, c.Replace, c.DryRun
	plan, err := publish.Publish(e, c.Release, to, opts)
	for _, n := range plan.Notes {
		safetext.Fprintf(e.err, "note: %s\n", n)
	}
	if err != nil {
		return err
	}
	printPlan(e.out, plan, c.DryRun)
	return nil
}

func printPlan(w io.Writer, p publish.Plan, dry bool) {
	if p.Done {
		safetext.Fprintf(w, "%s has %s already: %d files, nothing to send\n", p.Place, p.Name, p.Kept)
		return
	}
	if !dry {
		safetext.Fprintf(w, "published %s at %s: %d files sent (%d bytes), %d there already, %d removed\n", p.Name, p.Place, len(p.Send), p.Bytes(), p.Kept, len(p.Remove))
		return
	}
	if p.Create {
		safetext.Fprintf(w, "would create %s\n", p.Place)
	}
	for _, f := range p.Send {
		safetext.Fprintf(w, "would send %s (%d bytes)\n", f.Path, f.Size)
	}
	for _, path := range p.Remove {
		safetext.Fprintf(w, "would remove %s\n", path)
	}
	safetext.Fprintf(w, "would publish %s at %s: %d files to send (%d bytes), %d there already, %d to remove\n", p.Name, p.Place, len(p.Send), p.Bytes(), p.Kept, len(p.Remove))
}

// publishOptions are those that publish and pull share.
func (e *env) publishOptions(flags releaseFlags) (publish.Options, error) {
	endpoints, err := fetch.EndpointsFromEnv(e.getenv)
	if err != nil {
		return publish.Options{}, &configError{err}
	}
	return publish.Options{
		Limits: flags.limits(),
		Tell:   func(line string) { safetext.Fprintf(e.err, "%s\n", line) },
		Fetch: fetch.Options{
			Endpoints: endpoints,
			Token: func(kind string) string {
				if kind == fetch.Hub {
					return e.getenv("HF_TOKEN")
				}
				return ""
			},
		},
	}, nil
}
