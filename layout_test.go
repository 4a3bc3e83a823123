package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The rules of CONTRIBUTING.md on who imports whom.

const module = "github.com/memforge/memforge/"

// layers lists the folders of shared code from the bottom up. A package belongs to the
// layer of the longest folder that holds it. It may import lower layers and what shares
// its own folder, pipeline/NAME.
var layers = [][]string{
	{"schemas", "prompts", "pipeline/kit/rowschema", "pipeline/internal/canonicaljson"}, // these import nothing of this module
	{"pipeline"}, // the package that plugins' authors import
	{"pipeline/kit"},
	{"pipeline/internal"},
	{"pipeline/media", "pipeline/draw", "pipeline/fetch", "pipeline/engine", "pipeline/release/license", "pipeline/release/review", "pipeline/eval/shortcuts"},
	{"pipeline/model", "pipeline/store", "pipeline/release", "pipeline/engine/forecast", "gates/view"}, // what a solver sees, to gates and to runs
	{"pipeline/audit", "pipeline/eval", "pipeline/engine/config", "pipeline/release/publish"},
	{"pipeline/engine/assemble"},
	{"pipeline/engine/cluster", "pipeline/web"},
	{"pipeline/cli"},
}

// pluginImports lists what plugins may import besides the three lowest layers and their own
// folder, kind/NAME. A family is one folder: what one of them may import, all may.
var pluginImports = map[string][]string{
	"sources":        {"pipeline/draw", "pipeline/media", "pipeline/fetch", "pipeline/model", "pipeline/model/tool", "pipeline/release/review", "sources/internal"},
	"stages":         {"gates/panel", "gates/sessions", "gates/structural", "gates/view", "pipeline/draw", "pipeline/eval", "pipeline/fetch", "pipeline/media", "pipeline/model", "pipeline/model/tool", "pipeline/release", "pipeline/release/gallery", "pipeline/release/manifest", "pipeline/release/review"},
	"gates":          {"gates/panel", "gates/protocol", "gates/sessions", "gates/structural", "pipeline/eval/shortcuts", "pipeline/model", "pipeline/model/tool"},
	"gates/panel":    {"gates/protocol", "gates/view", "pipeline/media", "pipeline/model", "pipeline/model/tool"},
	"gates/sessions": {"gates/panel", "gates/protocol", "gates/view", "pipeline/model"},
	"gates/protocol": {},
	"gates/view":     {},
}

// whole lists the folders of plugins' rules that include what is below them.
var whole = []string{"pipeline/draw", "pipeline/media", "pipeline/eval", "sources/internal"}

// only lists imports that belong to one place.
var only = map[string][]string{
	"os/exec":               {"pipeline/eval/runner", "pipeline/media", "pipeline/web/catalog", "pipeline/testkit/testpostgres", "pipeline/testkit/enginetest", "pipeline/testkit/temporalserver"},
	"github.com/jackc/pgx/": {"pipeline/engine/cluster/clusterstate", "pipeline/internal/postgres", "pipeline/engine/cluster/river", "pipeline/store/sharedstore", "pipeline/testkit/storetest"},
	"gocloud.dev/":          {"pipeline/store/bucket"}, "go.temporal.io/": {"pipeline/engine/cluster/temporal"}, "github.com/riverqueue/": {"pipeline/engine/cluster/river"},
	"net/http":                      {"pipeline/eval/runner", "pipeline/fetch", "pipeline/model/client", "pipeline/model/limit", "pipeline/model/wire", "pipeline/testkit", "pipeline/release", "pipeline/web", "pipeline/web/reviewing"},
	"github.com/Eyevinn/":           {"pipeline/media"},
	"github.com/u2takey/":           {"pipeline/media"},
	"github.com/apache/arrow/":      {"pipeline/testkit/parquetfile", "pipeline/release"},
	"github.com/xitongsys/parquet-": {"pipeline/kit/parquetread", "pipeline/release"},
	"github.com/alecthomas/kong":    {"pipeline/cli"},
	"github.com/goccy/go-yaml":      {"pipeline/engine/config", "pipeline/fetch", "pipeline/release/publish", "prompts"},
	"github.com/kljensen/":          {"stages/video/author"},
	"modernc.org/sqlite":            {"pipeline/model/ledger", "pipeline/store", "pipeline/web/catalog"},
	"github.com/cheggaaa/pb/":       {"pipeline/engine/progress"},
	"github.com/sashabaranov/":      {"pipeline/model/wire"},
	"github.com/santhosh-tekuri/":   {"pipeline/model"},
	"aead.dev/minisign":             {"pipeline/release/signing"},
	"github.com/golang/freetype/":   {"pipeline/draw", "stages/video/film"},
	"golang.org/x/image/font":       {"pipeline/draw", "stages/video/film"},
	"github.com/fogleman/gg":        {"stages/video/film"}, // no other: its pixels differ between architectures
}

