// Package wordings holds the sentences of questions about two videos, as data: those
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
	Ask   = "ask"   // for something of one video
	Gap   = "gap"   // for what a sentence leaves out
	Space = "space" // which video, and on which side
	Time  = "time"  // which video, and in which half
	Which = "which" // in which of the two
	Trial = "trial" // whether two clips show the same
	// OfVideo has the phrases that are asked of a video, whatever happens.
	OfVideo = "of a video"
)

// Sentences returns the sentences of a form, in order.
func Sentences(form string) []string { return book[form] }

// Phrase returns a phrase of a kind of event, or of OfVideo, by its name; empty where
// the kind has none.
func Phrase(kind, name string) string { return book.Phrase(kind, name) }
