package cli

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"go/token"
	"go/version"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/export"
)

//go:embed templates
var templates embed.FS

type newCmd struct {
	Domain newDomainCmd `cmd:"" help:"Write a domain with a source, a stage, a gate, a table, an export and their tests, to start your own from."`
}

type newDomainCmd struct {
	Name     string `arg:"" help:"Name of the domain: lower-case letters and digits."`
	Module   string `placeholder:"PATH" help:"Path of a new module; example.com/NAME if it is not given."`
	Memforge string `placeholder:"DIR" help:"Checkout of memforge that a new module is compiled with."`
}

func (newDomainCmd) Help() string {
	return `In the root of a Go module it writes the package stages/NAME. In an empty folder it
writes a module that builds a release as it stands. go.mod then requires the version of
this memforge, if it was downloaded, or else names a checkout of memforge: that of
--memforge, the one that this program was compiled from, or the one that it lies in.

Examples:
  memforge new domain kitchen
  memforge new domain kitchen --module github.com/me/kitchen --memforge ~/memforge`
}

// templateName is what the domain in templates is called.
const templateName = "kitchen"

// modulePath is the import path of this program.
const modulePath = "github.com/memforge/memforge"

var (
	packageName = regexp.MustCompile(`^[a-z][a-z0-9]{1,30}$`)
	moduleName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~/-]*$`)
	// releaseVersion is a tag: no commit, and nothing that was changed since.
	releaseVersion = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[a-z]+[.0-9]*)?$`)
	moduleLine     = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)"?.*$`)
)

type newFile struct {
	name string // slash-separated, below the folder
	data []byte
}

func (c newDomainCmd) Run(e *env) error {
	if !packageName.MatchString(c.Name) || token.IsKeyword(c.Name) || slices.Contains([]string{"main", "test", "internal", "vendor", "testdata"}, c.Name) {
		return &usageError{fmt.Errorf("domain name %q: want the name of a Go package, 2 to 31 of a-z and 0-9, starting with a letter", c.Name)}
	}
	if taken := c.takenName(e.reg); taken != "" {
		return &usageError{fmt.Errorf("domain name %q: memforge has %s already; choose another name", c.Name, taken)}
	}
	c.Module = cmp.Or(c.Module, "example.com/"+c.Name)
	if !moduleName.MatchString(c.Module) {
		return &usageError{fmt.Errorf("--module %q: want the path of a Go module, such as example.com/%s", c.Module, c.Name)}
	}
	gomod, err := os.ReadFile("go.mod")
	if errors.Is(err, fs.ErrNotExist) {
		return c.newModule(e)
	}
	if err != nil {
		return fmt.Errorf("new domain: %w", err)
	}
	module := moduleLine.FindSubmatch(gomod)
	if module == nil {
		return &usageError{errors.New("new domain: go.mod has no module line")}
	}
	dir := path.Join("stages", c.Name)
	if _, err := os.Lstat(dir); err == nil {
		return &usageError{fmt.Errorf("new domain: %s exists and is left as it is; choose another name", dir)}
	}
	files, err := c.domainFiles()
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(f newFile) bool { return path.Dir(f.name) != dir })
	next := "Require memforge: go get " + modulePath
	if string(module[1]) == modulePath {
		next = fmt.Sprintf("Add its line to docs/map.md: | `%s` | what it does |", dir)
	}
	return writeDomain(e, files, fmt.Sprintf(`
Register it where your program fills its registry:
  import "%s/%s"
  %s.Register(registry)
%s
Then run: go test ./%s
`, module[1], dir, c.Name, next, dir))
}

// takenName returns a name that memforge itself registers and the domain would, or nothing.
func (c newDomainCmd) takenName(r *pipeline.Registry) string {
	for _, f := range export.Formats(r) {
		if f.Name == c.Name {
			return "an export " + f.Name
		}
	}
	for _, kind := range []pipeline.Kind{pipeline.KindSource, pipeline.KindStage, pipeline.KindGate} {
		for _, name := range r.Names(kind) {
			if strings.HasPrefix(name, c.Name+".") {
				return fmt.Sprintf("a %s %s", kind, name)
			}
		}
	}
	return ""
}

// newModule writes a module into the current folder, which must be empty but for hidden
// files.
func (c newDomainCmd) newModule(e *env) error {
	there, err := os.ReadDir(".")
	if err != nil {
		return fmt.Errorf("new domain: %w", err)
	}
	if i := slices.IndexFunc(there, func(f fs.DirEntry) bool { return !strings.HasPrefix(f.Name(), ".") || f.Name() == ignoreFile }); i >= 0 {
		return &usageError{fmt.Errorf("new domain: this folder has no go.mod and is not empty (%s): run it in an empty folder, or in the root of your Go module", there[i].Name())}
	}
	this := builtFrom()
	required, from, err := c.requireMemforge(this, findCheckout(this))
	if err != nil {
		return err
	}
	files, err := c.domainFiles()
	if err != nil {
		return err
	}
	t, err := template.ParseFS(templates, "templates/main.go.tmpl")
	if err != nil {
		return fmt.Errorf("new domain: %w", err)
	}
	var main bytes.Buffer
	if err := t.Execute(&main, c); err != nil {
		return fmt.Errorf("new domain: %w", err)
	}
	files = slices.Concat([]newFile{{"main.go", main.Bytes()}}, required, files)
	return writeDomain(e, files, fmt.Sprintf(`
go.mod %s. Run:
  go build -o %[2]s
  ./%[2]s build
  ./%[2]s audit "$(./%[2]s release latest)"
`, from, c.Name))
}

