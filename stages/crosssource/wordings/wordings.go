// Package wordings holds the sentences of questions about several sources, as data: those
// who ask and those who read the questions of a release share them, and nothing else.
package wordings

import (
	_ "embed"

	"github.com/memforge/memforge/pipeline/kit/phrasebook"
)

//go:embed wordings.txt
var text string

var book = phrasebook.Parse(text)

// Forms of questions.
const (
	Definition = "definition" // which thing fits a definition
	Total      = "total"      // a number after all changes
	Value      = "value"      // a value of a thing, or at the end of a chain
	Linked     = "linked"     // the end of a chain that is told link by link
	Avoided    = "avoided"    // what somebody would leave out
	Preferred  = "preferred"  // what somebody would pick
	Call       = "call"       // which call files a request
)

// Sentences returns the sentences of a form, in order.
func Sentences(form string) []string { return book[form] }
