package schemas

import "encoding/json"

// NameFlagged is the schema of Flagged records.
const NameFlagged = "flagged"

// Labels of a question that was rewritten because a gate flagged it.
const (
	// LabelRevision is the round of the loop that wrote it, from 1, and
	// LabelRevisedFrom the id of the question as it first was. The steps between
	// stand in Question.Revisions.
	LabelRevision    = "revision"
	LabelRevisedFrom = "revised_from"
)

// Flagged is an item that a gate hands on to be rewritten.
type Flagged struct {
	// Item is the id of the item, Schema and Record are what it is.
	Item   string          `json:"item"`
	Schema string          `json:"schema"`
	Record json.RawMessage `json:"record"`
	// Gate is the node that flagged it, Use the gate's plugin, Code and Reason
	// what it found.
	Gate   string `json:"gate"`
	Use    string `json:"use"`
	Code   string `json:"code"`
	Reason string `json:"reason"`
	// Answers is what models answered the gate, as much as whoever rewrites can use.
	Answers []ModelAnswer `json:"said,omitempty"`
	// Copies are the other questions with the same words, which differ from it in
	// how their videos are shown (LabelMirror). What is written for the item is
	// theirs as well. A copy that no gate flagged has an empty Gate. Copies have
	// none of their own.
	Copies []Flagged `json:"copies,omitempty"`
}

// ModelAnswer is one answer of a model to a gate.
type ModelAnswer struct {
	// View is what the model was shown, as in Probe, Role the role that it played.
	View string `json:"view"`
	Role string `json:"role"`
	// Answer is what was read from its Response, Mark whether that is right.
	Answer   string `json:"answer,omitempty"`
	Mark     string `json:"mark"`
	Response string `json:"response"`
}

// Revision is one step from a question as it first was to how it is now: what
// was found against it, and who rewrote it.
type Revision struct {
	// Item is the id of the question that was flagged, Question its words.
	Item     string `json:"item"`
	Question string `json:"question"`
	Gate     string `json:"gate"`
	Code     string `json:"code"`
	Reason   string `json:"reason"`
	// Model that wrote the next one.
	Model string `json:"model"`
}

// Basis is what a question was written from, as its author was told it. Whoever
// rewrites the question reads the same, and the checks of its family hold the
// new words against it. It is JSON in a blob that Question.Basis names, and no
// part of a release.
type Basis struct {
	// Opening is how the question begins, whatever it asks.
	Opening string `json:"opening"`
	// Sources are what the question may be about, the one asked about first.
	Sources []BasisSource `json:"sources"`
}

// BasisSource is one of the things that a question tells apart.
type BasisSource struct {
	// Role is that which the author knows it by, Name what questions call it.
	Role  string      `json:"role"`
	Name  string      `json:"name"`
	Parts []BasisPart `json:"parts"`
}

// BasisPart is a described part of a source. Cited ones are those that the
// question rests on; of a Cut one only a part is shown.
type BasisPart struct {
	Part  int     `json:"part"`
	Start float64 `json:"start"` // seconds
	End   float64 `json:"end"`
	Cut   bool    `json:"cut,omitempty"`
	Cited bool    `json:"cited,omitempty"`
	// Told is what is said of it, by key.
	Told map[string]string `json:"told"`
}
