// Command kitchen-forge is memforge with the domain kitchen.
package main

import (
	"os"

	"example.com/kitchen/kitchen"

	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/pipeline/cli/plugins"
)

func main() {
	registry := plugins.Registry()
	kitchen.Register(registry)
	os.Exit(cli.Main(registry, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}
