// Package glob matches slash-separated paths against the Include and Exclude
// patterns of a need: path.Match per folder, and "**" for any number of
// folders, none included. "*.mp4" is therefore the top folder only and
// "**/*.mp4" every folder.
package glob

import (
	"fmt"
	"path"
	"strings"
)

// Set is a compiled pair of include and exclude lists.
type Set struct {
	include, exclude [][]string
}

// Compile checks the patterns. An empty include list matches every path.
func Compile(include, exclude []string) (*Set, error) {
	in, err := split("include", include)
	if err != nil {
		return nil, err
	}
	ex, err := split("exclude", exclude)
	if err != nil {
		return nil, err
	}
	return &Set{include: in, exclude: ex}, nil
}

func split(list string, patterns []string) ([][]string, error) {
	var out [][]string
	for i, p := range patterns {
		segments, err := check(p)
		if err != nil {
			return nil, fmt.Errorf("%s pattern %d %q: %w", list, i+1, p, err)
		}
		out = append(out, segments)
	}
	return out, nil
}

func check(pattern string) ([]string, error) {
	segments := strings.Split(pattern, "/")
	for _, s := range segments {
		switch {
		case s == "":
			return nil, fmt.Errorf("empty pattern, leading or double slash; write a path relative to the root such as %q", "clips/*.mp4")
		case s == "." || s == "..":
			return nil, fmt.Errorf("%q cannot match; patterns are relative to the root", s)
		case s != "**" && strings.Contains(s, "**"):
			return nil, fmt.Errorf("%q must stand alone between slashes, as in %q", "**", "**/*.mp4")
		}
		if _, err := path.Match(s, ""); err != nil {
			return nil, fmt.Errorf("%w; escape [ with a backslash", err)
		}
	}
	return segments, nil
}

// Match reports whether a path is included and not excluded.
func (s *Set) Match(name string) bool {
	parts := strings.Split(name, "/")
	if matchesAny(s.exclude, parts) {
		return false
	}
	return len(s.include) == 0 || matchesAny(s.include, parts)
}

func matchesAny(patterns [][]string, parts []string) bool {
	for _, p := range patterns {
		if match(p, parts) {
			return true
		}
	}
	return false
}

// match fills a table row by row, so that several "**" cost a product and not
// an exponential search: reach[j] says that the pattern so far matches the
// first j parts.
func match(pattern, parts []string) bool {
	reach := make([]bool, len(parts)+1)
	reach[0] = true
	for _, seg := range pattern {
		next := make([]bool, len(parts)+1)
		if seg == "**" {
			next[0] = reach[0]
		}
		for j, part := range parts {
			if seg == "**" {
				next[j+1] = reach[j+1] || next[j]
				continue
			}
			if ok, _ := path.Match(seg, part); ok {
				next[j+1] = reach[j]
			}
		}
		reach = next
	}
	return reach[len(parts)]
}

// Escape returns a pattern that matches exactly the path.
func Escape(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// AnyCase returns a pattern for files in any folder whose name ends in one of
// the spellings of ext (with the dot): ".mp4" also matches "A.MP4".
func AnyCase(ext string) string {
	var b strings.Builder
	b.WriteString("**/*")
	for _, c := range strings.ToLower(ext) {
		if c >= 'a' && c <= 'z' {
			fmt.Fprintf(&b, "[%c%c]", c, c-'a'+'A')
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}
