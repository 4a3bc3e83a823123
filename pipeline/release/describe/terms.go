package describe

import (
	"maps"
	"slices"
	"strings"
)

// saysOfType returns what the release says of a type of question, whatever the family.
func (rel Release) saysOfType(typ string) string {
	for _, family := range slices.Sorted(maps.Keys(rel.Manifest.Terms)) {
		if says := rel.Manifest.Terms[family].Types[typ]; says != "" {
			return says
		}
	}
	return ""
}

// labelMeaning is what a label says in some families, and its values where they are
// explained.
type labelMeaning struct{ label, families, says string }

// explainLabels returns the meanings of labels that questions have, by label.
func (rel Release) explainLabels(labels []labelBars) (out []labelMeaning) {
	for _, l := range labels {
		for _, family := range slices.Sorted(maps.Keys(rel.Manifest.Terms)) {
			says := sayLabel(rel.Manifest.Terms[family].Labels, l.Label)
			same := func(m labelMeaning) bool { return m.label == l.Label && m.says == says }
			if i := slices.IndexFunc(out, same); says != "" && i >= 0 {
				out[i].families += ", " + family
			} else if says != "" {
				out = append(out, labelMeaning{l.Label, family, says})
			}
		}
	}
	return out
}

func sayLabel(terms map[string]string, label string) string {
	says := terms[label]
	for _, name := range slices.Sorted(maps.Keys(terms)) {
		if value, ok := strings.CutPrefix(name, label+"="); ok {
			says += "; " + value + ": " + terms[name]
		}
	}
	return strings.TrimPrefix(says, "; ")
}

func labelsGrid(rows []labelMeaning) grid {
	return newGrid(rows,
		textColumn("label", func(m labelMeaning) string { return m.label }),
		textColumn("of family", func(m labelMeaning) string { return m.families }),
		textColumn("what it says", func(m labelMeaning) string { return m.says }))
}
