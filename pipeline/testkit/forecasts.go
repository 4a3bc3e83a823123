package testkit

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

// Forecasts returns what each plugin that Register adds forecasts in its default
// configuration: of nothing, and of a hundred records of each schema that it accepts,
// or files of a source. One line a plugin, for a golden file.
func Forecasts(t *testing.T, register func(*pipeline.Registry)) string {
	t.Helper()
	r := pipeline.NewRegistry()
	register(r)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, kind := range []pipeline.Kind{pipeline.KindSource, pipeline.KindStage, pipeline.KindGate} {
		for _, name := range r.Names(kind) {
			p, _ := r.Plugin(kind, name)
			built, err := p.Build(p.NewConfig())
			if err != nil {
				fmt.Fprintf(&out, "%s %s: %v\n", kind, name, err)
				continue
			}
			f, ok := built.(pipeline.Forecaster)
			if !ok {
				continue
			}
			much := pipeline.Amount{Records: 100, Seconds: 3600, Sound: 1800, Megapixels: 90_000, Detail: 0.7, Bytes: 1e8}
			in := pipeline.Volume{pipeline.VolumeFile: much}
			for need := range 3 {
				in[pipeline.VolumeFileOf(need)] = much
			}
			for _, schema := range built.(pipeline.Built).Spec().Accepts {
				in[schema] = much
			}
			for _, volume := range []pipeline.Volume{nil, in} {
				b, err := json.Marshal(f.Forecast(volume))
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&out, "%s %s of %d: %s\n", kind, name, len(volume), shortNumbers(string(b)))
			}
		}
	}
	return out.String()
}

var (
	zeros     = regexp.MustCompile(`"[a-z_]+":0(,|([}]))`)
	fractions = regexp.MustCompile(`[0-9]+\.[0-9]+(e[+-]?[0-9]+)?`)
)

// shortNumbers leaves zeros out, and writes fractions with the digits that are the same on
// every machine.
func shortNumbers(text string) string {
	text = fractions.ReplaceAllStringFunc(zeros.ReplaceAllString(text, "$2"), func(number string) string {
		n, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return number
		}
		return strconv.FormatFloat(n, 'g', 6, 64)
	})
	return strings.ReplaceAll(text, ",}", "}")
}
