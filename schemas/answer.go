package schemas

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed answers/*.json
var answers embed.FS

// Answer returns the JSON Schema (2020-12) of what a model must answer, by the
// name that a prompt's front matter gives.
func Answer(name string) ([]byte, error) {
	b, err := answers.ReadFile("answers/" + name + ".json")
	if err != nil {
		return nil, fmt.Errorf("answer schema %q: there are %s", name, strings.Join(AnswerNames(), ", "))
	}
	return b, nil
}

// AnswerNames lists the embedded answer schemas, sorted.
func AnswerNames() []string {
	list, err := fs.Glob(answers, "answers/*.json")
	if err != nil {
		return nil
	}
	for i, f := range list {
		list[i] = strings.TrimSuffix(strings.TrimPrefix(f, "answers/"), ".json")
	}
	slices.Sort(list)
	return list
}
