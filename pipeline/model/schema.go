package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Schema is a compiled JSON Schema.
type Schema struct {
	raw      json.RawMessage
	strict   json.RawMessage // nil where there is none
	compiled *jsonschema.Schema
}

// CompileSchema compiles a self-contained JSON Schema (2020-12).
func CompileSchema(raw []byte) (Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return Schema{}, fmt.Errorf("not JSON: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	if err := c.AddResource("mem:answer", doc); err != nil {
		return Schema{}, err
	}
	compiled, err := c.Compile("mem:answer")
	if err != nil {
		return Schema{}, err
	}
	var short bytes.Buffer
	if err := json.Compact(&short, raw); err != nil {
		return Schema{}, fmt.Errorf("not JSON: %w", err)
	}
	strict, err := strictSchema(short.Bytes())
	if err != nil && !errors.Is(err, errNotStrict) {
		return Schema{}, err
	}
	return Schema{raw: short.Bytes(), strict: strict, compiled: compiled}, nil
}

// answerSchemas compile the embedded schemas by name, each once: every batch of a
// build makes its plugins anew, and these their tasks.
var answerSchemas = sync.OnceValue(func() map[string]func() (Schema, error) {
	all := map[string]func() (Schema, error){}
	for _, name := range schemas.AnswerSchemaNames() {
		all[name] = sync.OnceValues(func() (Schema, error) {
			raw, err := schemas.AnswerSchema(name)
			if err != nil {
				return Schema{}, err
			}
			return CompileSchema(raw)
		})
	}
	return all
})

// Text is the schema without white space between its tokens, as requests hold
// it. The order of properties stays: it is the one in which models answer.
func (s Schema) Text() json.RawMessage { return s.raw }

// Check validates an answer. The error's text depends on nothing but the answer
// and the schema: it is shown to models, and what they are shown enters keys.
func (s Schema) Check(answer json.RawMessage) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer))
	if err != nil {
		return fmt.Errorf("it is not one JSON value: %w", err)
	}
	err = s.compiled.Validate(doc)
	var wrong *jsonschema.ValidationError
	if !errors.As(err, &wrong) {
		return err
	}
	lines := leafErrors(wrong, message.NewPrinter(language.English))
	slices.Sort(lines)
	return errors.New(strings.Join(slices.Compact(lines), "; "))
}

// Accept returns an answer that fits the schema. A text that must be one of several may be
// written in a trivial form: "b", "B.", "(B)" or "Option B" stand for "B".
func (s Schema) Accept(answer json.RawMessage) (json.RawMessage, error) {
	wrong := s.Check(answer)
	var fields map[string]json.RawMessage
	if wrong == nil || json.Unmarshal(answer, &fields) != nil {
		return answer, wrong
	}
	for name, of := range s.compiled.Properties {
		var given string
		if of.Enum == nil || json.Unmarshal(fields[name], &given) != nil {
			continue
		}
		for _, v := range of.Enum.Values {
			if known, ok := v.(string); ok && known != given && plainForm(given) == plainForm(known) {
				fields[name], _ = json.Marshal(known) // a text
			}
		}
	}
	again, err := json.Marshal(fields)
	if err != nil || s.Check(again) != nil {
		return answer, wrong
	}
	return again, nil
}

var choiceWord = regexp.MustCompile(`^(?:the )?(?:option|answer|letter|choice)[ :]+`)

// plainForm is a choice without case, marks around it, and a word before it that says that it
// is one.
func plainForm(choice string) string {
	const marks = " .,:;()[]*\"'"
	return strings.Trim(choiceWord.ReplaceAllString(strings.ToLower(strings.Trim(choice, marks)), ""), marks)
}

// maxErrorLine bounds one line about an answer, in bytes.
const maxErrorLine = 300

// leafErrors lists what is really wrong, without the schemas around it.
func leafErrors(e *jsonschema.ValidationError, p *message.Printer) []string {
	if len(e.Causes) > 0 {
		var lines []string
		for _, c := range e.Causes {
			lines = append(lines, leafErrors(c, p)...)
		}
		return lines
	}
	if extra, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
		slices.Sort(extra.Properties) // the library walks a map
	}
	at := "/" + strings.Join(e.InstanceLocation, "/")
	return []string{words.ShortenBytes(fmt.Sprintf("at %s: %s", at, e.ErrorKind.LocalizedString(p)), maxErrorLine)}
}
