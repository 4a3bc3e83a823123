package schemas

import (
	"cmp"
	"slices"
	"strings"
)

// Kinds of a Session. What is no conversation is read in pieces all the same: the
// pages of a document, the rows of a table, the entries of a profile, one picture,
// the steps of a trajectory are its turns.
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

// Roles of a session's arc (WorldMemArena C.3): the storyline that the task
// foregrounds, and what goes on beside it.
const (
	ArcMain = "main"
	ArcSide = "side"
)

// Session is one session or source of a task: what was said or done in it, and the
// gold memory points that it introduces (WorldMemArena 4 and C.3, SMMBench 3.1). It
// is complete for a gate that sees one session at a time: what of earlier sessions
// its points build on stands in Earlier. In a release its turns and points are rows
// of tables of their own, and Earlier follows from the points of earlier sessions.
type Session struct {
	SessionID string `json:"session_id"`
	TaskID    string `json:"task_id"`
	SourceID  string `json:"source_id,omitempty"`
	// Kind is one of those above.
	Kind         string   `json:"kind" holds:"in=dialogue|group_chat|private_chat|document|table|profile|image|trajectory"`
	Participants []string `json:"participants"`
	// Title is how a document, table or channel is called.
	Title string `json:"title,omitempty"`
	// Arc names the storyline, ArcRole is ArcMain or ArcSide, EventType the kind of
	// what happens; OnMainLine says that the session moves the task's main story on,
	// as one of a side arc may too (WorldMemArena C.3).
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
	// Earlier are the real points of earlier sessions that points of this one
	// supersede or resemble, or that hold of their subjects: see Follow.
	Earlier []EarlierPoint `json:"earlier,omitempty" table:"derived"`
}

// ShownMedia are the media that turns of sessions show, each once, sorted.
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

// Turn is one turn of a dialogue, one step of a trajectory, or one page of what is
// read.
type Turn struct {
	TurnID    string `json:"turn_id"`
	SessionID string `json:"session_id"`
	// Order counts from 1 within the session.
	Order int32 `json:"order" holds:"min=1"`
	// Position is the turn's place in the one stream that merges all sessions of its
	// task (SMMBench 3.3), from 1; 0 says that the stream follows the sessions' order.
	Position int64 `json:"position,omitempty" holds:"min=0"`
	// Timestamp is an RFC 3339 time.
	Timestamp string `json:"timestamp,omitempty" holds:"form=time"`
	// Role is one of those above; Speaker a name, where there are several.
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
	// AttachmentID is what sessions and questions call the picture; unique in the task.
	AttachmentID string `json:"attachment_id,omitempty"`
	MediaID      string `json:"media_id"`
	// Type is of what sort the picture is.
	Type string `json:"type,omitempty" holds:"in=photo|screenshot|chart|document"`
	// Caption is what a reader without eyes gets in its place: the dense one.
	// MinimalCaption says no more than of what sort the picture is, TaskAwareCaption
	// spells out whatever a question could ask of it (MemEye 3.2, D.2).
	Caption          string `json:"caption"`
	MinimalCaption   string `json:"minimal_caption,omitempty"`
	TaskAwareCaption string `json:"task_aware_caption,omitempty"`
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
	// UpdateDelete ends what it supersedes and puts nothing in its place: after it
	// nothing holds of the subject. Its content says that it ended.
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
	// Subject is what the point is a statement about, so narrow that only one
	// point of it holds at a time ("mara/home town"). Points that update or that
	// resemble others must have one.
	Subject string `json:"subject,omitempty"`
	// Attributes are the statement in symbols: names as PointThing has them, and others
	// that a family has besides.
	Attributes map[string]string `json:"attributes,omitempty"`
	// IsUpdate says that the point takes the place of the points Supersedes.
	IsUpdate   bool     `json:"is_update"`
	UpdateType string   `json:"update_type,omitempty" holds:"in=revise|merge|split|delete"`
	Supersedes []string `json:"supersedes,omitempty"`
	// IsInterference marks what looks like a fact to keep and is none: a joke,
	// hearsay, somebody else's affair. Resembles is the real point it could be
	// taken for, DiffersIn the attribute in which it is another.
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

// Attributes of a point with a meaning of their own. Whoever makes points may leave them
// out: what rules look for in words is then less, or nothing, and a gate that works by
// such a rule leaves the point open.
const (
	// PointThing is what the statement is about, as sessions call it, with its article
	// where it has one ("the boat"). In a turn of the user in which "my" is said it
	// need not be named. PointAspect says what of it ("colour").
	PointThing  = "thing"
	PointAspect = "aspect"
	// PointValue is what is said of that ("red"), in the words in which a session has
	// it, one after the other. A point of what ended has none.
	PointValue = "value"
	// PointStatus is how it is meant: that it holds, ended, or of interference as what it
	// is said. Interference that differs from the real point in its status alone says
	// what is true.
	PointStatus = "status"
)

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

// EvidenceTurn is the kind of evidence that is a turn, or a round of two.
const EvidenceTurn = "turn"

// QuoteDate is how evidence from a session begins: with its date, where it has one.
func QuoteDate(date string) string {
	if date == "" {
		return ""
	}
	return "[" + strings.TrimSuffix(strings.Replace(date, "T", " ", 1), ":00Z") + "]"
}

// Line is how evidence quotes a turn: who speaks, and what is said; of a step also what
// was seen, thought and done, and what followed.
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

// QuoteTurns is the text of evidence that is a round of a session.
func QuoteTurns(date string, turns ...Turn) string {
	lines := []string{QuoteDate(date)}
	for _, t := range turns {
		lines = append(lines, t.Line())
	}
	return strings.TrimPrefix(strings.Join(lines, "\n"), "\n")
}
