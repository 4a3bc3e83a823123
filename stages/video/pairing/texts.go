package pairing

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// videoTexts yields all that is said of a video: title, category (unless every
// video of the group has the same), description, summary, labels, events,
// captions and the descriptions of its sections. The order of labels is that of
// a map.
func videoTexts(v *schemas.Video, category bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yieldAll(yield, v.Title, v.Description, v.Summary) || category && !yield(v.Category) {
			return
		}
		for _, label := range v.Labels {
			if !yield(label) {
				return
			}
		}
		for _, e := range v.Events {
			if !yieldAll(yield, e.Subject, e.Kind, e.Object) {
				return
			}
		}
		for _, c := range v.Captions {
			if !yield(c.Text) {
				return
			}
		}
		for _, s := range v.Sections {
			if d := s.Description; d != nil && !yieldAll(yield, d.MainStoryline, d.SpatialRelationBinding, d.ShortTermActionState, d.ToolProp, d.FineVisualAttribute, d.TextSymbol) {
				return
			}
		}
	}
}

func yieldAll(yield func(string) bool, texts ...string) bool {
	for _, t := range texts {
		if !yield(t) {
			return false
		}
	}
	return true
}

// maxText is how many characters of a video's texts are embedded: more than the
// first page changes little, and embedders refuse what is too long.
const maxText = 2000

// EmbeddingText is what an embedder reads of a video: its texts without its captions,
// one a line, cut after maxText characters. It is a blank for a video of which
// nothing is said, since embedders refuse empty texts.
func EmbeddingText(v schemas.Video) string {
	v.Captions = nil
	if labels := slices.Sorted(maps.Values(v.Labels)); len(labels) > 0 {
		v.Labels = map[string]string{"": strings.Join(labels, "\n")}
	}
	var lines []string
	for text := range videoTexts(&v, true) {
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			lines = append(lines, text)
		}
	}
	runes := []rune(strings.Join(lines, "\n"))
	if len(runes) == 0 {
		return " "
	}
	return string(runes[:min(maxText, len(runes))])
}
