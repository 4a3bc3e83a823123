package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/release"
)

// amount is a sum of money on the command line: 0 or more, and finite.
type amount float64

func (a *amount) UnmarshalText(text []byte) error {
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return fmt.Errorf("%q is no amount of money; want a number, 0 or more, for example 2.50", text)
	}
	*a = amount(v)
	return nil
}

func (a *amount) pointer() *float64 {
	if a == nil {
		return nil
	}
	v := float64(*a)
	return &v
}

// releaseFlags are the flags of commands that read a release.
type releaseFlags struct {
	MaxInflated byteSize `placeholder:"SIZE" help:"Maximum size of all tables when decompressed, ${inflated} by default, and half of it for one file. Reading takes up to four times as much memory."`
}

func (r releaseFlags) limits() release.Limits { return release.Limits{Inflated: int64(r.MaxInflated)} }

// byteSize is a number of bytes on the command line.
type byteSize int64

func (s *byteSize) UnmarshalText(text []byte) error {
	number, unit := string(text), int64(1)
	for i, suffix := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if n, ok := strings.CutSuffix(number, suffix); ok {
			number, unit = n, 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit {
		return fmt.Errorf("%q is no size; want bytes, KiB, MiB, GiB or TiB, for example 4GiB", text)
	}
	*s = byteSize(n * unit)
	return nil
}
