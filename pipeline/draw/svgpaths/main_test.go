package main

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/draw"
)

func TestCompile(t *testing.T) {
	for _, tc := range []struct{ body, want string }{
		{`<path d="M1 2h3v4l-1-1z"/>`, "stroke 128 ink M 64 128 L 256 128 L 256 384 L 192 320 Z"},
		{`<path fill="#F00" stroke="none" d="M0 0 1 1 2 0"/>`, "fill #ff0000 M 0 0 L 64 64 L 128 0"},
		{`<line x1="1" y1="1" x2="2" y2="1"/>`, "stroke 128 ink M 64 64 L 128 64"},
		{`<g stroke-width="1"><polyline points="1,1 2,2 3,1"/></g>`, "stroke 64 ink M 64 64 L 128 128 L 192 64"},
		{`<path d="M0 0c1 0 1 1 1 2s0 2 1 2"/>`, "stroke 128 ink M 0 0 C 64 0 64 64 64 128 C 64 192 64 256 128 256"},
		{`<path d="M0 0q1 0 1 1t1 1"/>`, "stroke 128 ink M 0 0 Q 64 0 64 64 Q 64 128 128 128"},
		{`<path d="M0 2a2 2 0 012-2"/>`, "stroke 128 ink M 0 128 C 0 57 57 0 128 0"},
	} {
		var out strings.Builder
		if err := compile(&out, "it", strings.NewReader(`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2">`+tc.body+`</svg>`)); err != nil {
			t.Errorf("%s: %v", tc.body, err)
			continue
		}
		if got := strings.TrimSpace(strings.TrimPrefix(out.String(), "drawing it 24 24\n")); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.body, got, tc.want)
		}
		if d, err := draw.ParseDrawings(out.String()); err != nil || d["it"].W != draw.Px(24) {
			t.Errorf("%s: %v", tc.body, err)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, body := range []string{
		`<svg viewBox="5 0 24 24"/>`, `<svg viewBox="0 0 9 9"><text>x</text></svg>`, `<svg viewBox="0 0 9 9"><path transform="scale(2)" d="M0 0"/></svg>`,
		`<svg viewBox="0 0 9 9"><path d="M0"/></svg>`, `<svg viewBox="0 0 9 9"><path d="M0 0X1"/></svg>`, `<svg viewBox="0 0 9 9"><circle r="x"/></svg>`, `<svg`,
	} {
		if err := compile(&strings.Builder{}, "it", strings.NewReader(body)); err == nil {
			t.Errorf("compiled %s", body)
		}
	}
}
