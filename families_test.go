package main

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/score"
)

// shared are the packages that know no family. What makes the registry, and what
// tests alone use, is none of them.
var (
	shared    = []string{"pipeline", "gates", "prompts", "stages/revise", "stages/quota", "sources/internal"}
	notShared = []string{"pipeline/cli/plugins", "pipeline/testkit"}
)

// ofOneFamily are the names of package schemas that one family alone has a use for:
// its question types, its scripts, and what its stages hand on to each other.
var ofOneFamily = regexp.MustCompile(`^(Type[A-Z]\w*|Film\w*|Pair|Composition|Trial|Lag|Separability|LayoutNBack|NamePair|NameComposition|NameTrial|NameFilm)$`)

// TestLayoutFamilies wants no shared package to name a type or a word of one
// family: question types, export formats and scorers are known by registration.
func TestLayoutFamilies(t *testing.T) {
	r := plugins.Registry()
	words := map[string]bool{}
	for _, q := range r.QuestionTypes() {
		words[q.Name] = true
	}
	for _, f := range export.Formats(r) {
		words[f.Name] = true
	}
	for _, s := range score.Scorers(r) {
		words[s.Name] = true
	}
	if len(words) < 10 {
		t.Fatalf("%d words of families are known", len(words))
	}
	seen := 0
	eachFile(t, func(name string, _ []byte, fset *token.FileSet, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") || !below(filepath.Dir(name), shared) || below(filepath.Dir(name), notShared) {
			return
		}
		seen++
		ast.Inspect(file, func(n ast.Node) bool {
			if what := named(n, words); what != "" {
				t.Errorf("%s: shared code names %s, which one family has; let its plugin register what is needed of it", fset.Position(n.Pos()), what)
			}
			return true
		})
	})
	if seen < 100 {
		t.Errorf("%d files of shared packages", seen)
	}
}

// TestFamiliesExplainTheirQuestions: card and report say what each type of question asks.
func TestFamiliesExplainTheirQuestions(t *testing.T) {
	r := plugins.Registry()
	for _, q := range r.QuestionTypes() {
		said := false
		for _, terms := range r.Terms() {
			said = said || terms.Types[q.Name] != ""
		}
		if !said {
			t.Errorf("no family explains the question type %s: see Registry.Explain", q.Name)
		}
	}
	for family, terms := range r.Terms() {
		for _, says := range terms.Types {
			if len(strings.Fields(says)) > 20 || terms.Says == "" {
				t.Errorf("family %s says %q, and of a type %q; want a phrase of each", family, terms.Says, says)
			}
		}
	}
}

func below(dir string, of []string) bool {
	dir = filepath.ToSlash(dir)
	return slices.ContainsFunc(of, func(p string) bool { return dir == p || strings.HasPrefix(dir, p+"/") })
}

// named is what of one family a piece of code names, or nothing: a name of
// schemas, or a text that is one of its words, or a tag that lists one.
func named(n ast.Node, words map[string]bool) string {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok && x.Name == "schemas" && ofOneFamily.MatchString(n.Sel.Name) {
			return "schemas." + n.Sel.Name
		}
	case *ast.BasicLit:
		if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && words[text] {
			return n.Value
		}
	case *ast.Field:
		if n.Tag == nil {
			return ""
		}
		for w := range words {
			if regexp.MustCompile(`\benum:"[^"]*\b` + regexp.QuoteMeta(w) + `\b`).MatchString(n.Tag.Value) {
				return w + " in " + n.Tag.Value
			}
		}
	}
	return ""
}
