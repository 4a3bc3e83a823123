// Package replay answers questions about two procedural films as somebody would
// who has their scripts and the recipe of the composed video, and nothing else:
// it reads the text of the question and its options, and shares no code with
// what wrote them. Tests hold it against the gold answers.
package replay

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Case is what a solver is given.
type Case struct {
	// Films by the source that the recipe calls them by.
	Films  map[string]schemas.Film
	Recipe schemas.Recipe
}

// Question forms. What comes before them says how the videos are shown.
var (
	aboutOne  = regexp.MustCompile(`^In the video titled "([^"]+)", (.+)\?$`)
	missing   = regexp.MustCompile(`^Which colour is left out in this sentence about the video titled "([^"]+)": "(.+)"\?$`)
	whereSeen = regexp.MustCompile(`^(.+): which video is that part of, and (?:on which side of the picture is that video at that moment|in which half of the whole stream does it happen)\?$`)
	whichOf   = regexp.MustCompile(`^In which of the two videos (.+)\?$`)
)

// openings of the layouts.
var openings = map[string]string{
	"split-screen": "Two videos are played side by side, each in one half of the picture. ",
	"concatenated": "Two videos are played one after the other. ",
	"interleaved":  "Two videos are cut into segments, which are played in turn as one stream. ",
}

// Solve returns the key of the one option that the scripts bear out.
func (c Case) Solve(question string, options []schemas.Option) (string, error) {
	text, ok := strings.CutPrefix(question, openings[c.Recipe.Layout])
	if !ok {
		return "", fmt.Errorf("question %q does not say that its videos are %s", question, c.Recipe.Layout)
	}
	right, err := c.judge(text)
	if err != nil {
		return "", fmt.Errorf("question %q: %w", question, err)
	}
	var keys []string
	for _, o := range options {
		if right(o.Text) {
			keys = append(keys, o.Key)
		}
	}
	if len(keys) != 1 {
		return "", fmt.Errorf("question %q: %d of the options %v are right", question, len(keys), options)
	}
	return keys[0], nil
}

// judge reads a question and returns what makes an option right.
func (c Case) judge(text string) (func(option string) bool, error) {
	if m := aboutOne.FindStringSubmatch(text); m != nil {
		source, err := c.titled(m[1])
		if err != nil {
			return nil, err
		}
		return c.one(source, m[2])
	}
	if m := missing.FindStringSubmatch(text); m != nil {
		source, err := c.titled(m[1])
		if err != nil {
			return nil, err
		}
		return c.gap(source, m[2])
	}
	if m := whereSeen.FindStringSubmatch(text); m != nil {
		return c.place(m[1])
	}
	if m := whichOf.FindStringSubmatch(text); m != nil {
		return c.which(m[1])
	}
	return nil, fmt.Errorf("it has no known form")
}

func (c Case) titled(title string) (string, error) {
	found := ""
	for source, f := range c.Films {
		if f.Title == title {
			if found != "" {
				return "", fmt.Errorf("two films are called %q", title)
			}
			found = source
		}
	}
	if found == "" {
		return "", fmt.Errorf("no film is called %q", title)
	}
	return found, nil
}

// happening is an event of a script in words.
type happening struct {
	kind, value   string
	first, end    int64  // frames
	told, inquiry string // "the red cup is picked up", "is the red cup picked up"
}

// happenings lists what happens in a film where it is shown, in order.
func (c Case) happenings(source string) []happening {
	f := c.Films[source]
	names := map[string]string{}
	for _, a := range f.Actors {
		names[a.ID] = a.Description
	}
	for _, p := range f.Props {
		names[p.ID] = p.Description
	}
	for _, x := range f.Fixtures {
		names[x.ID] = x.Description
	}
	var out []happening
	for _, e := range f.Events {
		h := happening{kind: e.Kind, first: frame(e.Start, f.FPS), end: frame(e.End, f.FPS)}
		switch e.Kind {
		case "enters", "leaves":
			h.value = names[e.Actor]
			h.told, h.inquiry = h.value+" "+e.Kind, "does "+h.value+" "+strings.TrimSuffix(e.Kind, "s")
		case "picks up", "puts down", "opens":
			h.value = names[e.Prop+e.Fixture]
			done := map[string]string{"picks up": "picked up", "puts down": "put down", "opens": "opened"}[e.Kind]
			h.told, h.inquiry = "the "+h.value+" is "+done, "is the "+h.value+" "+done
		case "sign changes":
			h.value = e.Text
			h.told, h.inquiry = `the sign changes to "`+e.Text+`"`, `does the sign change to "`+e.Text+`"`
		default:
			continue
		}
		if len(c.shown(source, h.first, h.first+1)) > 0 {
			out = append(out, h)
		}
	}
	slices.SortStableFunc(out, func(a, b happening) int { return int(a.first - b.first) })
	return out
}

func frame(seconds float64, fps int32) int64 { return int64(seconds*float64(fps) + 0.5) }

// shown lists the output frames that show frames [from, to) of a source, as
// pairs of frame and side.
func (c Case) shown(source string, from, to int64) []sight {
	var out []sight
	for _, s := range c.Recipe.Segments {
		if s.Source != source {
			continue
		}
		for f := max(from, s.From); f < min(to, s.To); f++ {
			at := s.At + f - s.From
			side := s.Region
			for _, swap := range c.Recipe.SwapFrames {
				if at >= swap {
					side = map[string]string{"left": "right", "right": "left", "full": "full"}[side]
				}
			}
			out = append(out, sight{at, side})
		}
	}
	return out
}

type sight struct {
	frame int64
	side  string
}

func (c Case) frames() (total int64) {
	for _, s := range c.Recipe.Segments {
		total = max(total, s.At+s.To-s.From)
	}
	return total
}
