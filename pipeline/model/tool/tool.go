// Package tool checks tools that a question offers, and calls of them, against the JSON
// Schema of their arguments (SMMBench 3.3). Both may be a stranger's.
package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// Codes of what is wrong with a tool, and with a call.
const (
	CodeTool      = "bad-tool"         // no name, or no JSON Schema of an object
	CodeRecursive = "recursive-tool"   // its schema refers to itself
	CodeCall      = "bad-call"         // no call, or of another tool
	CodeUnknown   = "unknown-argument" // an argument that the tool does not have
	CodeArgument  = "bad-argument"     // one is missing, or not what the schema wants
)

const (
	maxBytes = 64 << 10 // of a schema
	maxDepth = 64       // of values within values
)

// Tool is one whose schema was understood.
type Tool struct {
	name      string
	schema    model.Schema
	arguments map[string]bool
	open      bool // takes arguments that its schema does not name
}

// Compile reads the schema of a tool's arguments. It has to be self-contained, and may
// not refer to itself, so that a form made of it ends.
func Compile(t schemas.Tool) (Tool, *pipeline.Rejection) {
	bad := func(format string, args ...any) (Tool, *pipeline.Rejection) {
		return Tool{}, pipeline.Reject(CodeTool, "tool %q: %s", words.ShortenBytes(t.Name, 80), fmt.Sprintf(format, args...))
	}
	if strings.TrimSpace(t.Name) == "" || len(t.Parameters) > maxBytes {
		return bad("want a name, and a schema of at most %d bytes; it has %d", maxBytes, len(t.Parameters))
	}
	var root map[string]any
	if err := json.Unmarshal([]byte(t.Parameters), &root); err != nil || root == nil {
		return bad("its parameters are no JSON object: %v", err)
	}
	w := referenceCheck{root: root, refs: map[string]bool{}}
	if why := w.checkRef("#"); why != nil {
		return Tool{}, pipeline.Reject(why.Code, "tool %q: %s", t.Name, why.Reason)
	}
	if kind, given := root["type"]; given && kind != "object" {
		return bad("its schema is of type %v; arguments are an object", kind)
	}
	schema, err := model.CompileSchema([]byte(t.Parameters))
	if err != nil {
		return bad("its schema: %v", err)
	}
	out := Tool{name: t.Name, schema: schema, arguments: map[string]bool{}}
	properties, _ := root["properties"].(map[string]any)
	for name := range properties {
		out.arguments[name] = true
	}
	_, patterns := root["patternProperties"]
	more, stated := root["additionalProperties"]
	out.open = patterns || stated && more != false
	return out, nil
}

// Check says what is wrong with a call in the form of schemas.CanonicalCall, or nil. An
// argument that the schema does not name is refused unless the schema says that there
// may be more: JSON Schema itself would let it pass.
func (t Tool) Check(call string) *pipeline.Rejection {
	canonical, err := schemas.CanonicalCall(call)
	if err != nil {
		return pipeline.Reject(CodeCall, "%v", err)
	}
	var c struct {
		Name      string
		Arguments json.RawMessage
	}
	if err := json.Unmarshal([]byte(canonical), &c); err != nil || c.Name != t.name {
		return pipeline.Reject(CodeCall, "it calls %q and not %q", c.Name, t.name)
	}
	var arguments map[string]json.RawMessage
	if err := json.Unmarshal(c.Arguments, &arguments); err != nil {
		return pipeline.Reject(CodeCall, "its arguments: %v", err)
	}
	var unknown []string
	for name := range arguments {
		if !t.arguments[name] && !t.open {
			unknown = append(unknown, words.ShortenBytes(name, 80))
		}
	}
	if slices.Sort(unknown); len(unknown) > 0 {
		return pipeline.Reject(CodeUnknown, "tool %q has no argument %q", t.name, unknown)
	}
	if err := t.schema.Check(c.Arguments); err != nil {
		return pipeline.Reject(CodeArgument, "tool %q: %v", t.name, err)
	}
	return nil
}

// CheckPlan says what is wrong with a call or a plan (schemas.ReadPlan) of some tools, or nil:
// one of its calls fits no tool.
func CheckPlan(tools []schemas.Tool, plan string) *pipeline.Rejection {
	steps, err := schemas.ReadPlan(plan)
	if err != nil {
		return pipeline.Reject(CodeCall, "%v", err)
	}
	if len(tools) == 0 {
		return pipeline.Reject(CodeTool, "a call is asked for, and no tool is offered")
	}
	compiled := make([]Tool, len(tools))
	for i, t := range tools {
		var why *pipeline.Rejection
		if compiled[i], why = Compile(t); why != nil {
			return why
		}
	}
	for _, call := range slices.Concat(steps...) {
		text, err := json.Marshal(call)
		if err != nil {
			return pipeline.Reject(CodeCall, "%v", err)
		}
		var why *pipeline.Rejection
		fits := slices.ContainsFunc(compiled, func(t Tool) bool {
			r := t.Check(string(text))
			if why == nil || why.Code == CodeCall {
				why = r // of the tool that the call names, where there is one
			}
			return r == nil
		})
		if !fits {
			return why
		}
	}
	return nil
}

