package replay

import (
	"fmt"
	"regexp"
	"strings"
)

// reading is what the words of a question ask.
type reading struct {
	form, aspect string
	thing        string
	when, when2  string
	thing2       string
	prep2        string
	class, prep  string
	options      []string
}

// pattern is one way to ask; groups are named after the fields of a reading.
type pattern struct {
	aspect string
	words  string
}

// when is how a picture is called.
const when = `the (?:[a-z0-9]+ )?[a-z][a-z -]* of \d{1,2} [A-Z][a-z]+ \d{4}`

// about are questions about one thing, up to where or when. In the words of the
// choice form %s is the rest of the open one.
func about() []pattern {
	return []pattern{
		{"activity", `What (?:is|was) going on (?:at|in|on) (?P<thing>.+)`},
		{"setting", `In what kind of place (?:is|was|are|were) (?P<thing>.+)`},
		{"weather", `What (?:is|was) the weather like at (?P<thing>.+)`},
		{"beside", `What (?:is|was) right beside (?P<thing>.+)`},
		{"colour", `What colour (?:is|was|are|were) (?P<thing>.+)`},
		{"pattern", `What pattern (?:is|was|are|were) (?P<thing>.+) shown with`},
		{"text", `What (?:is|was) written on (?P<thing>.+)`},
		{"place", `Where (?:is|was|are|were) (?P<thing>.+)`},
		{"count", `How many (?P<class>.+) (?:are|were) (?P<prep>on|in|at|with|under|behind|by|among|around|above|below|beside|near|inside) (?P<thing>.+)`},
		{"which", `Which (?P<class>.+) (?:is|was) (?P<prep>on|in|at|with|under|behind|by|among|around|above|below|beside|near|inside) (?P<thing>.+)`},
	}
}

// between are questions about two pictures.
func between() []pattern {
	two := ` in (?P<when>` + when + `)`
	return []pattern{
		{"activity", `Which other picture shows the same going on as (?P<when>` + when + `)`},
		{"setting", `Which other picture shows the same kind of place as (?P<when>` + when + `)`},
		{"weather", `Which other picture shows the same weather as (?P<when>` + when + `)`},
		{"place", `What in (?P<when2>` + when + `) is at the spot where (?P<thing>.+) (?:is|are)` + two},
		{"beside", `What in (?P<when2>` + when + `) has right beside it what is right beside (?P<thing>.+)` + two},
		{"which", `Where in (?P<when2>` + when + `) is the (?P<class>.+) that is (?P<prep>on|in|at|with|under|behind|by|among|around|above|below|beside|near|inside) (?P<thing>.+)` + two},
		{"colour", `What in (?P<when2>` + when + `) has the colour that (?P<thing>.+) (?:has|have)` + two},
		{"pattern", `What in (?P<when2>` + when + `) has the pattern that (?P<thing>.+) (?:has|have)` + two},
		{"text", `What in (?P<when2>` + when + `) bears the words that are on (?P<thing>.+)` + two},
	}
}

// read finds what a question asks. The words of things may hold anything, so every
// reading that fits is given; the pictures decide which of them is meant.
func read(question string) []reading {
	var out []reading
	body, ok := strings.CutSuffix(question, "?")
	if !ok {
		return nil
	}
	if list, ok := strings.CutPrefix(body, "Which of these is shown first: "); ok {
		return []reading{{form: "first", aspect: "which", options: items(list)}}
	}
	sum := `^How many (?P<class>.+) are (?P<prep>[a-z]+) (?P<thing>.+) in (?P<when>` + when + `) and (?P<prep2>[a-z]+) (?P<thing2>.+) in (?P<when2>` + when + `) together$`
	out = match(out, "sum", "count", sum, body)
	for _, p := range between() {
		out = match(out, "match", p.aspect, "^"+p.words+"$", body)
	}
	for _, p := range about() {
		out = match(out, "current", p.aspect, "^"+p.words+", as things stand after the last session$", body)
		out = match(out, "before", p.aspect, "^"+p.words+" just before that last changed$", body)
		out = match(out, "value", p.aspect, "^"+p.words+" in (?P<when>"+when+")$", body)
	}
	return out
}

func match(out []reading, form, aspect, words, body string) []reading {
	re := regexp.MustCompile(words)
	m := re.FindStringSubmatch(body)
	if m == nil {
		return out
	}
	get := func(name string) string {
		if i := re.SubexpIndex(name); i >= 0 {
			return m[i]
		}
		return ""
	}
	return append(out, reading{
		form: form, aspect: aspect, thing: get("thing"), when: get("when"), when2: get("when2"), thing2: get("thing2"), prep2: get("prep2"),
		class: get("class"), prep: get("prep"),
	})
}

// items reads "a, b, c or d".
func items(list string) []string {
	head, last, ok := cutLast(list, " or ")
	if !ok {
		return []string{list}
	}
	return append(strings.Split(head, ", "), last)
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func (r reading) String() string { return fmt.Sprintf("%s of the %s of %q", r.form, r.aspect, r.thing) }