// domainFiles returns the files of the domain under its new name: Go files in a package,
// the others in the root.
func (c newDomainCmd) domainFiles() (files []newFile, err error) {
	root := path.Join("templates", templateName)
	err = fs.WalkDir(templates, root, func(p string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() {
			return err
		}
		data, err := templates.ReadFile(p)
		name := strings.TrimPrefix(p, root+"/")
		switch {
		case path.Ext(p) == ".go":
			name = path.Join("stages", c.Name, strings.Replace(name, templateName, c.Name, 1))
		case name == "gitignore":
			name = ignoreFile
		}
		files = append(files, newFile{name, bytes.ReplaceAll(data, []byte(templateName), []byte(c.Name))})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("new domain: %w", err)
	}
	return files, nil
}

// requireMemforge returns go.mod, and go.sum for a checkout, and says where memforge comes
// from. this is the memforge of this program, found the checkout that it was compiled from.
func (c newDomainCmd) requireMemforge(this debug.Module, found string) (files []newFile, from string, err error) {
	checkout := found
	if c.Memforge != "" {
		if checkout, err = filepath.Abs(c.Memforge); err == nil && !isCheckout(checkout) {
			err = &usageError{fmt.Errorf("--memforge %s: want the root of a checkout of memforge, with its go.mod", c.Memforge)}
		}
		if err != nil {
			return nil, "", err
		}
	} else if this.Sum != "" || checkout == "" { // downloaded by its version, or not compiled here
		if this.Sum == "" && !releaseVersion.MatchString(this.Version) {
			return nil, "", &usageError{fmt.Errorf("new domain: go.mod must name a memforge, and version %q of this one can be downloaded nowhere: name a checkout with --memforge DIR", this.Version)}
		}
		text := fmt.Sprintf("module %s\n\ngo %s.0\n\nrequire %s %s\n", c.Module, strings.TrimPrefix(version.Lang(runtime.Version()), "go"), modulePath, this.Version)
		return []newFile{{"go.mod", []byte(text)}}, "requires memforge " + this.Version + "; run go mod tidy first", nil
	}
	gomod, err := os.ReadFile(filepath.Join(checkout, "go.mod"))
	if err != nil {
		return nil, "", fmt.Errorf("new domain: %w", err)
	}
	gosum, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	if err != nil {
		return nil, "", fmt.Errorf("new domain: %w", err)
	}
	gomod = moduleLine.ReplaceAll(gomod, []byte("module "+c.Module))
	gomod = fmt.Appendf(gomod, "\nrequire %[1]s v0.0.0\n\nreplace %[1]s => %[2]s\n", modulePath, strconv.Quote(checkout))
	return []newFile{{"go.mod", gomod}, {"go.sum", gosum}}, "takes memforge from " + checkout, nil
}

// builtFrom returns the memforge that this program was compiled from.
func builtFrom() (m debug.Module) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return m
	}
	for _, of := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if of.Path == modulePath {
			m = *of
		}
	}
	return m
}

// findCheckout returns the checkout that memforge was compiled from, or that the program
// lies in; empty where there is none.
func findCheckout(this debug.Module) string {
	var near []string
	if this.Replace != nil {
		near = append(near, this.Replace.Path)
	}
	if _, file, _, ok := runtime.Caller(0); ok {
		near = append(near, file)
	}
	if program, err := os.Executable(); err == nil {
		if program, err = filepath.EvalSymlinks(program); err == nil {
			near = append(near, program)
		}
	}
	for _, at := range near {
		for ; filepath.IsAbs(at) && at != filepath.Dir(at); at = filepath.Dir(at) {
			if isCheckout(at) {
				return at
			}
		}
	}
	return ""
}

func isCheckout(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	module := moduleLine.FindSubmatch(data)
	return err == nil && module != nil && string(module[1]) == modulePath
}

// writeDomain writes the files, lists them and prints what to do next. It overwrites
// nothing.
func writeDomain(e *env, files []newFile, next string) error {
	for _, f := range files {
		file := filepath.FromSlash(f.name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("new domain: %w", err)
		}
		out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil {
			_, err = out.Write(f.data)
			err = errors.Join(err, out.Close())
		}
		if err != nil {
			return fmt.Errorf("new domain: %w", err)
		}
		fmt.Fprintf(e.out, "wrote %s\n", f.name)
	}
	_, err := fmt.Fprint(e.out, next)
	return err
}
