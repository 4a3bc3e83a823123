package sessions

import (
	"cmp"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// Coverage lists what keeps the points of a session from being established by
// the turns they name: ids that are missing, double or foreign, turns and
// pictures that do not exist, a modality that the evidence does not fit.
func Coverage(s schemas.Session) []Fault {
	var out faultList
	checkTurns(s, &out)
	checkPictures(s, &out)
	turns, seen := turnPlaces(s), map[string]bool{}
	for _, p := range s.Points {
		if p.MemoryID == "" {
			out.add("no-id", s.SessionID, "a point has no id: %s", Quote(p.Content))
		} else if seen[p.MemoryID] {
			out.add("same-id", p.MemoryID, "two points of the session have this id")
		}
		seen[p.MemoryID] = true
		checkPoint(s, p, &out)
		checkEvidence(s, p, turns, &out)
	}
	return out
}

func checkTurns(s schemas.Session, out *faultList) {
	seen := map[string]bool{}
	for i, t := range s.Turns {
		switch {
		case t.TurnID == "":
			out.add("no-id", s.SessionID, "turn %d has no id", i+1)
		case seen[t.TurnID]:
			out.add("same-id", t.TurnID, "two turns of the session have this id")
		case t.SessionID != s.SessionID:
			out.add("wrong-session", t.TurnID, "the turn says that it belongs to session %q", t.SessionID)
		case int(t.Order) != i+1:
			out.add("wrong-order", t.TurnID, "turn %d has the order %d", i+1, t.Order)
		case TurnText(t) == "" && len(t.Attachments) == 0:
			out.add("empty-turn", t.TurnID, "nothing is said and nothing attached")
		}
		seen[t.TurnID] = true
	}
}

// checkPictures wants pictures that can be looked at. One that is lost, as the links of
// published dialogues are, says so by having no name; what was said of it stays.
func checkPictures(s schemas.Session, out *faultList) {
	for _, t := range s.Turns {
		for _, a := range t.Attachments {
			if a.MediaID == "" && a.Caption != "" {
				continue
			}
			if _, err := pipeline.ParseDigest(a.MediaID); err != nil {
				out.add("bad-picture", t.TurnID, "its attachment is called %q; want the SHA-256 of the picture", a.MediaID)
			}
		}
	}
}

func pictureName(t schemas.Turn, a schemas.Attachment) string {
	return cmp.Or(a.MediaID, a.AttachmentID, t.TurnID)
}

func checkPoint(s schemas.Session, p schemas.MemoryPoint, out *faultList) {
	if p.SessionID != s.SessionID {
		out.add("wrong-session", p.MemoryID, "the point says that session %q introduces it", p.SessionID)
	}
	if len(words.Words(p.Content)) == 0 {
		out.add("no-content", p.MemoryID, "the point says nothing")
	}
	if p.Importance < 0 {
		out.add("bad-importance", p.MemoryID, "its importance is %g; want 0 or more", p.Importance)
	}
	switch {
	case p.Modality != schemas.ModalityText && !RestsOnPictures(p):
		out.add("unknown-modality", p.MemoryID, "its modality is %q; want %q, %q or %q", p.Modality, schemas.ModalityText, schemas.ModalityImage, schemas.ModalityTextImage)
	case RestsOnPictures(p) && len(p.EvidenceMedia) == 0:
		out.add("no-picture", p.MemoryID, "its modality is %s, but it names no picture", p.Modality)
	case p.Modality == schemas.ModalityText && len(p.EvidenceMedia) > 0:
		out.add("needless-picture", p.MemoryID, "its modality is text, but it names pictures; make it %q, or leave them out", schemas.ModalityTextImage)
	}
}

func checkEvidence(s schemas.Session, p schemas.MemoryPoint, turns map[string]int, out *faultList) {
	if len(p.EvidenceTurns) == 0 {
		out.add("no-turn", p.MemoryID, "the point %s names no turn", Quote(p.Content))
	}
	attached := map[string]bool{}
	for i, id := range p.EvidenceTurns {
		at, ok := turns[id]
		switch {
		case !ok:
			out.add("unknown-turn", p.MemoryID, "the point %s names turn %q, which the session does not have", Quote(p.Content), id)
			continue
		case slices.Contains(p.EvidenceTurns[:i], id):
			out.add("same-turn", p.MemoryID, "the point names turn %q twice", id)
		}
		for _, a := range s.Turns[at].Attachments {
			attached[a.MediaID] = true
		}
	}
	for _, m := range p.EvidenceMedia {
		if !attached[m] {
			out.add("unknown-picture", p.MemoryID, "the point %s names picture %q, which is not attached to a turn that it names", Quote(p.Content), m)
		}
	}
	if p.Modality == schemas.ModalityText && !slices.ContainsFunc(p.EvidenceTurns, func(id string) bool {
		at, ok := turns[id]
		return ok && len(words.Words(TurnText(s.Turns[at]))) > 0
	}) && len(p.EvidenceTurns) > 0 {
		out.add("silent-turn", p.MemoryID, "no turn that the point %s names has words", Quote(p.Content))
	}
}

// Captions lists what is wrong with the captions as such: every picture must
// have one, and no two pictures the same. What captions say of points is for a
// judge.
func Captions(s schemas.Session) []Fault {
	var out faultList
	checkPictures(s, &out)
	captions, owners := map[string]string{}, map[string]string{}
	for _, t := range s.Turns {
		for _, a := range t.Attachments {
			a.MediaID = pictureName(t, a)
			told := words.Folded(a.Caption)
			known, twice := captions[a.MediaID]
			owner, taken := owners[told]
			switch {
			case told == "":
				out.add("no-caption", a.MediaID, "the picture of turn %q has no caption", t.TurnID)
			case twice && known != told:
				out.add("two-captions", a.MediaID, "the picture is attached twice, with different captions")
			case taken && owner != a.MediaID:
				out.add("same-caption", a.MediaID, "the caption %s is also that of picture %s", Quote(a.Caption), owner)
			default:
				owners[told] = a.MediaID
			}
			captions[a.MediaID] = told
		}
	}
	for _, p := range s.Points {
		if RestsOnPictures(p) && len(p.EvidenceMedia) == 0 {
			out.add("no-picture", p.MemoryID, "its modality is %s, but it names no picture", p.Modality)
		}
		for _, m := range p.EvidenceMedia {
			if _, ok := captions[m]; !ok {
				out.add("unknown-picture", p.MemoryID, "the point %s names picture %q, which no turn has", Quote(p.Content), m)
			}
		}
	}
	return out
}

// Interference lists what keeps interference points from being told apart from
// the points they resemble: each must be marked, say which real point it
// resembles and in which attribute it differs, and do so.
func Interference(s schemas.Session) []Fault {
	var out faultList
	checkPictures(s, &out)
	points, earlier := pointsByID(s), earlierByID(s)
	for _, p := range s.Points {
		if !p.IsInterference {
			if p.Resembles != "" || p.DiffersIn != "" {
				out.add("unmarked", p.MemoryID, "the point %s names what it resembles or differs in, but is not marked as interference", Quote(p.Content))
			}
			continue
		}
		real, e := points[p.Resembles], earlier[p.Resembles]
		switch {
		case p.Resembles == "":
			out.add("resembles-nothing", p.MemoryID, "the interference point %s names no point that it resembles", Quote(p.Content))
		case real.MemoryID != "" && real.IsInterference:
			out.add("resembles-interference", p.MemoryID, "it names %q, which is an interference point too", p.Resembles)
		case real.MemoryID != "":
			compareInterference(p, real.Content, real.Attributes, &out)
		case e.MemoryID != "":
			compareInterference(p, e.Content, e.Attributes, &out)
		default:
			out.add("unknown-point", p.MemoryID, "it resembles %q, which is neither a point of the session nor among the earlier ones", p.Resembles)
		}
	}
	return out
}

// equalButStatus reports whether an interference point has everything but the status of a real
// one in common with it.
func equalButStatus(mine, real map[string]string) bool {
	for name, v := range mine {
		if name != schemas.PointStatus && !sayTheSame(v, real[name]) {
			return false
		}
	}
	return true
}

func compareInterference(p schemas.MemoryPoint, content string, real map[string]string, out *faultList) {
	if sayTheSame(p.Content, content) {
		out.add("same-content", p.MemoryID, "it says the same as the real point %q: %s", p.Resembles, Quote(content))
	}
	mine, theirs := p.Attributes[p.DiffersIn], real[p.DiffersIn]
	switch {
	case p.DiffersIn == "":
		out.add("no-difference", p.MemoryID, "the point %s does not say in which attribute it differs from %q", Quote(p.Content), p.Resembles)
	case mine == "" || theirs == "":
		out.add("unknown-attribute", p.MemoryID, "it differs in %q, which it or the real point %q does not have", p.DiffersIn, p.Resembles)
	case sayTheSame(mine, theirs):
		out.add("no-difference", p.MemoryID, "it and the real point %q both have %q as %s", p.Resembles, p.DiffersIn, Quote(mine))
	case p.DiffersIn == schemas.PointStatus && p.Attributes[schemas.PointValue] != "" && equalButStatus(p.Attributes, real):
		out.add("true-interference", p.MemoryID, "the point %s differs from %q in how it is said alone, so what it says is true: %s", Quote(p.Content), p.Resembles, Quote(content))
	}
	for name, v := range p.Attributes {
		if real[name] != "" && sayTheSame(real[name], v) {
			return
		}
	}
	out.add("no-likeness", p.MemoryID, "the point %s shares no attribute with %q, so it interferes with nothing", Quote(p.Content), p.Resembles)
}
