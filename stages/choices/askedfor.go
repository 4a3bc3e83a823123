package choices

import (
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/words"
)

// askedFor is what a question asks for, as far as its question word and the word that
// goes with it tell: "when", "how many", "which city". Questions that ask for unlike
// things have unlike answers, whatever these look like.
type askedFor string

const (
	askedWhen  = "when"
	askedYesNo = "yes or no"
	askedTitle = "which title"
	askedPlace = "which place"
	askedName  = "which name"
	askedDo    = "what do"
	askedWhat  = "what"
	askedBe    = "what be"
	askedHow   = "how"
	askedWhy   = "why"
)

// isAuxiliary reports a word that parts a question's noun from its subject.
func isAuxiliary(word string) bool {
	switch word {
	case "did", "do", "does", "is", "are", "was", "were", "has", "have", "had", "would", "will", "could", "can", "should", "might", "may":
		return true
	}
	return false
}

// nounAsked joins nouns that ask for one thing, though they differ.
func nounAsked(noun string) askedFor {
	switch noun {
	case "book", "song", "movie", "film", "show", "game":
		return askedTitle
	case "city", "cities", "country", "countries", "state", "town":
		return askedPlace
	case "name", "names", "called":
		return askedName
	case "year", "month", "date", "day", "time":
		return askedWhen
	}
	return askedFor("which " + strings.TrimSuffix(noun, "s"))
}

// parseAsked reads a question.
func parseAsked(question string) askedFor {
	list := words.Words(question)
	at := slices.IndexFunc(list, func(w string) bool {
		return slices.Contains([]string{"when", "where", "who", "whom", "whose", "why", "how", "what", "which"}, w)
	})
	if len(list) > 0 && isAuxiliary(list[0]) || at < 0 {
		return askedYesNo
	}
	rest := list[at+1:]
	switch w := list[at]; w {
	case "whom", "whose", "who":
		return "who"
	case "how":
		if len(rest) > 0 && !isAuxiliary(rest[0]) {
			return askedFor("how " + rest[0])
		}
		if slices.Contains(rest, "feel") {
			return "how feel"
		}
		return askedHow
	case "what", "which":
		return parseWhat(rest)
	default:
		return askedFor(w)
	}
}

// parseWhat tells what the words after "what" or "which" ask for.
func parseWhat(rest []string) askedFor {
	if slices.Contains(rest, "name") || slices.Contains(rest, "names") || len(rest) > 0 && rest[len(rest)-1] == "called" {
		return askedName
	}
	verb := slices.IndexFunc(rest, isAuxiliary)
	if verb == 0 {
		switch {
		case strings.HasPrefix(rest[0], "d") && slices.Contains(rest[1:], "do"):
			return askedDo
		case slices.Contains([]string{"did", "do", "does", "has", "have"}, rest[0]):
			return askedWhat
		}
		return askedBe
	}
	if len(rest) > 1 && slices.Contains([]string{"kind", "kinds", "type", "types", "sort", "style"}, rest[0]) && rest[1] == "of" {
		rest, verb = rest[2:], verb-2
	}
	noun := ""
	if verb > 0 {
		noun = rest[verb-1]
	} else if len(rest) > 0 {
		noun = rest[0]
	}
	return nounAsked(noun)
}

// isVague reports that questions of one kind ask for all sorts of things, so that only
// those about the same have answers that could be taken for each other's.
func (a askedFor) isVague() bool {
	return slices.Contains([]askedFor{askedWhat, askedDo, askedBe, askedHow, askedWhy, askedYesNo}, a)
}
