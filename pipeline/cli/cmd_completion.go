package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/memforge/memforge/pipeline"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (completionCmd) Help() string {
	return `Examples:
  source <(memforge completion bash)
  source <(memforge completion zsh)
  memforge completion fish > ~/.config/fish/completions/memforge.fish`
}

func (c completionCmd) Run(e *env, k *kong.Kong) error {
	table := completions("", k.Model.Node, e.reg)
	switch c.Shell {
	case "bash":
		return writeBash(e.out, table)
	case "zsh":
		return writeZsh(e.out, table)
	default:
		return writeFish(e.out, table)
	}
}

// completion is what may follow a command: subcommands, names and flags.
type completion struct {
	path  string // command words separated by spaces; empty for the program
	words []string
	flags []string
}

// completions walks kong's model, so that the scripts always match the grammar.
func completions(path string, n *kong.Node, reg *pipeline.Registry) []completion {
	c := completion{path: path}
	for _, group := range n.AllFlags(true) {
		for _, f := range group {
			c.flags = append(c.flags, "--"+f.Name)
		}
	}
	for _, arg := range n.Positional {
		c.words = append(c.words, arg.EnumSlice()...)
	}
	if target, ok := n.Target.Addr().Interface().(*describeCmd); ok {
		c.words = append(c.words, reg.Names(target.kind)...)
	}
	var below []completion
	for _, child := range n.Children {
		if child.Hidden {
			continue
		}
		c.words = append(c.words, child.Name)
		below = append(below, completions(strings.TrimSpace(path+" "+child.Name), child, reg)...)
	}
	c.words = slices.DeleteFunc(c.words, func(w string) bool { return w == "" })
	slices.Sort(c.flags)
	c.flags = slices.Compact(c.flags)
	return append([]completion{c}, below...)
}

// commandPaths is a shell pattern of all commands: it tells commands from values.
func commandPaths(table []completion) string {
	var paths []string
	for _, c := range table {
		if c.path != "" {
			paths = append(paths, "'"+c.path+"'")
		}
	}
	return strings.Join(paths, " | ")
}

// caseArms are the same in bash and zsh.
func caseArms(table []completion) string {
	var b strings.Builder
	for _, c := range table {
		fmt.Fprintf(&b, "    '%s') choices='%s'; flags='%s' ;;\n", c.path, strings.Join(c.words, " "), strings.Join(c.flags, " "))
	}
	return b.String()
}

// findCommandScript finds the command in the words before the cursor, in bash and zsh.
const findCommandScript = `  local at='' word next choices='' flags=''
  for word in "${before[@]}"; do
    next="${at:+$at }$word"
    case "$next" in
      %s) at="$next" ;;
    esac
  done
  case "$at" in
%s  esac
`

func writeBash(out io.Writer, table []completion) error {
	_, err := fmt.Fprintf(out, `# bash completion for memforge
_memforge() {
  local cur="${COMP_WORDS[COMP_CWORD]}"
  local before=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
`+findCommandScript+`  [[ "$cur" == -* ]] && choices="$flags"
  mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$cur")
}
complete -o default -F _memforge memforge
`, commandPaths(table), caseArms(table))
	return err
}

func writeZsh(out io.Writer, table []completion) error {
	_, err := fmt.Fprintf(out, `#compdef memforge
_memforge() {
  local cur="${words[CURRENT]}"
  local -a before
  before=("${(@)words[2,CURRENT-1]}")
`+findCommandScript+`  [[ "$cur" == -* ]] && choices="$flags"
  if [[ -n "$choices" ]]; then
    compadd -- ${(s: :)choices}
  else
    _files
  fi
}
compdef _memforge memforge
`, commandPaths(table), caseArms(table))
	return err
}

func writeFish(out io.Writer, table []completion) error {
	var arms, lines strings.Builder
	for _, c := range table {
		if c.path != "" {
			fmt.Fprintf(&arms, " '%s'", c.path)
		}
		if len(c.words) > 0 {
			fmt.Fprintf(&lines, "complete -c memforge -f -n \"__memforge_at '%s'\" -a '%s'\n", c.path, strings.Join(c.words, " "))
		}
		for _, f := range c.flags {
			fmt.Fprintf(&lines, "complete -c memforge -n \"__memforge_at '%s'\" -l '%s'\n", c.path, strings.TrimPrefix(f, "--"))
		}
	}
	_, err := fmt.Fprintf(out, `# fish completion for memforge
function __memforge_at
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$path $word")
    if contains -- "$next"%s
      set path $next
    end
  end
  test "$path" = "$argv[1]"
end
%s`, arms.String(), lines.String())
	return err
}
