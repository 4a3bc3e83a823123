package schemas

// NameStatements is the schema of records with rows of the tables events and labels. A
// stage that shows parts of original files emits one with its media.
const NameStatements = "statements"

// Statements say what the originals of a composed medium show: the ground truth of gold
// answers by construction. A release has them row by row, each once, as far as one of
// its media shows the original.
type Statements struct {
	Events []StatedEvent `json:"events,omitempty"`
	Labels []StatedLabel `json:"labels,omitempty"`
}

// Values of StatedBy. For models it is the model's id in the manifest.
const (
	// StatedByScript: the file was generated from a script that says so.
	StatedByScript = "script"
	// StatedBySource: the source's own annotation or file name says so.
	StatedBySource = "source"
)

// StatedEvent is one row of the events table: one thing that happens in one
// original file.
type StatedEvent struct {
	// EventID is the digest of all other columns; the release fills it in.
	EventID string `json:"event_id,omitempty"`
	// Original is the SHA-256 of the file, as in Segment.Original.
	Original string `json:"original"`
	// From and To are seconds from the first picture of the original, and so of every
	// normalised video made from it: second s is frame s x fps of Segment.Source.
	From float64 `json:"from"`
	To   float64 `json:"to"`
	// Kind is a verb in the third person with its Actors and Objects. Text is the text
	// that is then visible.
	Kind    string   `json:"kind"`
	Actors  []string `json:"actors,omitempty"`
	Objects []string `json:"objects,omitempty"`
	Text    string   `json:"text,omitempty"`
	// SourceID is the id of the original's source, StatedBy the origin of the
	// statement.
	SourceID string `json:"source_id"`
	StatedBy string `json:"stated_by"`
}

// StatedLabel is one row of the labels table: a property of an original, or of some
// seconds of it.
type StatedLabel struct {
	// LabelID is the digest of all other columns; the release fills it in.
	LabelID  string `json:"label_id,omitempty"`
	Original string `json:"original"`
	// From and To are seconds as in StatedEvent; both are 0 for the whole original.
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
	// AttributeTitle is a visible text by which questions name the video, AttributeName
	// the phrase for an untitled video that begins with these seconds, AttributeNoun
	// the noun for the things that it shows.
	AttributeTitle = "title"
	AttributeName  = "name"
	AttributeNoun  = "noun"
	// AttributeCategory groups similar originals.
	AttributeCategory = "category"
	// AttributeAbsent is something that could be mistaken for an event of these
	// seconds. Wrong options, and events that never happened, come from there.
	AttributeAbsent = "absent"
)
