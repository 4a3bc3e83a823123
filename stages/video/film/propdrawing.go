package film

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Props are drawn from the files of props, one for each noun, which are written as
// props/README.md says. A noun without a file is drawn as a ball.

//go:embed props/*.txt
var propFiles embed.FS

// propDrawings are by noun.
type propDrawings map[string]propDrawing

// propDrawing is a thing with its foot at the origin, about 34 wide and 34 high.
type propDrawing []drawingLine

// drawingLine is one line of a file: what is traced, and how it is painted.
type drawingLine struct {
	verb  string
	paint paint
	width float64
	trace []traceStep
}

// traceStep adds a shape, or a stretch of a path, to what is traced.
type traceStep struct {
	op string
	at []float64
}

// parseDrawings reads all files.
func parseDrawings() (propDrawings, error) {
	files, err := propFiles.ReadDir("props")
	if err != nil {
		return nil, err
	}
	out := propDrawings{}
	for _, f := range files {
		text, err := propFiles.ReadFile(path.Join("props", f.Name()))
		if err != nil {
			return nil, err
		}
		noun := strings.ReplaceAll(strings.TrimSuffix(f.Name(), ".txt"), "-", " ")
		if out[noun], err = parseDrawing(string(text)); err != nil {
			return nil, fmt.Errorf("drawing %s: %w", f.Name(), err)
		}
	}
	return out, nil
}

// parseDrawing reads the lines of a file.
func parseDrawing(text string) (d propDrawing, err error) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		p, err := parsePart(words)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		d = append(d, p)
	}
	if len(d) == 0 {
		return nil, fmt.Errorf("it draws nothing")
	}
	return d, nil
}

func parsePart(words []string) (p drawingLine, err error) {
	if len(words) < 3 {
		return p, fmt.Errorf("%q: want a verb, a colour and what is drawn", strings.Join(words, " "))
	}
	p.verb = words[0]
	if p.paint, err = parsePaint(words[1]); err != nil {
		return p, err
	}
	rest := words[2:]
	switch p.verb {
	case "body", "fill":
		p.trace, err = parseTrace(rest)
	case "line", "arc":
		at, err := numbers(rest)
		if err != nil {
			return p, err
		}
		p.width, p.trace = at[0], []traceStep{{p.verb, at[1:]}}
		return p, p.trace[0].check()
	case "glow":
		at, err := numbers(rest)
		p.trace = []traceStep{{p.verb, at}}
		if err != nil {
			return p, err
		}
		return p, p.trace[0].check()
	default:
		return p, fmt.Errorf("verb %q: want body, fill, line, arc or glow", p.verb)
	}
	return p, err
}

// parseTrace reads one shape, or a path of several stretches.
func parseTrace(words []string) (out []traceStep, err error) {
	shapes := []string{"disc", "oval", "rect", "round", "poly"}
	if words[0] != "path" && !slices.Contains(shapes, words[0]) {
		return nil, fmt.Errorf("shape %q: want path, %s", words[0], strings.Join(shapes, ", "))
	}
	if words[0] == "path" {
		if words = words[1:]; len(words) == 0 || words[0] != "M" {
			return nil, fmt.Errorf("a path begins with M")
		}
	}
	for i := 0; i < len(words); {
		end := i + 1
		for end < len(words) && !strings.Contains("MLQCZ", words[end]) {
			end++
		}
		s := traceStep{op: words[i]}
		if s.at, err = numbers(words[i+1 : end]); err != nil {
			return nil, err
		}
		if err := s.check(); err != nil {
			return nil, err
		}
		out, i = append(out, s), end
	}
	return out, nil
}

// check counts the numbers of a step.
func (s traceStep) check() error {
	counts := map[string]int{"disc": 3, "oval": 4, "rect": 4, "round": 5, "arc": 6, "glow": 3, "M": 2, "L": 2, "Q": 4, "C": 6, "Z": 0}
	n, known := counts[s.op]
	switch {
	case s.op == "poly" && len(s.at) >= 6 && len(s.at)%2 == 0, s.op == "line" && len(s.at) >= 4 && len(s.at)%2 == 0:
		return nil
	case !known || len(s.at) != n:
		return fmt.Errorf("%s has %d numbers; see README.md in stages/video/film/props", s.op, len(s.at))
	}
	return nil
}

// numbers are finite, and not so large that a thing could not be one of the stage.
func numbers(words []string) ([]float64, error) {
	out := make([]float64, len(words))
	for i, w := range words {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil || !(v >= -1000 && v <= 1000) {
			return nil, fmt.Errorf("%q: want a number from -1000 to 1000", w)
		}
		out[i] = v
	}
	return out, nil
}
