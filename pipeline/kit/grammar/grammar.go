// Package grammar writes sentences by rules, so that what simulated people say
// differs from one time to the next and yet is the same for the same random
// numbers.
//
// A grammar is a text. A line that ends with a colon begins a rule, each indented
// line below is one way to say it, blank lines and lines with # are nothing:
//
//	greeting:
//	  Hello <name>, {good|nice} to see you.
//	  <hi>!
//	hi:
//	  Hi
//
// <name> is the rule of that name or else a slot that the caller fills,
// {one|another} a choice on the spot.
package grammar

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a grammar, so that none runs on without end.
const (
	maxDepth  = 16
	maxLength = 4096
)

// Grammar is a set of rules.
type Grammar struct {
	rules map[string][]string
}

// Parse reads a grammar. A rule without ways to say it, a rule twice, and brackets
// that do not close are errors.
func Parse(text string) (Grammar, error) {
	g := Grammar{rules: map[string][]string{}}
	rule := ""
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case line[0] != ' ' && line[0] != '\t':
			name, ok := strings.CutSuffix(trimmed, ":")
			if _, twice := g.rules[name]; !ok || name == "" || twice {
				return Grammar{}, fmt.Errorf("grammar, line %d: %q: want a new rule's name and a colon", i+1, trimmed)
			}
			rule = name
			g.rules[rule] = nil
		case rule == "":
			return Grammar{}, fmt.Errorf("grammar, line %d: %q belongs to no rule", i+1, trimmed)
		default:
			if err := checkBrackets(trimmed); err != nil {
				return Grammar{}, fmt.Errorf("grammar, line %d: %w", i+1, err)
			}
			g.rules[rule] = append(g.rules[rule], trimmed)
		}
	}
	for name, ways := range g.rules {
		if len(ways) == 0 {
			return Grammar{}, fmt.Errorf("grammar: rule %q has no way to say it", name)
		}
	}
	return g, nil
}

func checkBrackets(s string) error {
	for _, pair := range []string{"<>", "{}"} {
		open := false
		for _, r := range s {
			switch {
			case r == rune(pair[0]) && open, r == rune(pair[1]) && !open:
				return fmt.Errorf("%q: %s must open and close in turn", s, pair)
			case r == rune(pair[0]):
				open = true
			case r == rune(pair[1]):
				open = false
			}
		}
		if open {
			return fmt.Errorf("%q: %c does not close", s, pair[0])
		}
	}
	return nil
}

// Has reports whether there is a rule.
func (g Grammar) Has(rule string) bool { return len(g.rules[rule]) > 0 }

// CountWays counts in how many ways a rule can begin.
func (g Grammar) CountWays(rule string) int { return len(g.rules[rule]) }

// Say writes a sentence by a rule, with an upper-case letter at its beginning. A
// name that is neither rule nor slot is an error.
func (g Grammar) Say(rnd *rand.Rand, rule string, slots map[string]string) (string, error) {
	if !g.Has(rule) {
		return "", fmt.Errorf("grammar: there is no rule %q", rule)
	}
	return g.SayWay(rnd, rule, rnd.IntN(g.CountWays(rule)), slots)
}

// SayWay is Say by one of the ways of a rule, counted from 0.
func (g Grammar) SayWay(rnd *rand.Rand, rule string, way int, slots map[string]string) (string, error) {
	ways := g.rules[rule]
	if way < 0 || way >= len(ways) {
		return "", fmt.Errorf("grammar: rule %q has no way %d", rule, way)
	}
	out, err := g.expand(rnd, ways[way], slots, maxDepth)
	if err != nil {
		return "", fmt.Errorf("grammar: rule %q: %w", rule, err)
	}
	first, n := utf8.DecodeRuneInString(out)
	return string(unicode.ToUpper(first)) + out[n:], nil
}

func (g Grammar) expand(rnd *rand.Rand, way string, slots map[string]string, depth int) (string, error) {
	if depth == 0 {
		return "", fmt.Errorf("rules refer to each other more than %d deep", maxDepth)
	}
	var b strings.Builder
	for way != "" {
		i := strings.IndexAny(way, "<{")
		if i < 0 {
			b.WriteString(way)
			break
		}
		b.WriteString(way[:i])
		closing := map[byte]string{'<': ">", '{': "}"}[way[i]]
		inner, rest, _ := strings.Cut(way[i+1:], closing)
		text, err := g.expandBracket(rnd, way[i], inner, slots, depth)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
		if b.Len() > maxLength {
			return "", fmt.Errorf("it grows beyond %d bytes", maxLength)
		}
		way = rest
	}
	return b.String(), nil
}

func (g Grammar) expandBracket(rnd *rand.Rand, open byte, inner string, slots map[string]string, depth int) (string, error) {
	if open == '{' {
		choices := strings.Split(inner, "|")
		return g.expand(rnd, choices[rnd.IntN(len(choices))], slots, depth-1)
	}
	if ways := g.rules[inner]; len(ways) > 0 {
		return g.expand(rnd, ways[rnd.IntN(len(ways))], slots, depth-1)
	}
	if text, ok := slots[inner]; ok {
		return text, nil
	}
	return "", fmt.Errorf("<%s> is neither a rule nor given", inner)
}

// Pattern finds whether a text can be what a rule says, whatever stands in its slots. It
// takes upper for lower case, since sentences begin with the former.
func (g Grammar) Pattern(rule string) (*regexp.Regexp, error) {
	if !g.Has(rule) {
		return nil, fmt.Errorf("grammar: there is no rule %q", rule)
	}
	ways, err := g.pattern("<"+rule+">", maxDepth)
	if err != nil {
		return nil, fmt.Errorf("grammar: pattern of rule %q: %w", rule, err)
	}
	return regexp.Compile("(?is)^" + ways + "$")
}

func (g Grammar) pattern(way string, depth int) (string, error) {
	if depth == 0 {
		return "", fmt.Errorf("rules refer to each other more than %d deep", maxDepth)
	}
	i := strings.IndexAny(way, "<{")
	if i < 0 {
		return regexp.QuoteMeta(way), nil
	}
	closing := map[byte]string{'<': ">", '{': "}"}[way[i]]
	inner, rest, _ := strings.Cut(way[i+1:], closing)
	choices := strings.Split(inner, "|")
	if way[i] == '<' {
		choices = g.rules[inner]
	}
	all := make([]string, len(choices))
	size := 0
	for n, c := range choices {
		var err error
		if all[n], err = g.pattern(c, depth-1); err != nil {
			return "", err
		}
		if size += len(all[n]); size > 8*maxLength {
			return "", fmt.Errorf("it grows beyond %d bytes", 8*maxLength)
		}
	}
	if len(all) == 0 { // a slot
		all = []string{".*"}
	}
	after, err := g.pattern(rest, depth)
	return regexp.QuoteMeta(way[:i]) + "(?:" + strings.Join(all, "|") + ")" + after, err
}
