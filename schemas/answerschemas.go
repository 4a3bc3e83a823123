package schemas

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed answers/*.json
var answerFiles embed.FS

// AnswerSchema returns the JSON Schema (2020-12) of a model's answer, by the name in a
// prompt's front matter.
func AnswerSchema(name string) ([]byte, error) {
	b, err := answerFiles.ReadFile("answers/" + name + ".json")
	if err != nil {
		return nil, fmt.Errorf("answer schema %q: there are %s", name, strings.Join(AnswerSchemaNames(), ", "))
	}
	return b, nil
}

// AnswerSchemaNames lists the embedded schemas of answers, sorted.
func AnswerSchemaNames() []string {
	list, err := fs.Glob(answerFiles, "answers/*.json")
	if err != nil {
		return nil
	}
	for i, f := range list {
		list[i] = strings.TrimSuffix(strings.TrimPrefix(f, "answers/"), ".json")
	}
	slices.Sort(list)
	return list
}
