package cli

import "github.com/memforge/memforge/pipeline/engine/config"

type configCmd struct {
	Schema    configSchemaCmd    `cmd:"" help:"Print a JSON Schema of the configuration, for editors."`
	Reference configReferenceCmd `cmd:"" help:"Print a page (Markdown) of every key of the configuration and of all plugins."`
}

type configSchemaCmd struct{}

func (configSchemaCmd) Help() string {
	return `An editor with a YAML language server (VS Code, Neovim, Helix, JetBrains, ...) completes
keys and names of plugins by it, shows what each key means, and marks mistakes, if
the first line of the configuration names the file. "memforge init" does both.

Example:
  memforge config schema > pipeline.schema.json
  sed -i '1i # yaml-language-server: $schema=pipeline.schema.json' pipeline.yaml`
}

func (configSchemaCmd) Run(e *env) error { return config.WriteSchema(e.exact, e.reg) }

type configReferenceCmd struct{}

func (configReferenceCmd) Run(e *env) error { return config.WriteReference(e.exact, e.reg) }
