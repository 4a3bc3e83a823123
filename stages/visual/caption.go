package visual

import (
	"fmt"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/scene"
)

// denseCaption tells what a captioner tells who was not told what will be asked: the
// gist, what is there and where; no small print, no count, no shade.
func denseCaption(s scene.Scene) string {
	return buildCaption(s, func(aspect string) bool {
		return scene.Granularity(aspect) == schemas.GrainScene || scene.Granularity(aspect) == schemas.GrainRegion
	})
}

// taskAwareCaption spells out whatever a question could ask (MemEye D.2).
func taskAwareCaption(s scene.Scene) string {
	return buildCaption(s, func(string) bool { return true })
}

// buildCaption is a sentence for each thing, with the aspects that it may tell.
func buildCaption(s scene.Scene, tells func(aspect string) bool) string {
	out := []string{toSentence(s.Minimal)}
	for _, t := range s.NamedThings() {
		var clauses []string
		for _, a := range t.Tells {
			if tells(a) {
				clauses = append(clauses, captionClause(t, a))
			}
		}
		if len(clauses) == 0 {
			clauses = []string{t.Name + " can be seen"}
		}
		out = append(out, toSentence(strings.Join(clauses, ", and ")))
	}
	for _, name := range s.Absent {
		out = append(out, toSentence(name+" cannot be seen"))
	}
	return strings.Join(out, " ")
}

func toSentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }

// captionClause says an aspect of a thing.
func captionClause(t scene.Thing, aspect string) string {
	is, has := "is", "has"
	if t.Plural {
		is, has = "are", "have"
	}
	v := t.Look[aspect]
	switch aspect {
	case scene.Activity:
		return fmt.Sprintf("at %s, %s", t.Name, v)
	case scene.Weather:
		return fmt.Sprintf("the weather at %s: %s", t.Name, v)
	case scene.Setting:
		return fmt.Sprintf("%s %s in %s", t.Name, is, v)
	case scene.Beside:
		return fmt.Sprintf("%s %s right beside %s", t.Name, is, v)
	case scene.Which:
		return fmt.Sprintf("the %s %s %s is %s", t.Class, t.Prep, t.Name, v)
	case scene.Pattern:
		return fmt.Sprintf("%s %s the pattern %s", t.Name, has, v)
	case scene.Text:
		return fmt.Sprintf("on %s is written: %s", t.Name, v)
	case scene.Count:
		return fmt.Sprintf("there are %s %s %s %s", v, t.Class, t.Prep, t.Name)
	}
	return fmt.Sprintf("%s %s %s", t.Name, is, v) // a colour, a place
}
