package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/eval/runner"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/license"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (completionCmd) Help() string {
	return `The script asks "memforge complete" for what may follow, so that steps, releases and
panels are those of the configuration at hand.

Examples:
  source <(memforge completion bash)
  source <(memforge completion zsh)
  memforge completion fish > ~/.config/fish/completions/memforge.fish`
}

func (c completionCmd) Run(e *env) error {
	scripts := map[string]string{
		"bash": `# bash completion for memforge
_memforge() {
  mapfile -t COMPREPLY < <("${1/#\~/$HOME}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _memforge memforge
`,
		"zsh": `#compdef memforge
_memforge() {
  local -a found
  found=("${(@f)$(${~words[1]} complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found[1]" ]]; then
    compadd -- "${(@)found}"
  else
    _files
  fi
}
compdef _memforge memforge
`,
		"fish": `# fish completion for memforge
function __memforge_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  memforge complete -- $before[2..-1] "$current" 2>/dev/null
end
complete -c memforge -a '(__memforge_complete)'
`,
	}
	_, err := fmt.Fprint(e.out, scripts[c.Shell])
	return err
}

// completeCmd prints what the last of the words may become, one candidate a line; nothing
// leaves it to the shell, which offers files.
type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

func (c completeCmd) Run(e *env, k *kong.Kong) error {
	words := slices.DeleteFunc(slices.Clone(c.Words), func(w string) bool { return w == "=" }) // bash cuts --flag=value in three
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	last := len(words) - 1
	l := commandLine{env: e, node: k.Model.Node}
	for _, w := range words[:last] {
		l.read(w)
	}
	for _, candidate := range l.candidates(words[last]) {
		if strings.HasPrefix(candidate, words[last]) {
			fmt.Fprintln(e.exact, candidate)
		}
	}
	return nil
}

// commandLine is what the words before the cursor come to.
type commandLine struct {
	*env
	node *kong.Node
	// args counts the positional arguments of the command so far; flag is the one whose
	// value comes next.
	args int
	flag *kong.Flag
}

func (l *commandLine) read(word string) {
	switch {
	case l.flag != nil:
		l.setOption(l.flag, word)
		l.flag = nil
	case strings.HasPrefix(word, "-"):
		name, value, given := strings.Cut(word, "=")
		f := l.findFlag(name)
		switch {
		case f == nil || f.IsBool():
		case given:
			l.setOption(f, value)
		default:
			l.flag = f
		}
	default:
		for _, child := range l.node.Children {
			if child.Name == word {
				l.node, l.args = child, 0
				return
			}
		}
		l.args++
	}
}

// setOption keeps what decides which configuration is meant.
func (l *commandLine) setOption(f *kong.Flag, value string) {
	switch f.Name {
	case "file":
		l.options.File = value
	case "out":
		l.options.Out = value
	case "set":
		l.options.Set = append(l.options.Set, value)
	}
}

func (l *commandLine) flags() (all []*kong.Flag) {
	for _, group := range l.node.AllFlags(true) {
		all = append(all, group...)
	}
	return all
}

func (l *commandLine) findFlag(word string) *kong.Flag {
	for _, f := range l.flags() {
		if word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short) {
			return f
		}
	}
	return nil
}

func (l *commandLine) candidates(current string) (out []string) {
	if l.flag != nil {
		return l.values(l.flag.Value)
	}
	if name, _, given := strings.Cut(current, "="); given && strings.HasPrefix(name, "-") {
		if f := l.findFlag(name); f != nil {
			for _, v := range l.values(f.Value) {
				out = append(out, name+"="+v)
			}
		}
		return out
	}
	if strings.HasPrefix(current, "-") {
		for _, f := range l.flags() {
			out = append(out, "--"+f.Name)
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	for _, child := range l.node.Children {
		if !child.Hidden {
			out = append(out, child.Name)
		}
	}
	if n := len(l.node.Positional); n > 0 {
		arg := l.node.Positional[min(l.args, n-1)]
		if l.args < n || arg.IsCumulative() {
			out = append(out, l.values(arg)...)
		}
	}
	return out
}

// values lists what a flag or an argument may be: the words of its enum, or those of the
// kind that its tag completion or its placeholder names.
func (l *commandLine) values(v *kong.Value) []string {
	if words := slices.DeleteFunc(v.EnumSlice(), func(w string) bool { return w == "" }); len(words) > 0 {
		return words
	}
	kind := v.Tag.Get("completion")
	if kind == "" {
		kind = strings.ToLower(strings.Split(v.Tag.PlaceHolder, "|")[0]) + "s"
	}
	switch kind {
	case "steps", "gates":
		return l.steps(kind == "gates")
	case "releases":
		return l.releases()
	case "panels":
		cfg := l.configuration(config.LoadModels)
		return slices.Concat(slices.Sorted(maps.Keys(cfg.Panels)), slices.Sorted(maps.Keys(cfg.Models)), []string{config.BuiltIn})
	case "formats":
		return namesOf(l.options.Export.formats, formatName)
	case "scorers":
		return namesOf(l.options.Score.scorers, scorerName)
	case "tables":
		return namesOf(l.options.Tables.sets, setName)
	case "families":
		return namesOf(l.options.Init.starters, starterName)
	case "systems":
		return runner.References()
	case "views":
		return runner.Views()
	case "licenses":
		return license.IDs()
	case "sizes":
		return sizes()
	case "plugins":
		if d, ok := l.node.Target.Addr().Interface().(*describeCmd); ok {
			return l.reg.Names(d.kind)
		}
	}
	return nil
}

// configuration reads the one that the words name; where it cannot be read, it has no
// steps, and its releases are looked for in the usual folder.
func (l *commandLine) configuration(read func(string, *pipeline.Registry, []string) (*config.Config, error)) *config.Config {
	cfg, err := l.loadWith(read)
	if err != nil {
		return &config.Config{Run: config.Run{Out: cmp.Or(l.options.Out, config.DefaultRun().Out)}}
	}
	return cfg
}

func (l *commandLine) steps(gates bool) (out []string) {
	for _, s := range l.configuration(config.Load).Plan.Steps {
		if !gates || s.Kind == pipeline.KindGate {
			out = append(out, s.Name)
		}
	}
	return out
}

// releases lists the folders of the configuration's releases, newest last as release.List
// has them.
func (l *commandLine) releases() (out []string) {
	all, err := release.List(l.configuration(config.Load).ReleasesDir())
	if err != nil {
		return nil
	}
	for _, info := range all {
		out = append(out, shortPath(info.Dir))
	}
	return out
}
