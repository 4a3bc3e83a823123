package schemas

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Roles of evidence. Without a RoleUpdate nothing changes and the answer rests on the
// clues; otherwise it rests on what holds at the end. A superseded clue was true once
// and an update overrides it; or one person says it and another overrules it, before or
// after.
const (
	RoleClue       = "clue"
	RoleUpdate     = "update"
	RoleSuperseded = "superseded"
	// RoleAbsence marks evidence that does not show what is asked about, where the
	// answer rests on that. No single piece proves such an answer; it holds as long as
	// nothing shown contradicts it. Beside a clue it marks evidence in which what the
	// clue shows does not occur: the answer says that it occurs in one thing only, and
	// this is all of the other.
	RoleAbsence = "absence"
	// RoleContext marks evidence of what question and options name, such as the title
	// of a video. It does not contain the answer, but is needed to tell whom or what
	// the answer is about.
	RoleContext = "context"
	// RoleAlternative marks evidence that can stand in place of a clue or an update, such as
	// a later picture of the same; see LabelSufficient.
	RoleAlternative = "alternative"
	// Evidence of what wrong options come from has RoleDistractor, as they do.
)

// LabelSufficient is the label of the sets of evidence of which each gives the answer, where
// there are several: "1 3|2 3" are two sets of pieces by their Order.
const LabelSufficient = "sufficient"

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

// Evidence is one piece of what a question rests on. Ref is a media id with an optional
// media fragment in seconds ("<sha256>#t=3.20,5.00") or the id of a session or turn (a
// document is a session). A solver that is shown this piece alone sees Text and Media.
type Evidence struct {
	// Kind says what Ref identifies.
	Kind      string `json:"kind" holds:"in=media|turn|session|task|source|text"`
	Ref       string `json:"ref"`
	Role      string `json:"role" holds:"in=clue|update|superseded|distractor|context|absence|alternative"`
	SourceID  string `json:"source_id,omitempty"`
	SessionID string `json:"session_id,omitempty"`
	// Order counts from 1, in the order of time.
	Order int32 `json:"order" holds:"min=1"`
	// Modality is that of what carries the answer; empty if it follows from Kind or
	// from the content.
	Modality string `json:"modality,omitempty" holds:"in=text|image|video|table"`
	// Text is what is said or written, without any description of pictures.
	Text string `json:"text,omitempty"`
	// Caption describes the picture in full, MinimalCaption says no more than of
	// what kind it is ("a photo of a kitchen").
	Caption        string `json:"caption,omitempty"`
	MinimalCaption string `json:"minimal_caption,omitempty"`
	// TaskAwareCaption spells out every detail that a question could ask about.
	TaskAwareCaption string `json:"task_aware_caption,omitempty"`
	// Media is the id of the picture or video, with an optional fragment as in Ref;
	// empty if Ref is that.
	Media string `json:"media,omitempty"`
}

// Needed returns the evidence of the answer, without that of wrong options and what can
// stand in its place.
func (q Question) Needed() (out []Evidence) {
	for _, e := range q.Evidence {
		if e.Role != RoleDistractor && e.Role != RoleAlternative {
			out = append(out, e)
		}
	}
	return out
}

// NeededSets returns Needed for each of the sets of which each gives the answer: the set, with
// what is superseded and the context.
func (q Question) NeededSets() ([][]Evidence, error) {
	if q.Labels[LabelSufficient] == "" {
		return [][]Evidence{q.Needed()}, nil
	}
	out, err := q.SufficientSets()
	for i, set := range out {
		out[i] = slices.DeleteFunc(slices.Clone(q.Evidence), func(e Evidence) bool {
			answers := e.Role == RoleClue || e.Role == RoleUpdate || e.Role == RoleAlternative
			return e.Role == RoleDistractor || answers && !slices.Contains(set, e)
		})
	}
	return out, err
}

// SufficientSets returns the sets of evidence of which each gives the answer: those of
// LabelSufficient, or else all clues and updates and what shows an absence. A label that names
// a piece that is not there or misleads, or an empty set, is an error.
func (q Question) SufficientSets() ([][]Evidence, error) {
	label := q.Labels[LabelSufficient]
	if label == "" {
		var set []Evidence
		for _, e := range q.Evidence {
			if e.Role == RoleClue || e.Role == RoleUpdate || e.Role == RoleAbsence {
				set = append(set, e)
			}
		}
		return [][]Evidence{set}, nil
	}
	var out [][]Evidence
	for _, list := range strings.Split(label, "|") {
		var set []Evidence
		for _, order := range strings.Fields(list) {
			i := slices.IndexFunc(q.Evidence, func(e Evidence) bool { return strconv.Itoa(int(e.Order)) == order })
			if i < 0 {
				return nil, fmt.Errorf("label %s of question %s is %q; it has no piece of evidence %q", LabelSufficient, q.QuestionID, label, order)
			}
			if q.Evidence[i].Role == RoleDistractor {
				return nil, fmt.Errorf("label %s of question %s is %q; its piece %s of evidence misleads", LabelSufficient, q.QuestionID, label, order)
			}
			set = append(set, q.Evidence[i])
		}
		if len(set) == 0 {
			return nil, fmt.Errorf("label %s of question %s is %q, in which a set is empty", LabelSufficient, q.QuestionID, label)
		}
		out = append(out, set)
	}
	return out, nil
}
