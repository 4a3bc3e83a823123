package config

import (
	"fmt"
	"io"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// WriteReference writes a page in Markdown with every key of pipeline.yaml: those of the file
// itself and those of every plugin of a registry. It is made of the tags that Load
// decodes by, as the schema is.
func WriteReference(out io.Writer, reg *pipeline.Registry) error {
	var b strings.Builder
	b.WriteString(`# Every key of pipeline.yaml

Use this page to look a key up. Keys of a block inside another are written with a dot;
` + "`*`" + ` stands for a name of your own, ` + "`[]`" + ` for an entry of a list. A key without a default
may be left out, unless it is marked required or its plugin says what is missing.
` + "`memforge config reference`" + ` prints this page, ` + "`memforge config schema`" + ` the same as a JSON Schema.

`)
	fields := Describe(defaultFile())
	b.WriteString("## The file\n\n")
	b.WriteString(keyTable(topLevel(fields)))
	for _, f := range topLevel(fields) {
		if inner := below(fields, f.Name); len(inner) > 0 {
			fmt.Fprintf(&b, "## %s\n\n%s.\n\n%s", f.Name, upperFirst(f.Doc), keyTable(inner))
		}
	}
	for _, k := range []pipeline.Kind{pipeline.KindSource, pipeline.KindStage, pipeline.KindGate} {
		fmt.Fprintf(&b, "## Plugins for %ss\n\n", k)
		for _, name := range reg.Names(k) {
			p, _ := reg.Plugin(k, name)
			fmt.Fprintf(&b, "### %s %s\n\n%s.\n\n", k, name, strings.TrimSuffix(p.Summary, "."))
			if spec, ok := reg.DefaultSpec(k, name); ok {
				b.WriteString(flowOf(spec))
			}
			b.WriteString(keyTable(Describe(p.NewConfig())))
		}
	}
	if _, err := io.WriteString(out, strings.TrimRight(b.String(), "\n")+"\n"); err != nil {
		return fmt.Errorf("write the reference of the configuration: %w", err)
	}
	return nil
}

// flowOf says in a line what a plugin reads and gives with its defaults.
func flowOf(spec pipeline.Spec) string {
	var parts []string
	for _, line := range []struct {
		label string
		words []string
	}{{"Accepts", spec.Accepts}, {"Emits", spec.Emits}} {
		if len(line.words) > 0 {
			parts = append(parts, fmt.Sprintf("%s `%s`.", line.label, strings.Join(line.words, "`, `")))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " ") + "\n\n"
}

func topLevel(fields []Field) (out []Field) {
	for _, f := range fields {
		if !strings.Contains(f.Name, ".") {
			out = append(out, f)
		}
	}
	return out
}

// below lists the keys inside a block.
func below(fields []Field, name string) (out []Field) {
	for _, f := range fields {
		if top, _, inside := strings.Cut(strings.ReplaceAll(f.Name, "[]", ""), "."); inside && top == name {
			out = append(out, f)
		}
	}
	return out
}

// keyTable is a table of keys, or says that there are none.
func keyTable(fields []Field) string {
	if len(fields) == 0 {
		return "It has no keys under `with`.\n\n"
	}
	var b strings.Builder
	b.WriteString("| key | type | default | meaning |\n| --- | --- | --- | --- |\n")
	for _, f := range fields {
		value := ""
		if f.Default != "" {
			value = "`" + f.Default + "`"
		}
		if f.Required {
			value = "required"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, f.Type, cell(value), cell(f.Doc))
	}
	return b.String() + "\n"
}

func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", `\<`).Replace(s)
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
