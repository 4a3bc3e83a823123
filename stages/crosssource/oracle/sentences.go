package oracle

import (
	"regexp"
	"sync"
)

// sentenceForm reads one way to say a thing.
type sentenceForm struct {
	kind  string
	words *regexp.Regexp
}

// read gives what a sentence says by the names of its parts; nil where it says
// something else.
func (r sentenceForm) read(s string) map[string]string {
	m := r.words.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	out := map[string]string{}
	for i, name := range r.words.SubexpNames() {
		if name != "" {
			out[name] = m[i]
		}
	}
	return out
}

// Parts of sentences: the name of somebody or something, what can be asked of it, its
// value, a term.
const (
	name  = `[A-Z][\w'&-]*(?: [A-Z&][\w'-]*)*`
	of    = `(?P<of>` + name + `)`
	attr  = `(?P<a>[a-z][a-z -]*?)`
	value = `(?P<v>` + name + `|\d+|[a-z]+)`
	word  = `(?P<w>[A-Z][a-z]+-[a-z]+)`
	thing = `(?P<t>[a-z][a-z ]*?)`
	some  = `(?P<m>[a-z][a-z -]*?)`
)

// sentenceForms are the ways to say a thing, compiled for all tasks.
var sentenceForms = sync.OnceValue(func() (out []sentenceForm) {
	for _, k := range allSentenceWays() {
		for _, w := range k.ways {
			out = append(out, sentenceForm{k.kind, regexp.MustCompile("^" + w + "$")})
		}
	}
	return out
})

// sentenceWays is what is told, and the ways to tell it.
type sentenceWays struct {
	kind string
	ways []string
}

func allSentenceWays() []sentenceWays {
	return []sentenceWays{
		{"changed", []string{
			`Change of plan: the ` + attr + ` of ` + of + ` is ` + value + ` now\.`, `As of today, the ` + attr + ` of ` + of + ` is ` + value + `\.`, `The ` + attr + ` of ` + of + ` has changed to ` + value + `\.`,
			`Scratch the old ` + attr + ` of ` + of + `, it is ` + value + ` from here on\.`, `They have settled on ` + value + ` as the new ` + attr + ` of ` + of + `\.`,
		}},
		{"fact", []string{
			`The ` + attr + ` of ` + of + ` is ` + value + `\.`, of + ` has ` + value + ` as its ` + attr + `\.`, `For ` + of + `, the ` + attr + ` is ` + value + `\.`, value + ` is the ` + attr + ` of ` + of + `\.`,
			`Listed as the ` + attr + ` of ` + of + `: ` + value + `\.`, of + ` lists ` + value + ` as its ` + attr + `\.`, `Entry for ` + of + `, ` + attr + `: ` + value + `\.`,
			`If anybody asks about the ` + attr + ` of ` + of + `: ` + value + `\.`, `I looked up the ` + attr + ` of ` + of + `, and it is ` + value + `\.`, `Noted down the ` + attr + ` of ` + of + `: ` + value + `\.`,
		}},
		{"up", []string{`The ` + attr + ` of ` + of + ` has gone up by (?P<n>\d+)\.`, `They have added (?P<n>\d+) to the ` + attr + ` of ` + of + `\.`, `The ` + attr + ` of ` + of + ` is (?P<n>\d+) higher than it was\.`}},
		{"down", []string{`The ` + attr + ` of ` + of + ` has gone down by (?P<n>\d+)\.`, `They have taken (?P<n>\d+) off the ` + attr + ` of ` + of + `\.`, `The ` + attr + ` of ` + of + ` is (?P<n>\d+) lower than it was\.`}},
		{"decides", []string{
			`(?P<p>` + name + `) has the last word on the ` + attr + ` of ` + of + `\.`, `On the ` + attr + ` of ` + of + `, what (?P<p>` + name + `) says counts\.`,
			`Where the ` + attr + ` of ` + of + ` is in doubt, (?P<p>` + name + `) decides\.`,
		}},
		{"between", []string{
			`We call an? ` + thing + ` ` + word + ` when its ` + some + ` lies between (?P<l>\d+) and (?P<h>\d+)\.`, `An? ` + thing + ` counts as ` + word + ` as long as its ` + some + ` stays between (?P<l>\d+) and (?P<h>\d+)\.`,
			`To be ` + word + `, an? ` + thing + ` needs an? ` + some + ` between (?P<l>\d+) and (?P<h>\d+)\.`,
		}},
		{"except", []string{`No ` + thing + ` is ` + word + ` with an? ` + some + ` above (?P<n>\d+)\.`, `An? ` + thing + ` with an? ` + some + ` above (?P<n>\d+) is never ` + word + `\.`}},
		{"avoids", []string{
			`(?P<p>` + name + `) is fond of (?P<l>.+), but would rather skip (?P<k>.+)\.`, `(?P<p>` + name + `) looks for (?P<l>.+), and stays away from (?P<k>.+)\.`, `Likes of (?P<p>` + name + `): (?P<l>.+)\. Leaves to others: (?P<k>.+)\.`,
			`I am fond of (?P<l>.+), but I would rather skip (?P<k>.+)\.`, `Give me (?P<l>.+) any day; (?P<k>.+) I leave to others\.`, `I look for (?P<l>.+), and I stay away from (?P<k>.+)\.`,
		}},
		{"chose", []string{
			`I could have had (?P<b>.+) yesterday and went for (?P<k>.+) instead\.`, `They offered me (?P<b>.+), and I asked for (?P<k>.+)\.`, `Picked (?P<k>.+) over (?P<b>.+) once more\.`,
			`It was (?P<l>.+) or (?P<b>.+) for me, and I took (?P<k>.+)\.`,
		}},
		{"procedure", []string{
			`At (?P<f>` + name + `), whatever there is to (?P<x>[a-z]+) goes through the (?P<d>` + name + `)\.`, `(?P<f>` + name + `) turns to the (?P<d>` + name + `) whenever there is something to (?P<x>[a-z]+)\.`,
			`Requests of (?P<f>` + name + `) to (?P<x>[a-z]+) anything are handled by the (?P<d>` + name + `)\.`,
		}},
	}
}
