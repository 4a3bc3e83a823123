package tool_test

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/model/tool"
	"github.com/memforge/memforge/schemas"
)

// TestBoundsOfATool: a schema has at most 64 KiB, and a tool a name.
func TestBoundsOfATool(t *testing.T) {
	schema := func(size int) string {
		frame := `{"description":""}`
		return `{"description":"` + strings.Repeat("x", size-len(frame)) + `"}`
	}
	for _, tc := range []struct {
		what string
		tool schemas.Tool
		good bool
	}{
		{"64 KiB", schemas.Tool{Name: "s/t", Parameters: schema(64 << 10)}, true},
		{"a byte more", schemas.Tool{Name: "s/t", Parameters: schema(64<<10 + 1)}, false},
		{"no name", schemas.Tool{Parameters: `{}`}, false},
		{"a blank name", schemas.Tool{Name: " ", Parameters: `{}`}, false},
	} {
		if _, why := tool.Compile(tc.tool); (why == nil) != tc.good {
			t.Errorf("%s: %v", tc.what, why)
		}
	}
}
