package film

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fogleman/gg"

	"github.com/memforge/memforge/pipeline/testkit/testfiles"
)

// TestEveryNounIsDrawn holds the drawings against what scripts may name.
func TestEveryNounIsDrawn(t *testing.T) {
	text, err := os.ReadFile(testfiles.Repo(t, "sources/procedural/nouns.txt"))
	if err != nil {
		t.Fatal(err)
	}
	nouns := strings.Split(strings.TrimSpace(string(text)), "\n")
	props, err := parseDrawings()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nouns {
		if props[n] == nil {
			t.Errorf("there is no props/%s.txt", strings.ReplaceAll(n, " ", "-"))
		}
	}
	for n := range props {
		if !slices.Contains(nouns, n) {
			t.Errorf("no script names a %s: add it to nouns.txt", n)
		}
	}
}

func TestDrawingsThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "it draws nothing",
		"# a kettle\n\n":                "it draws nothing",
		"body own":                      "line 1: ",
		"fill own disc 1 2 3\nfill own": "line 2: ",
		"fill own star 1 2 3":           `shape "star"`,
		"draw own disc 1 2 3":           `verb "draw"`,
		"fill mauve disc 1 2 3":         `colour "mauve"`,
		"fill 1,2,0 disc 1 2 3":         "three shares",
		"fill own:dark disc 1 2 3":      "after dark",
		"fill own:dark:2 disc 1 2 3":    "after dark",
		"fill own:grey:0.2 disc 1 2 3":  "after a colon",
		"fill own disc 1 2":             "disc has 2 numbers",
		"fill own poly 1 2 3 4":         "poly has 4 numbers",
		"fill own path L 1 2":           "begins with M",
		"fill own path M 1 2 C 3 4":     "C has 2 numbers",
		"line own 2 1 2 3":              "line has 3 numbers",
		"arc own 2 1 2 3 4 5":           "arc has 5 numbers",
		"glow own 1 2":                  "glow has 2 numbers",
		"fill own disc 1 2 NaN":         `"NaN"`,
		"fill own disc 1 2 1e9":         `"1e9"`,
	} {
		if d, err := parseDrawing(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, d, err, want)
		}
	}
}

// FuzzDrawing holds that what is read can be drawn.
func FuzzDrawing(f *testing.F) {
	files, err := filepath.Glob("props/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		d, err := parseDrawing(text)
		if err != nil {
			return
		}
		b := &brush{Context: gg.NewContext(8, 8), tint: white, kit: &assets{props: propDrawings{"ball": d}}}
		b.prop("ball", ink, 4, 6)
	})
}
