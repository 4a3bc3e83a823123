// Command memforge builds and validates benchmark datasets for multimodal
// agent memory. `memforge new domain` writes a program like it with plugins of your own.
package main

import (
	"os"

	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/pipeline/cli/plugins"
)

func main() {
	os.Exit(cli.Main(plugins.Registry(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}
