package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/kit/words"
)

// pluginsCmd serves sources, stages and gates alike.
type pluginsCmd struct {
	List     listCmd     `cmd:"" help:"List them with one line each."`
	Describe describeCmd `cmd:"" help:"Show the inputs, outputs and configuration keys of one."`
}

func newPluginsCmd(k pipeline.Kind) pluginsCmd {
	return pluginsCmd{List: listCmd{kind: k}, Describe: describeCmd{kind: k}}
}

type listCmd struct {
	kind pipeline.Kind
}

func (c listCmd) Run(e *env) error {
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	for _, name := range e.reg.Names(c.kind) {
		p, _ := e.reg.Plugin(c.kind, name)
		fmt.Fprintf(w, "%s\t%s\t%s\n", p.Name, p.Version, p.Summary)
	}
	return w.Flush()
}

type describeCmd struct {
	kind pipeline.Kind
	Name string `arg:"" completion:"plugins" help:"Name of the plugin, as in use: of the configuration."`
}

func (c describeCmd) Help() string {
	return fmt.Sprintf("Examples:\n  memforge %ss list\n  memforge %ss describe NAME", c.kind, c.kind)
}

func (c describeCmd) Run(e *env) error {
	p, ok := e.reg.Plugin(c.kind, c.Name)
	if !ok {
		hint := ""
		if near, ok := words.NearestWord(c.Name, e.reg.Names(c.kind)); ok {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return &usageError{fmt.Errorf("no %s is called %q%s (`memforge %ss list` shows all)", c.kind, c.Name, hint, c.kind)}
	}
	fmt.Fprintf(e.out, "%s %s, version %s\n%s\n", p.Kind, p.Name, p.Version, p.Summary)
	describeSpec(e.out, p)
	return describeKeys(e.out, config.Describe(p.NewConfig()))
}

// describeSpec prints what the plugin declares with its default configuration. A plugin
// with required keys declares nothing before they are set.
func describeSpec(out io.Writer, p *pipeline.Plugin) {
	built, err := p.Build(p.NewConfig())
	if err != nil {
		return
	}
	s, ok := built.(interface{ Spec() pipeline.Spec })
	if !ok {
		return
	}
	spec := s.Spec()
	for _, line := range []struct {
		label string
		words []string
	}{{"accepts", spec.Accepts}, {"emits", spec.Emits}, {"tools", spec.Tools}} {
		if len(line.words) > 0 {
			fmt.Fprintf(out, "%-8s %s\n", line.label, strings.Join(line.words, ", "))
		}
	}
}

func describeKeys(out io.Writer, fields []config.Field) error {
	if len(fields) == 0 {
		_, err := fmt.Fprintln(out, "\nIt has no keys under with:.")
		return err
	}
	fmt.Fprintln(out, "\nKeys under with:")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range fields {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", f.Name, f.Type, cmp.Or(f.Default, "-"), f.Doc)
	}
	return w.Flush()
}
