package schemas

import "encoding/json"

// NameFlagged is the schema of Flagged records.
const NameFlagged = "flagged"

// Labels of a question that was rewritten because a gate flagged it.
const (
	// LabelRevision is the round of the loop that wrote the question, from 1,
	// LabelRevisedFrom the id of the original. Question.Revisions has the steps
	// between.
	LabelRevision    = "revision"
	LabelRevisedFrom = "revised_from"
)

// Flagged is an item that a gate passes on to be rewritten.
type Flagged struct {
	// Item is the id of the item, Schema and Record are its content.
	Item   string          `json:"item"`
	Schema string          `json:"schema"`
	Record json.RawMessage `json:"record"`
	// Gate is the step that flagged it, Use the gate's plugin, Code and Reason what it
	// found.
	Gate   string `json:"gate"`
	Use    string `json:"use"`
	Code   string `json:"code"`
	Reason string `json:"reason"`
	// Answers are those of models to the gate, as far as a rewriter can use them.
	Answers []ModelAnswer `json:"said,omitempty"`
	// Copies are the other questions with the same words, which differ in how their
	// videos are shown (LabelMirror). The rewritten words apply to them too. A copy
	// that no gate flagged has an empty Gate. Copies have no Copies.
	Copies []Flagged `json:"copies,omitempty"`
}

// ModelAnswer is one answer of a model to a gate.
type ModelAnswer struct {
	// View is what the model was shown, as in Probe, Role its role.
	View string `json:"view"`
	Role string `json:"role"`
	// Answer was parsed from Response, Mark says whether it is right.
	Answer   string `json:"answer,omitempty"`
	Mark     string `json:"mark"`
	Response string `json:"response"`
}

// Revision is one rewriting of a question: what was found against it, and which model
// rewrote it.
type Revision struct {
	// Item is the id of the flagged question, Question its words.
	Item     string `json:"item"`
	Question string `json:"question"`
	Gate     string `json:"gate"`
	Code     string `json:"code"`
	Reason   string `json:"reason"`
	// Model wrote the next version.
	Model string `json:"model"`
}

// Basis is what the author of a question was given. A rewriter gets the same, and the
// checks of the family compare new words with it. It is JSON in a blob that
// Question.Basis names, and not part of a release.
type Basis struct {
	// Opening is how the question begins, whatever it asks.
	Opening string `json:"opening"`
	// Sources are what the question may be about, the asked one first.
	Sources []BasisSource `json:"sources"`
}

// BasisSource is one of the sources that a question distinguishes.
type BasisSource struct {
	// Role is its name in the author's prompt, Name that in questions.
	Role  string      `json:"role"`
	Name  string      `json:"name"`
	Parts []BasisPart `json:"parts"`
}

// BasisPart is a described part of a source. The question rests on Cited ones; only a
// part of a Cut one is shown.
type BasisPart struct {
	Part  int     `json:"part"`
	Start float64 `json:"start"` // seconds
	End   float64 `json:"end"`
	Cut   bool    `json:"cut,omitempty"`
	Cited bool    `json:"cited,omitempty"`
	// Told has the description, by key.
	Told map[string]string `json:"told"`
}
