package schemas

// Roles of evidence. Where none of it has the role RoleUpdate, nothing changes
// and the answer rests on the clues; else it rests on what is in force at the
// end. A superseded clue was true once, and an update overrides it; or somebody
// says it whom another overrules, before or after.
const (
	RoleClue       = "clue"
	RoleUpdate     = "update"
	RoleSuperseded = "superseded"
	// RoleAbsence is that of evidence which the answer rests on because what is
	// asked about occurs nowhere in it. Nothing can prove such an answer piece by
	// piece; it holds as long as nothing shown contradicts it. Beside a clue it is
	// that of evidence in which what the clue shows does not occur: the answer says
	// that it occurs in one thing only, and this is all there is of the other.
	RoleAbsence = "absence"
	// RoleContext is that of evidence which shows what question and options name,
	// such as the title of a video. The answer is not in it, and yet nobody can
	// tell who or what the answer speaks of without it.
	RoleContext = "context"
	// Evidence of what wrong options come from has RoleDistractor, as they do.
)

// Modalities of evidence.
const (
	ModalityText  = "text"
	ModalityImage = "image"
	ModalityVideo = "video"
	ModalityTable = "table"
)

// Kinds of evidence besides EvidenceTurn: a medium or some of its seconds, a session, a
// task, a source, and a passage of one of the latter three.
const (
	EvidenceMedia   = "media"
	EvidenceSession = "session"
	EvidenceTask    = "task"
	EvidenceSource  = "source"
	EvidenceText    = "text"
)

// BareCaption is a minimal caption that says nothing: that there is a picture.
const BareCaption = "a picture"

// Evidence points at what a question rests on. Ref is a media id with an
// optional media fragment in seconds ("<sha256>#t=3.20,5.00") or the id of a
// session or turn (a document is a session). What a solver is shown of a piece of
// evidence, when it is shown no more than that, is Text and Media.
type Evidence struct {
	// Kind says what Ref leads to.
	Kind      string `json:"kind" holds:"in=media|turn|session|task|source|text"`
	Ref       string `json:"ref"`
	Role      string `json:"role" holds:"in=clue|update|superseded|distractor|context|absence"`
	SourceID  string `json:"source_id,omitempty"`
	SessionID string `json:"session_id,omitempty"`
	// Order counts from 1, in the order of time.
	Order int32 `json:"order" holds:"min=1"`
	// Modality is that of what carries the answer; empty where it follows from
	// Kind or from what there is to show.
	Modality string `json:"modality,omitempty" holds:"in=text|image|video|table"`
	// Text is what is said or written, without any description of pictures.
	Text string `json:"text,omitempty"`
	// Caption describes the picture in full, MinimalCaption says no more than of
	// what kind it is ("a photo of a kitchen").
	Caption        string `json:"caption,omitempty"`
	MinimalCaption string `json:"minimal_caption,omitempty"`
	// TaskAwareCaption spells out whatever a question could ask of it.
	TaskAwareCaption string `json:"task_aware_caption,omitempty"`
	// Media is the id of the picture or video, with an optional fragment as in
	// Ref; empty where Ref is that.
	Media string `json:"media,omitempty"`
}

// Needed is the evidence that the answer rests on: all but what wrong options come from.
func (q Question) Needed() (out []Evidence) {
	for _, e := range q.Evidence {
		if e.Role != RoleDistractor {
			out = append(out, e)
		}
	}
	return out
}
