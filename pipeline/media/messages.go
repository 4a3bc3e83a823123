package media

import (
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"unicode"
)

var address = regexp.MustCompile(` @ 0x[0-9a-f]+`)

// cleanMessages splits a tool's stderr into lines that are the same on every machine:
// paths become "input", memory addresses and control characters go.
func cleanMessages(stderr string, hide []string) []string {
	hide = append([]string(nil), hide...)
	sort.Slice(hide, func(i, j int) bool { return len(hide[i]) > len(hide[j]) })
	var lines []string
	for _, line := range strings.FieldsFunc(stderr, func(r rune) bool { return r == '\n' || r == '\r' }) {
		for _, path := range hide {
			if path == "" || path == "." || path == "/" {
				continue
			}
			line = strings.ReplaceAll(line, "file:"+path, "input")
			line = strings.ReplaceAll(line, path, "input")
		}
		line = strings.Map(printable, strings.ToValidUTF8(address.ReplaceAllString(line, ""), "?"))
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func printable(r rune) rune {
	if unicode.IsControl(r) {
		return -1
	}
	return r
}

// inputURL returns the path in the form every command gets it: absolute, with the
// protocol spelled out so that no part of the name is taken for one.
func inputURL(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return "file:" + abs, nil
}
