package cli

import (
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline/engine/assemble"
)

type fetchCmd struct {
	Relock  bool `help:"Pin the current version of every upstream, and write the lock file."`
	Offline bool `help:"Only check that lock file and store are complete."`
}

func (fetchCmd) Help() string {
	return `Downloads the files that sources need into the store. The lock file beside the
configuration pins them by commit and digest. Tokens are read from HF_TOKEN and
GITHUB_TOKEN; mirrors from run.endpoints or HF_ENDPOINT, MEMFORGE_GITHUB_API,
MEMFORGE_GITHUB_RAW, MEMFORGE_GITHUB_LFS and MEMFORGE_HTTP_MIRRORS.

Examples:
  memforge fetch
  memforge fetch --relock
  HF_ENDPOINT=https://hub.example memforge fetch`
}

func (c fetchCmd) Run(e *env) error {
	cfg, err := e.load()
	if err != nil {
		return err
	}
	assets, err := assemble.Fetch(e, e.reg, cfg, assemble.Options{Getenv: e.getenv, Relock: c.Relock, Offline: c.Offline})
	if err != nil {
		return err
	}
	if len(assets) == 0 {
		_, err := fmt.Fprintln(e.out, "no source of this configuration needs files")
		return err
	}
	for _, source := range slices.Sorted(maps.Keys(assets)) {
		var bytes int64
		problems := 0
		for _, a := range assets[source] {
			bytes += a.Size
			if a.Problem != nil {
				problems++
				fmt.Fprintf(e.out, "  %s: %s: %s\n", a.Path, a.Problem.Code, a.Problem.Reason)
			}
		}
		fmt.Fprintf(e.out, "%s: %d files, %d bytes, %d problems\n", source, len(assets[source]), bytes, problems)
	}
	return nil
}