// Defaults returns the arguments that a tool takes where a call does not name them.
func Defaults(t schemas.Tool) map[string]json.RawMessage {
	var form struct {
		Properties map[string]struct{ Default json.RawMessage }
	}
	out := map[string]json.RawMessage{}
	if json.Unmarshal([]byte(t.Parameters), &form) != nil {
		return out // no tool that a call could be checked against
	}
	for name, p := range form.Properties {
		if p.Default != nil {
			out[name] = p.Default
		}
	}
	return out
}

// WithoutDefaults returns a call or a plan without the arguments that are their tool's
// defaults, in canonical form: two that ask tools for the same are equal.
func WithoutDefaults(tools []schemas.Tool, plan string) (string, error) {
	steps, err := schemas.ReadPlan(plan)
	if err != nil {
		return "", err
	}
	for _, call := range slices.Concat(steps...) {
		at := slices.IndexFunc(tools, func(t schemas.Tool) bool { return t.Name == call.Name })
		if at < 0 {
			continue
		}
		for name, value := range Defaults(tools[at]) {
			if given, named := call.Arguments[name]; named && sameValue(given, value) {
				delete(call.Arguments, name)
			}
		}
	}
	return schemas.CanonicalPlan(steps)
}

// sameValue reports whether an argument is a value of a schema, numbers by their value.
func sameValue(argument any, value json.RawMessage) bool {
	given, err := json.Marshal(argument)
	if err != nil {
		return false
	}
	one, err1 := schemas.CanonicalCall(`{"name":"v","arguments":{"v":` + string(given) + `}}`)
	other, err2 := schemas.CanonicalCall(`{"name":"v","arguments":{"v":` + string(value) + `}}`)
	return err1 == nil && err2 == nil && one == other
}

type referenceCheck struct {
	root map[string]any
	// refs are the references that were met: true while what they lead to is looked at.
	refs map[string]bool
}

func (w *referenceCheck) checkRef(ref string) *pipeline.Rejection {
	if open, met := w.refs[ref]; met {
		if open {
			return pipeline.Reject(CodeRecursive, "its schema refers to itself by %q", words.ShortenBytes(ref, 80))
		}
		return nil
	}
	w.refs[ref] = true
	v, ok := w.resolve(ref)
	if !ok {
		return pipeline.Reject(CodeTool, "its schema refers to %q; want a place within it, as in #/$defs/name", words.ShortenBytes(ref, 80))
	}
	why := w.checkValue(v, 0)
	w.refs[ref] = false
	return why
}

func (w *referenceCheck) resolve(ref string) (any, bool) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return nil, false
	}
	pointer, err := url.PathUnescape(pointer)
	if err != nil {
		return nil, false
	}
	var v any = w.root
	for _, part := range strings.Split(pointer, "/")[1:] {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]; !ok {
			return nil, false
		}
	}
	return v, true
}

func (w *referenceCheck) checkValue(v any, depth int) *pipeline.Rejection {
	if depth > maxDepth {
		return pipeline.Reject(CodeTool, "its schema is nested more than %d deep", maxDepth)
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if why := w.checkValue(item, depth+1); why != nil {
				return why
			}
		}
	case map[string]any:
		for _, key := range sortedKeys(v) {
			if why := w.checkMember(key, v[key], depth); why != nil {
				return why
			}
		}
	}
	return nil
}

func (w *referenceCheck) checkMember(key string, v any, depth int) *pipeline.Rejection {
	ref, text := v.(string)
	_, list := v.([]any)
	switch {
	case key == "$ref" && text:
		return w.checkRef(ref)
	case (key == "$dynamicRef" || key == "$recursiveRef") && text:
		return pipeline.Reject(CodeRecursive, "its schema has %s, which may lead back to itself", key)
	case (key == "enum" || key == "examples" || key == "const" || key == "default") && (list || text):
		return nil // values, not schemas
	}
	return w.checkValue(v, depth+1)
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// CompactParameters is a JSON Schema as schemas.Tool holds it, without white space.
func CompactParameters(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
