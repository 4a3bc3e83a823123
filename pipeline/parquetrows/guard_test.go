package parquetrows

import (
	"bytes"
	"testing"
)

func TestGuardRefusesRunsThatExplode(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		data  []byte
		width int
		ok    bool
	}{
		"one run":              {[]byte{20, 1}, 1, true},
		"one packed group":     {[]byte{3, 0xff}, 1, true},
		"a run of 2^35":        {[]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x02, 1}, 1, false},
		"many runs":            {bytes.Repeat([]byte{20, 1}, 30), 1, false},
		"runs of nothing":      {[]byte{0, 1, 0, 1}, 1, false},
		"groups of no width":   {[]byte{0xff, 0xff, 0xff, 0x7f}, 0, false},
		"a header without end": {bytes.Repeat([]byte{0xff}, 12), 1, false},
	}
	for name, c := range cases {
		if err := guardRuns(c.data, c.width, 10); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
