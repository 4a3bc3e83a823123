package schemas

import (
	"cmp"
	"slices"
	"strings"
)

// Kinds of a Session. Sources that are no conversations have turns too: the pages of a
// document, the rows of a table, the entries of a profile, one picture, the steps of a
// trajectory.
const (
	KindDialogue    = "dialogue"
	KindGroupChat   = "group_chat"
	KindPrivateChat = "private_chat"
	KindDocument    = "document"
	KindTable       = "table"
	KindProfile     = "profile"
	KindImage       = "image"
	KindTrajectory  = "trajectory"
)

// Roles of a session's arc (WorldMemArena C.3): the main storyline of the task, and
// side stories.
const (
	ArcMain = "main"
	ArcSide = "side"
)

// Session is one session or source of a task: what was said or done in it, and the gold
// memory points that it introduces (WorldMemArena 4 and C.3, SMMBench 3.1). It is
// complete for a gate that sees one session at a time: Earlier has what its points
// build on. In a release its turns and points are rows of tables of their own, and
// Earlier follows from the points of earlier sessions.
type Session struct {
	SessionID string `json:"session_id"`
	TaskID    string `json:"task_id"`
	SourceID  string `json:"source_id,omitempty"`
	// Kind is one of those above.
	Kind         string   `json:"kind" holds:"in=dialogue|group_chat|private_chat|document|table|profile|image|trajectory"`
	Participants []string `json:"participants"`
	// Title is the name of a document, table or channel.
	Title string `json:"title,omitempty"`
	// Arc names the storyline, ArcRole is ArcMain or ArcSide, EventType the kind of
	// event. OnMainLine says that the session advances the task's main story, as one of
	// a side arc may too (WorldMemArena C.3).
	Arc        string `json:"arc,omitempty"`
	ArcRole    string `json:"arc_role,omitempty" holds:"in=main|side"`
	EventType  string `json:"event_type,omitempty"`
	OnMainLine bool   `json:"on_main_line,omitempty"`
	// Date is a day (2024-06-17) or an RFC 3339 time.
	Date string `json:"date,omitempty" holds:"form=date"`
	// Order is the session's place among those of its task, from 0; no two share one.
	Order int32 `json:"order" holds:"min=0"`
	// Position is the place of those of its turns that have none of their own, see
	// Turn.Position.
	Position int64         `json:"position,omitempty" holds:"min=0"`
	Turns    []Turn        `json:"turns" table:"rows=turns,key=turn_id,by=order"`
	Points   []MemoryPoint `json:"memory_points" table:"rows=memory_points,key=memory_id"`
	// Earlier are the real points of earlier sessions that points of this one supersede
	// or resemble, or that hold for their subjects: see DeriveFields.
	Earlier []EarlierPoint `json:"earlier,omitempty" table:"derived"`
}

