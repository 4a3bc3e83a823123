package main

import (
	"bufio"
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
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The rules of CONTRIBUTING.md on who imports whom and how long things are.

const module = "github.com/memforge/memforge/"

// Functions of tests may be longer: tables of cases are.
const (
	maxFileLines     = 350
	maxFunctionLines = 40
)

// everywhere may be imported by every package below pipeline, and by plugins.
var everywhere = []string{"pipeline", "pipeline/words", "schemas"}

// mayImport lists what packages may import of this module besides what
// everywhere lists and packages below themselves. "*" is anything.
var mayImport = map[string][]string{
	".":                {"pipeline/all", "pipeline/cli"},
	"pipeline":         {"pipeline/shape"},
	"pipeline/all":     {"*"},
	"pipeline/cli":     {"*"},
	"pipeline/build":   {"pipeline/config", "pipeline/engine", "pipeline/fetch", "pipeline/forecast", "pipeline/gallery", "pipeline/license", "pipeline/model", "pipeline/model/allowance", "pipeline/model/client", "pipeline/model/ledger", "pipeline/model/ledger/ledgers", "pipeline/model/server", "pipeline/release", "pipeline/review", "pipeline/run", "pipeline/sorted", "pipeline/store", "pipeline/store/stores"},
	"pipeline/cluster": {"pipeline/build", "pipeline/engine", "pipeline/model/client", "pipeline/postgres", "pipeline/store", "pipeline/store/bucket", "pipeline/store/shared", "prompts"}, "pipeline/cluster/board": {"pipeline/postgres"},
	"pipeline/audit":       {"pipeline/agreement", "pipeline/engine", "pipeline/fetch", "pipeline/media", "pipeline/pile", "pipeline/release", "pipeline/review"},
	"pipeline/audit/rerun": {"pipeline/agreement", "pipeline/durable", "pipeline/engine", "pipeline/release", "pipeline/store"},
	"pipeline/config":      {"pipeline/durable", "pipeline/engine", "pipeline/license", "pipeline/model/server"},
	"pipeline/drive":       {"pipeline/durable", "pipeline/release", "pipeline/score"},
	"pipeline/export":      {"pipeline/durable", "pipeline/plain", "pipeline/release"},
	"pipeline/forecast":    {"pipeline/engine", "pipeline/glob", "pipeline/media"}, "pipeline/fetch": {"pipeline/durable", "pipeline/glob"},
	"pipeline/progress": {"pipeline/engine", "pipeline/plain"},
	"pipeline/show":     {"pipeline/engine", "pipeline/explain"},
	"pipeline/explain":  {"pipeline/engine"}, "pipeline/run": {"pipeline/engine"}, "pipeline/engine": {"pipeline/sorted"},
	"pipeline/release":     {"pipeline/agreement", "pipeline/durable", "pipeline/license", "pipeline/media/still", "pipeline/parquetrows", "pipeline/plain", "pipeline/review", "pipeline/shape", "pipeline/sorted"},
	"pipeline/parquetrows": {"pipeline/shape"}, "pipeline/seal": {"pipeline/durable"}, "pipeline/postgres": {"pipeline/durable"},
	"pipeline/score":    {"pipeline/plain", "pipeline/release"},
	"pipeline/tables":   {"pipeline/agreement", "pipeline/plain", "pipeline/release"},
	"pipeline/shortcut": {"pipeline/agreement"}, "pipeline/review": {"pipeline/agreement"},
	"pipeline/store": {"pipeline/durable", "pipeline/engine"}, "pipeline/store/shared": {"pipeline/durable", "pipeline/postgres"}, "pipeline/store/stores": {"pipeline/postgres"}, "pipeline/store/storetest": {"pipeline/engine", "pipeline/pipelinetest/database"},
	"pipeline/pipelinetest": {"gates/view", "pipeline/agreement", "pipeline/config", "pipeline/engine", "pipeline/fetch", "pipeline/model", "pipeline/model/client", "pipeline/model/ledger", "pipeline/release", "pipeline/store"},
	"pipeline/tool":         {"pipeline/model"}, "pipeline/temporal": {"pipeline/cluster"}, "pipeline/river": {"pipeline/cluster", "pipeline/postgres"}, "pipeline/pipelinetest/enginetest": {"pipeline/cluster"},
	"pipeline/model": {"pipeline/durable", "pipeline/media/still", "prompts"}, "pipeline/model/allowance": {"pipeline/postgres"}, "pipeline/model/ledger/shared": {"pipeline/postgres"}, "pipeline/model/ledger/ledgers": {"pipeline/postgres"},
	"sources":          {"pipeline/draw", "pipeline/draw/widget", "pipeline/media", "pipeline/media/still", "pipeline/fetch", "pipeline/glob", "pipeline/parquetrows", "pipeline/model", "pipeline/review", "pipeline/tool", "prompts", "sources/internal/annotation", "sources/internal/benchmark", "sources/internal/evidence", "sources/internal/filevideo", "sources/internal/trajectory"},
	"sources/internal": {"pipeline/fetch", "pipeline/glob", "pipeline/media", "pipeline/media/still", "pipeline/parquetrows"},
	// A family is one folder: what one of them may import, all may.
	"stages":         {"gates/panel", "gates/sessions", "gates/structural", "gates/view", "pipeline/agreement", "pipeline/draw", "pipeline/draw/widget", "pipeline/durable", "pipeline/export", "pipeline/gallery", "pipeline/grammar", "pipeline/media", "pipeline/media/still", "pipeline/model", "pipeline/plain", "pipeline/reader", "pipeline/release", "pipeline/review", "pipeline/score", "pipeline/score/text", "pipeline/tables", "pipeline/tool", "pipeline/wording", "pipeline/world", "prompts"},
	"gates":          {"gates/panel", "gates/protocol", "gates/sessions", "pipeline/shortcut", "gates/structural", "pipeline/model", "pipeline/tool", "prompts"},
	"gates/panel":    {"gates/protocol", "gates/view", "pipeline/media", "pipeline/model", "prompts"},
	"gates/sessions": {"gates/panel", "gates/protocol", "gates/view", "pipeline/model"},
	"gates/protocol": {}, "gates/view": {}, "pipeline/wording": {},
}

// only lists imports that belong to one place.
var only = map[string][]string{
	"os/exec":               {"pipeline/drive", "pipeline/media", "pipeline/pipelinetest/database", "pipeline/pipelinetest/enginetest", "pipeline/pipelinetest/temporalserver"},
	"github.com/jackc/pgx/": {"pipeline/cluster/board", "pipeline/postgres", "pipeline/river", "pipeline/store/shared", "pipeline/store/storetest"},
	"gocloud.dev/":          {"pipeline/store/bucket"}, "go.temporal.io/": {"pipeline/temporal"}, "github.com/riverqueue/": {"pipeline/river"},
	"net/http":                      {"pipeline/drive", "pipeline/fetch", "pipeline/model/client", "pipeline/model/limit", "pipeline/model/wire", "pipeline/pipelinetest", "pipeline/release"},
	"github.com/Eyevinn/":           {"pipeline/media"},
	"github.com/u2takey/":           {"pipeline/media"},
	"github.com/apache/arrow/":      {"pipeline/pipelinetest/parquetfile", "pipeline/release"},
	"github.com/xitongsys/parquet-": {"pipeline/parquetrows", "pipeline/release"},
	"github.com/alecthomas/kong":    {"pipeline/cli"},
	"github.com/goccy/go-yaml":      {"pipeline/config", "pipeline/fetch", "prompts"},
	"github.com/kljensen/":          {"stages/video/author"},
	"modernc.org/sqlite":            {"pipeline/model/ledger", "pipeline/store"},
	"github.com/cheggaaa/pb/":       {"pipeline/progress"},
	"github.com/sashabaranov/":      {"pipeline/model/wire"},
	"github.com/santhosh-tekuri/":   {"pipeline/model"},
	"aead.dev/minisign":             {"pipeline/seal"},
	"github.com/golang/freetype/":   {"pipeline/draw", "stages/film"},
	"golang.org/x/image/font":       {"pipeline/draw", "stages/film"},
	"github.com/fogleman/gg":        {"stages/film"}, // no other: its pixels differ between architectures
}

type listed struct {
	ImportPath, Dir  string
	Imports, GoFiles []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Dir,Imports,GoFiles", "./...").Output()
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
		{"stages/video", module + "stages/film", false},
		{"stages/video", module + "stages/video/ask", true},
		{"stages/video/ask", module + "stages/video/facts", true},
		{"stages/video", module + "pipeline/store", false},
		{"schemas", module + "pipeline", false},
		{"pipeline", module + "schemas", true},
		{"pipeline", module + "pipeline/store", false},
		{"pipeline", module + "pipeline/shape", true},
		{"pipeline", module + "pipeline/engine", false},
		{"pipeline/engine", module + "pipeline/store", false},
		{"stages/video", module + "pipeline/engine", false},
		{"pipeline/run", module + "pipeline/store", false},
		{"stages/video", "os/exec", false}, {"pipeline/cluster", "go.temporal.io/sdk/client", false}, {"pipeline/cluster", "github.com/riverqueue/river", false},
		{"gates", "github.com/apache/arrow/go/v17/arrow", false},
		{"pipeline/cli", module + "gates", true},
		{"pipeline/cli", module + "stages/video", false},
		{"pipeline/all", module + "stages/video", true},
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
	if !inModule {
		return ""
	}
	if from == "schemas" || from == "prompts" || from == "pipeline/shape" {
		return "it must import nothing of this module"
	}
	if from == "pipeline" && own != "schemas" && own != "pipeline/shape" {
		return "the core imports schemas and the shape of tables only"
	}
	if strings.HasPrefix(own, "stages/") && !strings.HasPrefix(from, "stages/") && from != "pipeline/all" {
		return "shared code knows no family; a plugin registers what others need of it"
	}
	if slices.Contains(everywhere, own) || family(from) == family(own) {
		return ""
	}
	allowed := rulesOf(from)
	if slices.Contains(allowed, "*") || slices.Contains(allowed, own) {
		return ""
	}
	return "see mayImport in layout_test.go"
}

// family is what a package shares with those below and beside it: two path
// elements, so that a plugin may have packages of its own.
func family(path string) string {
	parts := strings.SplitN(path, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

func rulesOf(path string) []string {
	for p := path; p != "."; p = filepath.ToSlash(filepath.Dir(p)) {
		if rules, ok := mayImport[p]; ok {
			return rules
		}
	}
	return mayImport[path]
}

// TestLayoutMap holds docs/map.md against the packages that there are.
func TestLayoutMap(t *testing.T) {
	data, err := os.ReadFile("docs/map.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]int{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(data), -1) {
		named[m[1]]++
	}
	for _, p := range packages(t) {
		if name := short(p.ImportPath); len(p.GoFiles) > 0 && named[name] != 1 {
			t.Errorf("docs/map.md has %d lines for package %s, want one", named[name], name)
		}
		delete(named, short(p.ImportPath))
	}
	for name := range named {
		t.Errorf("docs/map.md names %s, which is no package", name)
	}
}

func TestLayoutLengths(t *testing.T) {
	eachFile(t, func(name string, src []byte, fset *token.FileSet, file *ast.File) {
		lines := 0
		for s := bufio.NewScanner(bytes.NewReader(src)); s.Scan(); {
			lines++
		}
		if lines > maxFileLines {
			t.Errorf("%s has %d lines, more than %d", name, lines, maxFileLines)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || strings.HasSuffix(name, "_test.go") {
				continue
			}
			if f.Name.Name == "init" && f.Recv == nil {
				t.Errorf("%s: no init functions; registries are values", fset.Position(f.Pos()))
			}
			if n := fset.Position(f.End()).Line - fset.Position(f.Pos()).Line + 1; n > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, more than %d", fset.Position(f.Pos()), f.Name.Name, n, maxFunctionLines)
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
