package extraction

import (
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestWhichPointsAgree: points of one turn that say nearly the same in words, three of four
// at least, or have the same value in symbols.
func TestWhichPointsAgree(t *testing.T) {
	point := func(content, value string, turns ...string) schemas.MemoryPoint {
		p := schemas.MemoryPoint{Content: content, EvidenceTurns: turns}
		if value != "" {
			p.Attributes = map[string]string{"value": value}
		}
		return p
	}
	with := func(p schemas.MemoryPoint, change func(*schemas.MemoryPoint)) schemas.MemoryPoint {
		change(&p)
		return p
	}
	base := point("green kettle boils quickly", "", "t1", "t2")
	ends := func(p *schemas.MemoryPoint) { p.UpdateType = schemas.UpdateDelete }
	for what, tc := range map[string]struct {
		a, b schemas.MemoryPoint
		want bool
	}{
		"the same":                     {base, base, true},
		"one turn of two":              {base, point("green kettle boils quickly", "", "t2", "t3"), true},
		"no turn":                      {base, point("green kettle boils quickly", "", "t3"), false},
		"three words of four":          {base, point("green kettle boils slowly", "", "t1"), true},
		"two words of four":            {base, point("green kettle leaks slowly", "", "t1"), false},
		"all words of the shorter one": {base, point("kettle boils", "", "t1"), true},
		"no words":                     {point("", "", "t1"), point("", "", "t1"), false},
		"one value":                    {point("this", "Oslo", "t1"), point("that", "Oslo", "t1"), true},
		"two values":                   {point("this", "Oslo", "t1"), point("this", "Bergen", "t1"), false},
		"a value on one side":          {point("green kettle boils quickly", "Oslo", "t1"), base, true},
		"one interferes":               {base, with(base, func(p *schemas.MemoryPoint) { p.IsInterference = true }), false},
		"one ends":                     {base, with(base, ends), false},
		"both end":                     {with(base, ends), with(point("gone", "", "t1"), ends), true},
	} {
		if got, other := pointsAgree(tc.a, tc.b), pointsAgree(tc.b, tc.a); got != tc.want || other != tc.want {
			t.Errorf("%s: agree %t and %t, want %t", what, got, other, tc.want)
		}
	}
}
