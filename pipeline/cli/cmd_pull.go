package cli

import (
	"fmt"

	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/publish"
)

type pullCmd struct {
	releaseFlags `embed:""`

	Pubkey *string `placeholder:"FILE|KEY" help:"Check the release's signature with this public key of minisign, a file or the key itself."`
	From   string  `arg:"" placeholder:"SOURCE" help:"hf:OWNER/NAME, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or a folder, each with @VERSION for a version other than the newest."`
	Dir    string  `arg:"" placeholder:"DIR" help:"Folder for the release, which is not there yet."`
}

func (pullCmd) Help() string {
	return `Downloads a release, checks every file against SHA256SUMS, verifies it as verify does,
and only then gives the folder its name. Interrupted, it goes on at the next run. Files
that the place added, such as .gitattributes, are named and left out.

A private dataset needs a token in HF_TOKEN. Buckets need a memforge built with -tags
clouds.

Examples:
  memforge pull hf:lab/demo demo
  memforge pull hf:lab/demo@1.0.0 demo-1.0.0
  memforge pull s3://lab-data/demo@1.0.0 demo-1.0.0`
}

func (c pullCmd) Run(e *env) error {
	from, err := publish.ParseSource(c.From)
	if err != nil {
		return &usageError{fmt.Errorf("pull: %w", err)}
	}
	opts, err := e.publishOptions(c.releaseFlags)
	if err != nil {
		return err
	}
	var signature string
	opts.Accept = func(r release.Report) (err error) {
		signature, err = checkSignature(c.Pubkey, []byte(r.Sums), r.Signature)
		return err
	}
	got, err := publish.Pull(e, from, c.Dir, opts)
	if err != nil {
		return err
	}
	for _, name := range got.Ignored {
		safetext.Fprintf(e.err, "note: %s has %s, which is not of the release; left out\n", from, name)
	}
	what := "pulled and verified"
	if got.Done {
		what = "is there already, and verified"
	}
	safetext.Fprintf(e.out, "%s %s %s: %d files, %d bytes\nsignature: %s\n%s\n",
		got.Report.Manifest.Name, got.Report.Manifest.Version, what, got.Report.Files, got.Report.Bytes, signature, shortPath(c.Dir))
	return nil
}