// ShownMedia returns the media ids in turns of sessions, each once, sorted.
func ShownMedia(all []Session) []string {
	out := []string{}
	for _, s := range all {
		for _, t := range s.Turns {
			for _, a := range t.Attachments {
				out = append(out, a.MediaID)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Roles of a turn.
const (
	TurnUser        = "user"
	TurnAssistant   = "assistant"
	TurnAgent       = "agent"
	TurnEnvironment = "environment"
)

// Turn is one turn of a dialogue, one step of a trajectory, or one page of a document.
type Turn struct {
	TurnID    string `json:"turn_id"`
	SessionID string `json:"session_id"`
	// Order counts from 1 within the session.
	Order int32 `json:"order" holds:"min=1"`
	// Position is the turn's place in the one stream that merges all sessions of its
	// task (SMMBench 3.3), from 1; 0 if the stream follows the order of sessions.
	Position int64 `json:"position,omitempty" holds:"min=0"`
	// Timestamp is an RFC 3339 time.
	Timestamp string `json:"timestamp,omitempty" holds:"form=time"`
	// Role is one of those above. Speaker is a name, if there are several.
	Role    string `json:"role" holds:"in=user|assistant|agent|environment"`
	Speaker string `json:"speaker,omitempty"`
	Text    string `json:"text,omitempty"`
	// Observation, Reasoning, Action and Feedback are those of a step
	// (WorldMemArena 3.1, C.3).
	Observation string       `json:"observation,omitempty"`
	Reasoning   string       `json:"reasoning,omitempty"`
	Action      string       `json:"action,omitempty"`
	Feedback    string       `json:"feedback,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
}

// Attachment is a picture that belongs to a turn.
type Attachment struct {
	// AttachmentID is the picture's name in sessions and questions, unique in the task.
	AttachmentID string `json:"attachment_id,omitempty"`
	MediaID      string `json:"media_id"`
	// Type is the sort of picture.
	Type string `json:"type,omitempty" holds:"in=photo|screenshot|chart|document"`
	// Caption is the dense one, for readers without pictures. MinimalCaption says no
	// more than the sort of picture, TaskAwareCaption every detail that a question
	// could ask about (MemEye 3.2, D.2).
	Caption          string `json:"caption"`
	MinimalCaption   string `json:"minimal_caption,omitempty"`
	TaskAwareCaption string `json:"task_aware_caption,omitempty"`
}

// ModalityTextImage marks memory points that a picture shows and its caption says.
// ModalityImage is shown by a picture only: no word and no caption says it.
// ModalityText is said by the words of its turns.
const ModalityTextImage = "text+image"

// Kinds of update. A point without one revises.
const (
	// UpdateRevise replaces one point.
	UpdateRevise = "revise"
	// UpdateMerge replaces several.
	UpdateMerge = "merge"
	// UpdateSplit is one of several points of one session that together replace one.
	UpdateSplit = "split"
	// UpdateDelete ends what it supersedes without a replacement: afterwards nothing
	// holds for the subject. Its content says that it ended.
	UpdateDelete = "delete"
)

// MemoryPoint is one gold memory point: something that a memory should hold
// after the session, or, if IsInterference, should not (WorldMemArena 4, B.2).
type MemoryPoint struct {
	MemoryID  string `json:"memory_id"`
	SessionID string `json:"session_id"`
	Content   string `json:"content" holds:"form=said"`
	Type      string `json:"type"`
	// Importance is the weight in recall, 0 or more (WorldMemArena B.1).
	Importance float64 `json:"importance" holds:"min=0"`
	// Subject is what the statement is about, so narrow that only one point of it holds
	// at a time ("mara/home town"). Points that update or resemble others must have
	// one.
	Subject string `json:"subject,omitempty"`
	// Attributes are the statement in symbols: names such as PointThing, and others of
	// the family.
	Attributes map[string]string `json:"attributes,omitempty"`
	// IsUpdate says that the point replaces the points Supersedes.
	IsUpdate   bool     `json:"is_update"`
	UpdateType string   `json:"update_type,omitempty" holds:"in=revise|merge|split|delete"`
	Supersedes []string `json:"supersedes,omitempty"`
	// IsInterference marks what looks like a fact to keep and is none: a joke, hearsay,
	// somebody else's affair. Resembles is the real point it could be mistaken for,
	// DiffersIn the attribute that differs.
	IsInterference bool   `json:"is_interference"`
	Resembles      string `json:"resembles,omitempty"`
	DiffersIn      string `json:"differs_in,omitempty"`
	// Modality is ModalityText, ModalityImage or ModalityTextImage.
	Modality string `json:"modality" holds:"in=text|image|text+image"`
	// EvidenceTurns are ids of turns of the session, EvidenceMedia media ids of
	// their attachments.
	EvidenceTurns []string `json:"evidence_turns"`
	EvidenceMedia []string `json:"evidence_media,omitempty"`
}

// Attributes of a point with a meaning of their own. They may be missing: rules that
// look for words then find less, and a gate that needs them leaves the point undecided.
const (
	// PointThing is what the statement is about, in the words of sessions, with its
	// article if it has one ("the boat"). A turn of the user that says "my" need not
	// name it. PointAspect is the aspect of it ("colour").
	PointThing  = "thing"
	PointAspect = "aspect"
	// PointValue is the value ("red"), as a sequence of words of a session. A point
	// about an end has none.
	PointValue = "value"
	// PointStatus says whether it holds or ended, or for interference what kind it is.
	// Interference that differs from the real point in status alone says what is true.
	PointStatus = "status"
)

// EarlierPoint is a real point of an earlier session as it was when the citing session
// began.
type EarlierPoint struct {
	MemoryID  string `json:"memory_id"`
	SessionID string `json:"session_id"`
	// SessionOrder is the Order of its session.
	SessionOrder int32             `json:"session_order"`
	Content      string            `json:"content"`
	Subject      string            `json:"subject,omitempty"`
	Attributes   map[string]string `json:"attributes,omitempty"`
	// SupersededBy names the points that had replaced it by then.
	SupersededBy []string `json:"superseded_by,omitempty"`
}

// EvidenceTurn is the kind of evidence that is a turn, or a round of two.
const EvidenceTurn = "turn"

// QuoteDate returns how evidence from a session begins: with its date, if it has one.
func QuoteDate(date string) string {
	if date == "" {
		return ""
	}
	return "[" + strings.TrimSuffix(strings.Replace(date, "T", " ", 1), ":00Z") + "]"
}

// Line quotes a turn as evidence: speaker and text; for a step also observation,
// reasoning, action and feedback.
func (t Turn) Line() string {
	said := []string{}
	if t.Text != "" {
		said = append(said, t.Text)
	}
	for _, part := range []struct{ name, text string }{{"observation", t.Observation}, {"reasoning", t.Reasoning}, {"action", t.Action}, {"feedback", t.Feedback}} {
		if part.text != "" {
			said = append(said, part.name+": "+part.text)
		}
	}
	return cmp.Or(t.Speaker, t.Role) + ": " + strings.Join(said, "; ")
}

// QuoteTurns quotes a round of a session as evidence.
func QuoteTurns(date string, turns ...Turn) string {
	lines := []string{QuoteDate(date)}
	for _, t := range turns {
		lines = append(lines, t.Line())
	}
	return strings.TrimPrefix(strings.Join(lines, "\n"), "\n")
}
