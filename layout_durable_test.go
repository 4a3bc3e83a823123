package main

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLayoutDurable keeps what survives a power cut, and who may write, in one place.
func TestLayoutDurable(t *testing.T) {
	found := 0
	eachFile(t, func(name string, _ []byte, fset *token.FileSet, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			of, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"Sync", "Fsync", "Fdatasync", "Flock", "FcntlFlock"}, of.Sel.Name) {
				return true
			}
			if by, ok := of.X.(*ast.Ident); ok && by.Name == "atomicfile" {
				return true
			}
			if found++; filepath.ToSlash(filepath.Dir(name)) != "pipeline/kit/atomicfile" {
				t.Errorf("%s: %s belongs to pipeline/kit/atomicfile", fset.Position(of.Pos()), of.Sel.Name)
			}
			return true
		})
	})
	if found == 0 {
		t.Error("nothing syncs or locks: the check looks for the wrong names")
	}
}
