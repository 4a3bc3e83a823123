package schemas

// NameStatements is the schema of records that hold rows of the tables events and
// labels. A stage that shows parts of original files gives one beside its media.
const NameStatements = "statements"

// Statements say what the originals show that a composed medium was made of: the
// ground that gold answers by construction rest on. A release has them row by
// row, each once, as far as one of its media shows the original.
type Statements struct {
	Events []StatedEvent `json:"events,omitempty"`
	Labels []StatedLabel `json:"labels,omitempty"`
}

// Who says something, where it is no model: then StatedBy is the model's id as
// the manifest names it.
const (
	// StatedByScript: the file was generated from a script that says so.
	StatedByScript = "script"
	// StatedBySource: the source's own annotation or file name says so.
	StatedBySource = "source"
)

// StatedEvent is one row of the events table: one thing that happens in one
// original file.
type StatedEvent struct {
	// EventID is the digest of all other columns; a release fills it in.
	EventID string `json:"event_id,omitempty"`
	// Original is the SHA-256 of the file, as in Segment.Original.
	Original string `json:"original"`
	// From and To are seconds from the first picture of the original, and so of
	// every normalised video made from it: second s is frame s x fps of
	// Segment.Source.
	From float64 `json:"from"`
	To   float64 `json:"to"`
	// Kind is a verb in the third person. Actors do it, Objects have it done to
	// them, Text is what is then to be read.
	Kind    string   `json:"kind"`
	Actors  []string `json:"actors,omitempty"`
	Objects []string `json:"objects,omitempty"`
	Text    string   `json:"text,omitempty"`
	// SourceID is the id of the original's source, StatedBy who says that it
	// happens.
	SourceID string `json:"source_id"`
	StatedBy string `json:"stated_by"`
}

// StatedLabel is one row of the labels table: what holds of an original, or of
// some seconds of it.
type StatedLabel struct {
	// LabelID is the digest of all other columns; a release fills it in.
	LabelID  string `json:"label_id,omitempty"`
	Original string `json:"original"`
	// From and To are seconds as in StatedEvent; both are 0 where the label holds of
	// the whole original.
	From float64 `json:"from,omitempty"`
	To   float64 `json:"to,omitempty"`
	// Attribute is one of those below, or of the source's own, such as action.
	Attribute string `json:"attribute"`
	Value     string `json:"value"`
	SourceID  string `json:"source_id"`
	StatedBy  string `json:"stated_by"`
}

// Attributes with a meaning of their own.
const (
	// AttributeTitle is a text seen in the video by which questions name it,
	// AttributeName the phrase by which they name an untitled video that begins
	// with these seconds, AttributeNoun what they call the things that it shows.
	AttributeTitle = "title"
	AttributeName  = "name"
	AttributeNoun  = "noun"
	// AttributeCategory groups alike originals.
	AttributeCategory = "category"
	// AttributeAbsent is something that could be taken for an event of these
	// seconds and is none. Questions take wrong options, and what never happened,
	// from there.
	AttributeAbsent = "absent"
)