type listed struct {
	ImportPath, Dir  string
	Imports, GoFiles []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-tags", "temporal,river", "-json=ImportPath,Dir,Imports,GoFiles", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v; run go list ./... to see why", err)
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("go list names %d packages", len(all))
	}
	return all
}

// short is a package's path in the module, "." for the root.
func short(path string) string {
	if path+"/" == module {
		return "."
	}
	return strings.TrimPrefix(path, module)
}

func TestLayoutImports(t *testing.T) {
	for _, p := range packages(t) {
		for _, imp := range p.Imports {
			if why := forbidden(short(p.ImportPath), imp); why != "" {
				t.Errorf("%s imports %s: %s", short(p.ImportPath), imp, why)
			}
		}
	}
}

func TestLayoutRulesForbid(t *testing.T) {
	for _, tc := range []struct {
		from, to string
		allowed  bool
	}{
		{"stages/video", module + "stages/visual", false},
		{"sources/dir", module + "sources/http", false},
		{"sources/dir", module + "sources/internal/filelabels", true},
		{"gates/view", module + "gates/panel", false},
		{"pipeline/cli", module + "pipeline/testkit", false},
		{"pipeline/release", module + "gates/view", false},
		{"pipeline/store", module + "pipeline/release", false},
		{"stages/video", module + "stages/video/question", true},
		{"stages/video/question", module + "stages/video/groundtruth", true},
		{"stages/video", module + "pipeline/store", false},
		{"schemas", module + "pipeline", false},
		{"pipeline", module + "schemas", true},
		{"pipeline", module + "pipeline/store", false},
		{"pipeline", module + "pipeline/kit/rowschema", true},
		{"pipeline", module + "pipeline/engine", false},
		{"pipeline/engine", module + "pipeline/store", false},
		{"stages/video", module + "pipeline/engine", false},
		{"pipeline/engine/local", module + "pipeline/store", false},
		{"stages/video", "os/exec", false}, {"pipeline/engine/cluster", "go.temporal.io/sdk/client", false}, {"pipeline/engine/cluster", "github.com/riverqueue/river", false},
		{"gates", "github.com/apache/arrow/go/v17/arrow", false},
		{"pipeline/cli", module + "gates", true},
		{"pipeline/cli", module + "stages/video", false},
		{"pipeline/cli/plugins", module + "stages/video", true},
	} {
		if why := forbidden(tc.from, tc.to); (why == "") != tc.allowed {
			t.Errorf("%s importing %s: %q, allowed should be %v", tc.from, tc.to, why, tc.allowed)
		}
	}
}

// forbidden says why a package may not import another, or nothing.
func forbidden(from, to string) string {
	for prefix, homes := range only {
		if strings.HasPrefix(to, prefix) && !slices.Contains(homes, from) {
			return "this belongs to " + strings.Join(homes, ", ")
		}
	}
	own, inModule := strings.CutPrefix(to, module)
	switch {
	case !inModule || from == "pipeline/cli/plugins":
		return ""
	case from == ".":
		if inFolder(own, "pipeline/cli") {
			return ""
		}
		return "the program is in pipeline/cli"
	case inFolder(own, "stages") && !inFolder(from, "stages"):
		return "shared code knows no family; a plugin registers what others need of it"
	case inFolder(own, "pipeline/testkit") && !inFolder(from, "pipeline/testkit"):
		return "no shipped package imports what tests use"
	case inFolder(from, "pipeline/testkit"), inFolder(from, "pipeline/cli"):
		return ""
	case layerOf(own) == 0:
		if layerOf(from) == 0 {
			return "it must import nothing of this module"
		}
		return ""
	case layerOf(from) < 0:
		return forbiddenPlugin(from, own)
	case layerOf(own) < 0:
		return "shared code imports no plugin; a plugin registers what others need of it"
	case layerOf(own) < layerOf(from), layerOf(own) == layerOf(from) && folder(from) == folder(own):
		return ""
	}
	return "see layers in layout_test.go"
}

// forbiddenPlugin says why a plugin may not import a package, or nothing.
func forbiddenPlugin(from, own string) string {
	if folder(from) == folder(own) && !inFolder(from, "gates") || layerOf(own) >= 0 && layerOf(own) <= 2 {
		return ""
	}
	rules := pluginImports[from]
	for p := from; rules == nil && p != "."; p = path.Dir(p) {
		rules = pluginImports[p]
	}
	if slices.Contains(rules, own) || slices.ContainsFunc(whole, func(w string) bool {
		return inFolder(own, w) && (slices.Contains(rules, w) || slices.Contains(rules, own))
	}) {
		return ""
	}
	return "see pluginImports in layout_test.go"
}

