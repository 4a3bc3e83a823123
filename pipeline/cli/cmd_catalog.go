package cli

import (
	"fmt"
	"os"

	"github.com/memforge/memforge/pipeline/web/catalog"
)

// catalogCmd is the child process of pages over a release.
type catalogCmd struct {
	Args []string `arg:"" optional:"" passthrough:""`
}

func (c *catalogCmd) Run(e *env) error { return catalog.RunChild(e, c.Args, e.in, e.exact) }

// catalogOptions are those of this program's pages.
func catalogOptions(e *env) (catalog.Options, error) {
	program, err := os.Executable()
	if err != nil {
		return catalog.Options{}, fmt.Errorf("find this program, which pages start as a child: %w", err)
	}
	cache, err := catalog.DefaultCache(e.getenv)
	return catalog.Options{Command: []string{program, "catalog"}, Cache: cache}, err
}
