package schemas_test

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

func TestCanonicalCall(t *testing.T) {
	const want = `{"arguments":{"city":"Gent","n":15},"name":"find"}`
	for _, same := range []string{
		want, `{"name": "find", "arguments": {"n": 15.0, "city": "Gent"}}`, `{"name":"find","arguments":{"n":1.5e1,"city":"\u0047ent"}}`,
		`{"arguments":"{\"city\":\"Gent\",\"n\":150E-1}","name":"find"}`,
	} {
		if got, err := schemas.CanonicalCall(same); err != nil || got != want {
			t.Errorf("%s gives %s, %v", same, got, err)
		}
	}
	for text, want := range map[string]string{
		`{"name":"f"}`: `{"arguments":{},"name":"f"}`,
		`{"name":"f","arguments":{"a":[-0.0,1e400,0.25]}}`:    `{"arguments":{"a":[0,1e400,25e-2]},"name":"f"}`,
		`{"name":"f","arguments":{"a":"15"}}`:                 `{"arguments":{"a":"15"},"name":"f"}`,
		`{"name":"f","arguments":{"a":12345678901234567890}}`: `{"arguments":{"a":12345678901234567890},"name":"f"}`,
	} {
		if got, err := schemas.CanonicalCall(text); err != nil || got != want {
			t.Errorf("%s gives %s, %v; want %s", text, got, err, want)
		}
	}
	const f, g = `{"arguments":{},"name":"f"}`, `{"arguments":{"a":1},"name":"g"}`
	for text, want := range map[string]string{
		`[{"step":4,"calls":[{"name":"f"}]}]`:                      f,
		`[{"calls":[` + f + `,` + g + `]}]`:                        `[{"calls":[` + g + `,` + f + `],"step":1}]`,
		`[{"step":"a","calls":[]},{"step":7,"calls":[` + g + `]}]`: `[{"calls":[],"step":1},{"calls":[` + g + `],"step":2}]`,
	} {
		if got, err := schemas.CanonicalCall(text); err != nil || got != want {
			t.Errorf("%s gives %s, %v; want %s", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "unknown", "[]", "[1]", `[{"calls":[{}]}]`, `[{"call":[]}]`, `[{"calls":[` + f + `]}] more`, `{"name":""}`, `{"name":"f"} more`, `{"name":"f"}}`, `{"name":"f","arguments":[1]}`, `{"name":"f","args":{}}`, `{"name":"f","arguments":{"a":` + strings.Repeat("1", 1<<17) + `}}`} {
		if got, err := schemas.CanonicalCall(bad); err == nil {
			t.Errorf("%.40s gives %s", bad, got)
		}
	}
}

func FuzzCanonicalCall(f *testing.F) {
	f.Add(`{"name":"find","arguments":{"n":1.50e1}}`)
	f.Add(`{"name":"f","arguments":"{\"a\":-0.0e99999999999}"}`)
	f.Add(`[{"step":1,"calls":[]},{"calls":[{"name":"b"},{"name":"a"}]}]`)
	f.Fuzz(func(t *testing.T, s string) {
		once, err := schemas.CanonicalCall(s)
		if err != nil {
			return
		}
		if twice, err := schemas.CanonicalCall(once); err != nil || twice != once {
			t.Errorf("%q becomes %q, then %q, %v", s, once, twice, err)
		}
	})
}
