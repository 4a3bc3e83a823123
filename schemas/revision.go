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
