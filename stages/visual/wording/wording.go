// Package wording has the ways to ask questions of the visual family and to name its
// pictures, as data: what writes questions fills them in, and what reads questions
// matches them.
package wording

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed wordings.txt
var text string

// parts has the ways to say each part.
var parts = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	part := ""
	for line := range strings.SplitSeq(text, "\n") {
		switch name, head := strings.CutSuffix(line, ":"); {
		case line == "" || line[0] == '#':
		case head && line[0] != ' ':
			part = name
		default:
			out[part] = append(out[part], strings.TrimSpace(line))
		}
	}
	return out
})

// Forms of questions about what one picture or a chain of pictures shows.
const (
	value   = "value"
	current = "current"
	before  = "before"
	match   = "match"
)

// Questions returns the ways to ask for an aspect in a form, without the question mark.
func Questions(form, aspect string) []string {
	p := parts()
	var out []string
	switch {
	case form == value || form == current || form == before:
		for _, way := range p[form] {
			for _, body := range p["body "+aspect] {
				if !strings.HasPrefix(way, "{body}") {
					body = strings.ToLower(body[:1]) + body[1:]
				}
				out = append(out, strings.Replace(way, "{body}", body, 1))
			}
		}
	case form == match && len(p["gist "+aspect]) > 0:
		for _, way := range p["match gist"] {
			out = append(out, strings.Replace(way, "{gist}", p["gist "+aspect][0], 1))
		}
	case form == match && len(p["comparison "+aspect]) > 0:
		like, same, _ := strings.Cut(p["comparison "+aspect][0], " | ")
		for _, way := range p[match] {
			out = append(out, strings.NewReplacer("{like}", like, "{same}", same).Replace(way))
		}
	case form == match:
		out = p["match "+aspect]
	default:
		out = p[form]
	}
	return slices.Clone(out)
}

// Sight returns how to say that a thing has a value of an aspect.
func Sight(aspect string) string { return parts()["sight "+aspect][0] }

// Item returns how to call a thing with a value of an aspect, and "" for an aspect of which
// none can come first.
func Item(aspect string) string { return strings.Join(parts()["item "+aspect], "") }

// sightPatterns match the words for what a picture shows, by aspect.
var sightPatterns = sync.OnceValue(func() map[string]*regexp.Regexp {
	out := map[string]*regexp.Regexp{}
	for part := range parts() {
		if aspect, ok := strings.CutPrefix(part, "sight "); ok {
			out[aspect] = Pattern(Sight(aspect))
		}
	}
	return out
})

// ReadSight returns thing and value of the words for what a picture shows, and false if they
// are not about the aspect.
func ReadSight(aspect, words string) (thing, value string, ok bool) {
	m := find(sightPatterns()[aspect], words)
	return m["thing"], m["value"], m != nil
}

// Names of pictures: by one sight, by two, and by an occasion.
const (
	bySight    = "name"
	byTwo      = "name two"
	byOccasion = "name occasion"
)

// Name returns the name of a picture that alone shows one or two sights.
func Name(noun, sight, second string) string {
	way := parts()[bySight][0]
	if second != "" {
		way = parts()[byTwo][0]
	}
	return strings.NewReplacer("{noun}", noun, "{sight}", sight, "{sight2}", second).Replace(way)
}

// NameByOccasion returns the name of a picture that was shared on an occasion.
func NameByOccasion(noun, occasion string) string {
	return strings.NewReplacer("{noun}", noun, "{occasion}", occasion).Replace(parts()[byOccasion][0])
}

// ParseName takes the name of a picture apart: its noun, and either the words for what it
// shows or the occasion.
func ParseName(name string) (noun, sights, occasion string) {
	if m := find(Pattern(parts()[byOccasion][0]), name); m != nil {
		return m["noun"], "", m["occasion"]
	}
	m := find(Pattern(parts()[bySight][0]), name)
	return m["noun"], m["sight"], ""
}

// groups are the patterns of placeholders.
var groups = sync.OnceValue(func() map[string]string {
	noun := `[a-z]+(?: [a-z]+)?`
	prep := `on|in|at|with|under|behind|by|among|around|above|below|beside|near|inside`
	picture := `the ` + noun + ` (?:where|from just after) .+?`
	return map[string]string{
		"thing": `.+?`, "thing2": `.+?`, "class": `.+?`, "value": `.+?`, "items": `.+`, "sight": `.+`, "occasion": `.+`,
		"noun": noun, "prep": prep, "prep2": prep, "picture": picture, "picture2": picture,
		"be": `is|was|are|were`, "do": `do|does|did`, "has": `has|have|had`, "is": `is|was`, "are": `are|were`, "can": `can|could`,
	}
})

var placeholder = regexp.MustCompile(`\{([a-z0-9]+)\}`)

// Pattern returns a pattern that matches what fills a way, with a group for each
// placeholder.
func Pattern(way string) *regexp.Regexp {
	var out strings.Builder
	end := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(way, -1) {
		name := way[m[2]:m[3]]
		out.WriteString(regexp.QuoteMeta(way[end:m[0]]) + "(?P<" + name + ">" + groups()[name] + ")")
		end = m[1]
	}
	return regexp.MustCompile("^" + out.String() + regexp.QuoteMeta(way[end:]) + "$")
}

// find returns the groups of a match, or nil.
func find(p *regexp.Regexp, words string) map[string]string {
	m := p.FindStringSubmatch(words)
	if m == nil {
		return nil
	}
	out := map[string]string{}
	for i, name := range p.SubexpNames() {
		if name != "" {
			out[name] = m[i]
		}
	}
	return out
}

// Reading is one way to understand a question.
type Reading struct {
	Form, Aspect string
	// Slots has what fills the placeholders.
	Slots map[string]string
}

// compiled is a way to ask with its pattern, and the words that it begins and ends with.
type compiled struct {
	form, aspect string
	first, last  string
	pattern      *regexp.Regexp
}

func compile(form, aspect, way string) compiled {
	return compiled{form, aspect, way[:strings.IndexByte(way, '{')], way[strings.LastIndexByte(way, '}')+1:], Pattern(way)}
}

var patterns = sync.OnceValue(func() []compiled {
	var out []compiled
	for part := range parts() {
		aspect, isBody := strings.CutPrefix(part, "body ")
		if !isBody {
			continue
		}
		for _, form := range []string{value, current, before, match} {
			for _, way := range Questions(form, aspect) {
				out = append(out, compile(form, aspect, way))
			}
		}
	}
	for form, aspect := range map[string]string{"sum": "count", "first": ""} { // what comes first tells its aspect
		for _, way := range Questions(form, aspect) {
			out = append(out, compile(form, aspect, way))
		}
	}
	return out
})

// Read returns all readings of a question. Names of things may have any words; the
// pictures decide which one is meant.
func Read(question string) []Reading {
	words, ok := strings.CutSuffix(question, "?")
	if !ok {
		return nil
	}
	var out []Reading
	for _, c := range patterns() {
		if !strings.HasPrefix(words, c.first) || !strings.HasSuffix(words, c.last) {
			continue
		}
		if m := find(c.pattern, words); m != nil {
			out = append(out, Reading{c.form, c.aspect, m})
		}
	}
	slices.SortFunc(out, func(a, b Reading) int { return strings.Compare(a.Form+a.Aspect, b.Form+b.Aspect) })
	return out
}

// Stem returns a question as it stands before options: what of them it lists itself is
// left out.
func Stem(form, question string) string {
	if i := strings.Index(question, ": "); form == "first" && i > 0 {
		return question[:i] + "?"
	}
	return question
}
