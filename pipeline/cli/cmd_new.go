package cli

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

type newCmd struct {
	Domain newDomainCmd `cmd:"" help:"Write a package with one tested stage, to start a domain from."`
}

type newDomainCmd struct {
	Name string `arg:"" help:"Name of the package: lower-case letters and digits."`
}

func (newDomainCmd) Help() string {
	return `Writes stages/NAME below the current folder, which must be the root of a Go module, and
overwrites nothing.

Examples:
  memforge new domain kitchen
  go test ./stages/kitchen`
}

// domain fills the templates.
type domain struct {
	Name string
	Dir  string // slash-separated, below the module's root
}

var (
	packageName = regexp.MustCompile(`^[a-z][a-z0-9]{1,30}$`)
	moduleLine  = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)"?`)
)

func (c newDomainCmd) Run(e *env) error {
	if !packageName.MatchString(c.Name) || token.IsKeyword(c.Name) || c.Name == "main" || c.Name == "test" {
		return &usageError{fmt.Errorf("domain name %q: want the name of a Go package, 2 to 31 of a-z and 0-9, starting with a letter", c.Name)}
	}
	gomod, err := os.ReadFile("go.mod")
	if err != nil {
		return &usageError{fmt.Errorf("new domain: %w; run it in the root of your Go module", err)}
	}
	module := moduleLine.FindSubmatch(gomod)
	if module == nil {
		return &usageError{errors.New("new domain: go.mod has no module line")}
	}
	d := domain{Name: c.Name, Dir: path.Join("stages", c.Name)}
	files, err := d.render()
	if err != nil {
		return err
	}
	if err := d.write(files); err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintf(e.out, "wrote %s\n", path.Join(d.Dir, f.name))
	}
	_, err = fmt.Fprintf(e.out, `
Register it where your program fills its registry:
  import "%s/%s"
  %s.Register(registry)
%s
Then run: go test ./%s
`, module[1], d.Dir, d.Name, nextStep(string(module[1]), d.Dir), d.Dir)
	return err
}

// nextStep says what else a new package needs in this repository, and in another
// module.
func nextStep(module, dir string) string {
	if module == modulePath {
		return fmt.Sprintf("Add its line to docs/map.md: | `%s` | what it does |", dir)
	}
	return "Require memforge: go get " + modulePath
}

// modulePath is the import path of this program.
const modulePath = "github.com/memforge/memforge"

type renderedFile struct {
	name string
	data []byte
}

func (d domain) render() ([]renderedFile, error) {
	var files []renderedFile
	for _, f := range []struct{ template, name string }{
		{"plugin.go.tmpl", d.Name + ".go"},
		{"plugin_test.go.tmpl", d.Name + "_test.go"},
		{"README.md.tmpl", "README.md"},
	} {
		t, err := template.ParseFS(templates, "templates/"+f.template)
		if err != nil {
			return nil, fmt.Errorf("template %s: %w", f.template, err)
		}
		var b bytes.Buffer
		if err := t.Execute(&b, d); err != nil {
			return nil, fmt.Errorf("template %s: %w", f.template, err)
		}
		data := b.Bytes()
		if strings.HasSuffix(f.name, ".go") {
			if data, err = format.Source(data); err != nil {
				return nil, fmt.Errorf("template %s: %w", f.template, err)
			}
		}
		files = append(files, renderedFile{f.name, data})
	}
	return files, nil
}

// write makes the folder, which must be new, and fills it.
func (d domain) write(files []renderedFile) error {
	dir := filepath.FromSlash(d.Dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("new domain %s: %w", d.Name, err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		if errors.Is(err, os.ErrExist) {
			return &usageError{fmt.Errorf("new domain: %s exists and is left as it is; choose another name", d.Dir)}
		}
		return fmt.Errorf("new domain %s: %w", d.Name, err)
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.data, 0o644); err != nil {
			return fmt.Errorf("new domain %s: %w", d.Name, err)
		}
	}
	return nil
}
