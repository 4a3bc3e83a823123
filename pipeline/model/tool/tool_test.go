package tool_test

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model/tool"
	"github.com/memforge/memforge/schemas"
)

func TestCompile(t *testing.T) {
	for _, tc := range []struct{ schema, code string }{
		{`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"},"b":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, ""},
		{`{}`, ""},
		{`{"properties":{"$ref":{"type":"string"}},"enum":[{"$ref":"#"}]}`, ""},
		{`{"properties":{"a":{"$ref":"#"}}}`, tool.CodeRecursive},
		{`{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"items":{"$ref":"#/$defs/y"}},"y":{"$ref":"#/$defs/x"}}}`, tool.CodeRecursive},
		{`{"properties":{"a":{"$dynamicRef":"#n"}}}`, tool.CodeRecursive},
		{`{"properties":{"a":{"$ref":"#/$defs/x"}}}`, tool.CodeTool},
		{`{"properties":{"a":{"$ref":"https://example.org/s.json"}}}`, tool.CodeTool},
		{`{"properties":{"a":{"type":"texts"}}}`, tool.CodeTool},
		{`{"type":"array"}`, tool.CodeTool},
		{`[]`, tool.CodeTool},
		{`null`, tool.CodeTool},
		{`{"properties":` + strings.Repeat(`{"a":`, 80) + `{}` + strings.Repeat("}", 81), tool.CodeTool},
		{`{"description":"` + strings.Repeat("x", 1<<16) + `"}`, tool.CodeTool},
	} {
		_, why := tool.Compile(schemas.Tool{Name: "s/t", Parameters: tc.schema})
		if got := codeOf(why); got != tc.code {
			t.Errorf("%.80s: %v, want %q", tc.schema, why, tc.code)
		}
	}
	if _, why := tool.Compile(schemas.Tool{Parameters: "{}"}); codeOf(why) != tool.CodeTool {
		t.Errorf("without a name: %v", why)
	}
}

func codeOf(why *pipeline.Rejection) string {
	if why == nil {
		return ""
	}
	return why.Code
}

func TestCheck(t *testing.T) {
	one, why := tool.Compile(schemas.Tool{Name: "s/t", Parameters: `{"type":"object","properties":{"code":{"type":"string"},"n":{"type":"integer","minimum":1}},"required":["code"]}`})
	if why != nil {
		t.Fatal(why)
	}
	for call, code := range map[string]string{
		`{"name":"s/t","arguments":{"code":"7","n":2}}`:   "",
		`{"arguments":"{\"code\":\"7\"}","name":"s/t"}`:   "",
		`{"name":"s/t","arguments":{"code":"7","m":2}}`:   tool.CodeUnknown,
		`{"name":"s/t","arguments":{"n":2}}`:              tool.CodeArgument,
		`{"name":"s/t","arguments":{"code":7}}`:           tool.CodeArgument,
		`{"name":"s/t","arguments":{"code":"7","n":"2"}}`: tool.CodeArgument,
		`{"name":"s/u","arguments":{"code":"7"}}`:         tool.CodeCall,
		`s/t(code=7)`: tool.CodeCall,
		`{"name":"s/t","arguments":{"code":"7"},"why":"so."}`: tool.CodeCall,
	} {
		if got := codeOf(one.Check(call)); got != code {
			t.Errorf("%s: %q, want %q", call, got, code)
		}
	}
	open, why := tool.Compile(schemas.Tool{Name: "s/t", Parameters: `{"additionalProperties":true}`})
	if why != nil || open.Check(`{"name":"s/t","arguments":{"m":2}}`) != nil {
		t.Errorf("a tool that takes more: %v", why)
	}
}

func FuzzCompile(f *testing.F) {
	f.Add(`{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, `{"name":"t","arguments":{"a":"1"}}`)
	f.Add(`{"$ref":"#"}`, `{}`)
	f.Fuzz(func(t *testing.T, schema, call string) {
		one, why := tool.Compile(schemas.Tool{Name: "t", Parameters: schema})
		if why != nil {
			return
		}
		if one.Check(call) == nil {
			if _, err := schemas.CanonicalCall(call); err != nil {
				t.Fatalf("%q passes and is no call: %v", call, err)
			}
		}
	})
}