// inFolder reports whether a package is a folder or lies below it.
func inFolder(pkg, dir string) bool { return pkg == dir || strings.HasPrefix(pkg, dir+"/") }

// layerOf returns the layer of a package, and -1 for plugins.
func layerOf(pkg string) int {
	best, layer := "", -1
	for i, dirs := range layers {
		for _, d := range dirs {
			if (inFolder(pkg, d) && d != "pipeline" || pkg == d) && len(d) > len(best) {
				best, layer = d, i
			}
		}
	}
	return layer
}

// folder returns the first two elements of a path: a part of the pipeline, or a plugin.
func folder(pkg string) string {
	parts := strings.SplitN(pkg, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// TestLayoutLayers wants every package below pipeline in a layer.
func TestLayoutLayers(t *testing.T) {
	for _, p := range packages(t) {
		if name := short(p.ImportPath); inFolder(name, "pipeline") && !inFolder(name, "pipeline/testkit") && layerOf(name) < 0 {
			t.Errorf("%s is in no layer of layout_test.go", name)
		}
	}
}

// TestLayoutMap wants docs/map.md to name the folder of every package, or one that holds
// it, and to fit on two screens. TestLayoutDocsPaths wants what it names to be there.
func TestLayoutMap(t *testing.T) {
	data, err := os.ReadFile("docs/map.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 8000 {
		t.Errorf("docs/map.md has %d bytes, more than two screens", len(data))
	}
	table, _, _ := strings.Cut(string(data), "## A record")
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z/]+)(?:/NAME)?`").FindAllStringSubmatch(table, -1) {
		named[m[1]] = true
	}
	for _, p := range packages(t) {
		name := short(p.ImportPath)
		at := folder(name)
		if name != "." && !named[at] && !named[path.Dir(at)] {
			t.Errorf("docs/map.md does not name %s, which holds %s", at, name)
		}
		if room := strings.Split(name, "/"); at != name && inFolder(name, "pipeline") && !named[name] && !named[room[2]] && !slices.Contains(unnamed, at) {
			t.Errorf("docs/map.md does not name %s", name)
		}
	}
}

// unnamed are folders of which docs/map.md need not name what they hold.
var unnamed = []string{"pipeline/kit", "pipeline/internal", "pipeline/testkit", "pipeline/media", "pipeline/store", "pipeline/audit"}

// TestLayoutNoInit wants registries that are values.
func TestLayoutNoInit(t *testing.T) {
	eachFile(t, func(name string, _ []byte, fset *token.FileSet, file *ast.File) {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s: no init functions; registries are values", fset.Position(f.Pos()))
			}
		}
	})
}

// TestLayoutDocs wants a comment on every package and every exported
// declaration outside tests.
func TestLayoutDocs(t *testing.T) {
	documented := map[string]bool{}
	eachFile(t, func(name string, _ []byte, fset *token.FileSet, file *ast.File) {
		dir := filepath.Dir(name)
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		documented[dir] = documented[dir] || file.Doc != nil
		if doc := file.Doc.Text(); strings.HasPrefix(doc, "Package ") && !strings.HasPrefix(doc, "Package "+file.Name.Name+" ") {
			t.Errorf("%s: the comment of package %s begins %.30q", name, file.Name.Name, doc)
		}
		for _, d := range file.Decls {
			if what := undocumented(d); what != "" {
				t.Errorf("%s: exported %s has no comment", fset.Position(d.Pos()), what)
			}
		}
	})
	for dir, ok := range documented {
		if !ok {
			t.Errorf("package %s has no package comment", dir)
		}
	}
}

// undocumented names an exported declaration without a comment. Methods of
// unexported types and grouped values under one comment need none.
func undocumented(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && !standard(d) {
			return d.Name.Name
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
				return s.Name.Name
			}
			if s, ok := spec.(*ast.ValueSpec); ok && s.Names[0].IsExported() && d.Doc == nil && s.Doc == nil {
				return s.Names[0].Name
			}
		}
	}
	return ""
}

// standard reports methods whose meaning an interface everyone knows fixes, and
// methods of unexported types.
func standard(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return false
	}
	receiver := f.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if name, ok := receiver.(*ast.Ident); ok && !name.IsExported() {
		return true
	}
	return slices.Contains([]string{"Error", "Unwrap", "String", "Is", "SetDefaults", "Spec"}, f.Name.Name)
}

func eachFile(t *testing.T, visit func(name string, src []byte, fset *token.FileSet, file *ast.File)) {
	t.Helper()
	fset, seen := token.NewFileSet(), 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || slices.Contains([]string{"out", "bin", "node_modules", "testdata"}, path)) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		seen++
		visit(path, src, fset, file)
		return nil
	})
	if err != nil || seen < 20 {
		t.Fatalf("read %d files: %v", seen, err)
	}
}
