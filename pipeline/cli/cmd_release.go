package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
)

type releaseCmd struct {
	List   releaseListCmd   `cmd:"" help:"List the releases in the folder of the configuration."`
	Latest releaseLatestCmd `cmd:"" help:"Print the folder of the newest release of the configuration's name."`
}

type releaseListCmd struct{}

func (releaseListCmd) Run(e *env) error {
	cfg, err := e.load()
	if err != nil {
		return err
	}
	all, err := release.List(cfg.ReleasesDir())
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	for _, info := range all {
		safetext.Fprintf(w, "%s\t%s\t%d files\t%s\n", info.Manifest.Name, info.Manifest.Version, len(info.Manifest.Files), shortPath(info.Dir))
	}
	return w.Flush()
}

type releaseLatestCmd struct{}

func (releaseLatestCmd) Help() string {
	return `Example:
  memforge verify "$(memforge release latest)"`
}

// Run prints one path, for use in scripts.
func (releaseLatestCmd) Run(e *env) error {
	cfg, err := e.load()
	if err != nil {
		return err
	}
	root := cfg.ReleasesDir()
	info, ok, err := release.Latest(root, cfg.Plan.Release.Name)
	if err != nil {
		return err
	}
	if !ok {
		return &inputError{fmt.Errorf("there is no release of %s in %s; run `memforge build` first", cfg.Plan.Release.Name, root)}
	}
	_, err = fmt.Fprintln(e.exact, shortPath(info.Dir))
	return err
}
