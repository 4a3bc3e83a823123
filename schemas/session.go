package schemas

// Session is one session of a task: what was said or done in it, and the gold
// memory points that it introduces (WorldMemArena 4 and C.3). It is complete for
// a gate that sees one session at a time: what of earlier sessions its points
// build on stands in Earlier.
type Session struct {
	SessionID string `json:"session_id"`
	TaskID    string `json:"task_id"`
	SourceID  string `json:"source_id,omitempty"`
	// Kind is dialogue, group_chat, private_chat, document or trajectory.
	Kind         string   `json:"kind"`
	Participants []string `json:"participants"`
	Arc          string   `json:"arc,omitempty"`
	Date         string   `json:"date,omitempty"`
	// Order is the session's place in its task, from 0; no two share one.
	Order  int32         `json:"order"`
	Turns  []Turn        `json:"turns"`
	Points []MemoryPoint `json:"memory_points"`
	// Earlier are the real points of earlier sessions that points of this one
	// supersede or resemble.
	Earlier []EarlierPoint `json:"earlier,omitempty"`
}

// Turn is one turn of a dialogue, or one step of a trajectory.
type Turn struct {
	TurnID    string `json:"turn_id"`
	SessionID string `json:"session_id"`
	// Order counts from 1 within the session.
	Order     int32  `json:"order"`
	Timestamp string `json:"timestamp,omitempty"`
	// Role is user, assistant, agent or environment; Speaker a name, where there
	// are several.
	Role    string `json:"role"`
	Speaker string `json:"speaker,omitempty"`
	Text    string `json:"text,omitempty"`
	// Observation, Action and Feedback are those of a step (WorldMemArena 3.1).
	Observation string       `json:"observation,omitempty"`
	Action      string       `json:"action,omitempty"`
	Feedback    string       `json:"feedback,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
}

// Attachment is a picture that belongs to a turn.
type Attachment struct {
	MediaID string `json:"media_id"`
	// Caption is what a reader without eyes gets in its place.
	Caption string `json:"caption"`
}

// ModalityTextImage is the modality of a memory point that a picture shows and
// the picture's caption says. What ModalityImage has, only a picture shows: no
// word and no caption says it. What ModalityText has, the words of its turns say.
const ModalityTextImage = "text+image"

// Kinds of update. A point without one revises.
const (
	// UpdateRevise takes the place of one point.
	UpdateRevise = "revise"
	// UpdateMerge takes the place of several.
	UpdateMerge = "merge"
	// UpdateSplit is one of several points of one session that together take the
	// place of one.
	UpdateSplit = "split"
)

// MemoryPoint is one gold memory point: something that a memory should hold
// after the session, or, if IsInterference, should not (WorldMemArena 4, B.2).
type MemoryPoint struct {
	MemoryID  string `json:"memory_id"`
	SessionID string `json:"session_id"`
	Content   string `json:"content"`
	Type      string `json:"type"`
	// Importance is the weight in recall, 0 or more (WorldMemArena B.1).
	Importance float64 `json:"importance"`
	// Subject is what the point is a statement about, so narrow that only one
	// point of it holds at a time ("mara/home town"). Points that update or that
	// resemble others must have one.
	Subject string `json:"subject,omitempty"`
	// Attributes are the statement in symbols, such as who, value and status.
	Attributes map[string]string `json:"attributes,omitempty"`
	// IsUpdate says that the point takes the place of the points Supersedes.
	IsUpdate   bool     `json:"is_update"`
	UpdateType string   `json:"update_type,omitempty"`
	Supersedes []string `json:"supersedes,omitempty"`
	// IsInterference marks what looks like a fact to keep and is none: a joke,
	// hearsay, somebody else's affair. Resembles is the real point it could be
	// taken for, DiffersIn the attribute in which it is another.
	IsInterference bool   `json:"is_interference"`
	Resembles      string `json:"resembles,omitempty"`
	DiffersIn      string `json:"differs_in,omitempty"`
	// Modality is ModalityText, ModalityImage or ModalityTextImage.
	Modality string `json:"modality"`
	// EvidenceTurns are ids of turns of the session, EvidenceMedia media ids of
	// their attachments.
	EvidenceTurns []string `json:"evidence_turns"`
	EvidenceMedia []string `json:"evidence_media,omitempty"`
}

// EarlierPoint is a real point of an earlier session as it stood when the
// session that cites it began.
type EarlierPoint struct {
	MemoryID  string `json:"memory_id"`
	SessionID string `json:"session_id"`
	// SessionOrder is the Order of its session.
	SessionOrder int32             `json:"session_order"`
	Content      string            `json:"content"`
	Subject      string            `json:"subject,omitempty"`
	Attributes   map[string]string `json:"attributes,omitempty"`
	// SupersededBy names the points that had taken its place by then, if any did.
	SupersededBy []string `json:"superseded_by,omitempty"`
}
