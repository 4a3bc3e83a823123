// Command memforge builds and validates benchmark datasets for multimodal
// agent memory. To build it with plugins of your own, copy this file into your
// module and add them to the registry; docs/examples/domain shows how.
package main

import (
	"os"

	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/pipeline/cli/plugins"
)

func main() {
	os.Exit(cli.Main(plugins.Registry(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}
