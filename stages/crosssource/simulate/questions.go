package simulate

import (
	"slices"
	"strings"
)

// cardReference is how a question calls what its card shows.
func (s *simulator) cardReference() string { return "the " + s.field.thing + " on the card" }

// askCardAttribute asks for what is so of what a card shows. It does not say whether sources tell of a
// change, or contradict each other.
func (s *simulator) askCardAttribute(what aspect) string {
	return upper(what.ask) + " is the " + what.name + " of " + s.cardReference() + "?"
}

// askChain asks for the end of a chain: in one sentence as long as three links make one,
// else link by link.
func askChain(of string, links []aspect) string {
	names := make([]string, len(links))
	for i, l := range links {
		names[i] = l.name
	}
	ask := upper(links[len(links)-1].ask) + " is the "
	if len(names) <= 3 {
		slices.Reverse(names)
		return ask + strings.Join(names, " of the ") + " of " + of + "?"
	}
	said := "The " + names[0] + " of " + of + " has " + indefinite(names[1]) + ". "
	last, rest := names[1], names[2:]
	for ; len(rest) > 2; rest = rest[2:] {
		said += "That " + last + "'s " + rest[0] + " has " + indefinite(rest[1]) + ". "
		last = rest[1]
	}
	if len(rest) == 1 {
		return said + ask + rest[0] + " of that " + last + "?"
	}
	return said + ask + rest[1] + " of that " + last + "'s " + rest[0] + "?"
}

func indefinite(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
