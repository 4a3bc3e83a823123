package sessions

import (
	"slices"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// Names of the views that a judge of sessions gets.
const (
	// ViewSession is the turns, and those pictures that statements rest on,
	// without captions.
	ViewSession = "session"
	// ViewCaptions is the captions alone.
	ViewCaptions = "captions"
)

// Answers of a judge.
const (
	Yes = "yes"
	No  = "no"
)

// JudgeInput is all that a judge is shown of a session, beside the pictures. Turns,
// pictures, captions and statements go by numbers from 1: ids may tell what a
// point is.
type JudgeInput struct {
	// Participants as the session names them.
	Participants []string       `json:"participants,omitempty"`
	Session      []ShownTurn    `json:"session,omitempty"`
	Captions     []ShownCaption `json:"captions,omitempty"`
	Known        []string       `json:"known,omitempty"`
	Statements   []Statement    `json:"statements"`
	Pictures     int            `json:"pictures"`
	// Problem says what was wrong with the last answer, if any.
	Problem string `json:"problem,omitempty"`
}

// ShownTurn is a turn as a judge sees it.
type ShownTurn struct {
	Turn        int    `json:"turn"`
	Role        string `json:"role"`
	Speaker     string `json:"speaker,omitempty"`
	Text        string `json:"text,omitempty"`
	Observation string `json:"observation,omitempty"`
	Action      string `json:"action,omitempty"`
	Feedback    string `json:"feedback,omitempty"`
	Pictures    []int  `json:"pictures,omitempty"`
}

// ShownCaption is the caption of a picture.
type ShownCaption struct {
	Caption int    `json:"caption"`
	Text    string `json:"text"`
}

// Statement is what a judge says yes or no to, by the places named; by the whole
// session where none is.
type Statement struct {
	Number   int    `json:"number"`
	Says     string `json:"statement"`
	Turns    []int  `json:"turns,omitempty"`
	Pictures []int  `json:"pictures,omitempty"`
	Captions []int  `json:"captions,omitempty"`
}

// Inquiry is one question to a judge about one session, and how its answer is
// to be read.
type Inquiry struct {
	View   string
	Input  JudgeInput
	Images []string // media ids of the pictures shown, in order
	turns  []schemas.Turn
	shown  []schemas.Attachment // pictures or captions, by number
	asked  []askedPoint         // by statement
}

// askedPoint is the point behind a statement. code is what it means that the answer
// is not want; without want either answer will do.
type askedPoint struct {
	point      schemas.MemoryPoint
	want, code string
	named      []string // ids of the places to judge by
}

func (q *Inquiry) addStatement(a askedPoint, s Statement) {
	s.Number, s.Says = len(q.asked)+1, a.point.Content
	q.Input.Statements = append(q.Input.Statements, s)
	q.asked = append(q.asked, a)
}

// AskCoverage asks of every real point whether the turns it names establish it,
// or, where it rests on pictures, whether these show it. What only a picture
// should show must not be said in words anywhere. What held before is told where a
// point is an update: a picture shows what is so now, never what it took the place of.
// Interference points are said, not established: they are for AskInterference.
func AskCoverage(s schemas.Session) Inquiry {
	var real []schemas.MemoryPoint
	for _, p := range s.Points {
		if !p.IsInterference {
			real = append(real, p)
		}
	}
	q := showSession(s, real)
	if slices.ContainsFunc(real, func(p schemas.MemoryPoint) bool { return p.IsUpdate }) {
		q.Input.Known = heldPoints(s)
	}
	places, all := turnPlaces(s), []int{}
	for i, t := range s.Turns {
		if len(words.Words(TurnText(t))) > 0 {
			all = append(all, i+1)
		}
	}
	for _, p := range real {
		if !RestsOnPictures(p) {
			q.addStatement(askedPoint{p, Yes, codeNotEstablished, p.EvidenceTurns}, Statement{Turns: numbers(p.EvidenceTurns, func(id string) int { return places[id] })})
			continue
		}
		q.addStatement(askedPoint{p, Yes, codeNotShown, p.EvidenceMedia}, Statement{Pictures: q.numbersOf(p.EvidenceMedia)})
		if p.Modality == schemas.ModalityImage && len(all) > 0 {
			q.addStatement(askedPoint{p, No, codeToldInWords, nil}, Statement{Turns: all})
		}
	}
	return q
}

func heldPoints(s schemas.Session) (out []string) {
	for _, e := range s.Earlier {
		if len(e.SupersededBy) == 0 {
			out = append(out, e.Content)
		}
	}
	return out
}

// AskCaptions asks of every real point that rests on pictures whether captions
// tell it: those of its pictures should, unless only a picture should show it;
// then no caption of the session may.
func AskCaptions(s schemas.Session) Inquiry {
	q := Inquiry{View: ViewCaptions}
	var all []string
	for _, t := range s.Turns {
		for _, a := range t.Attachments {
			if a.MediaID = pictureName(t, a); slices.Contains(all, a.MediaID) {
				continue
			}
			all = append(all, a.MediaID)
			q.shown = append(q.shown, a)
			q.Input.Captions = append(q.Input.Captions, ShownCaption{len(all), a.Caption})
		}
	}
	for _, p := range s.Points {
		switch {
		case p.IsInterference || !RestsOnPictures(p):
		case p.Modality == schemas.ModalityImage:
			q.addStatement(askedPoint{p, No, codeToldByCaption, all}, Statement{Captions: q.numbersOf(all)})
		default:
			q.addStatement(askedPoint{p, Yes, codeNotInCaption, p.EvidenceMedia}, Statement{Captions: q.numbersOf(p.EvidenceMedia)})
		}
	}
	return q
}

// AskInterference asks of the interference points and, unmarked among them, the
// real ones, whether they belong into a memory. Interference points must not, and
// must be said at all; the real points that they resemble must. shuffle orders the statements.
func AskInterference(s schemas.Session, shuffle func(n int, swap func(i, j int))) Inquiry {
	resembled, replaced := map[string]bool{}, map[string]bool{}
	for _, p := range s.Points {
		if p.IsInterference {
			resembled[p.Resembles] = true
			continue
		}
		for _, id := range p.Supersedes {
			replaced[id] = true
		}
	}
	if len(resembled) == 0 {
		return Inquiry{View: ViewSession}
	}
	points := slices.DeleteFunc(slices.Clone(s.Points), func(p schemas.MemoryPoint) bool { return replaced[p.MemoryID] && !p.IsInterference })
	shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	q := showSession(s, points)
	q.Input.Known = heldPoints(s)
	for _, p := range points {
		switch {
		case p.IsInterference:
			q.addStatement(askedPoint{p, No, codeIndistinguishable, p.EvidenceTurns}, Statement{})
		case resembled[p.MemoryID]:
			q.addStatement(askedPoint{p, Yes, codeTakenForInterference, p.EvidenceTurns}, Statement{})
		default:
			q.addStatement(askedPoint{point: p}, Statement{})
		}
	}
	return q
}

func showSession(s schemas.Session, points []schemas.MemoryPoint) Inquiry {
	wanted := map[string]bool{}
	for _, p := range points {
		for _, m := range p.EvidenceMedia {
			wanted[m] = wanted[m] || RestsOnPictures(p)
		}
	}
	q := Inquiry{View: ViewSession, turns: s.Turns, Input: JudgeInput{Participants: s.Participants}}
	for i, t := range s.Turns {
		shown := ShownTurn{
			Turn: i + 1, Role: t.Role, Speaker: t.Speaker, Text: t.Text,
			Observation: t.Observation, Action: t.Action, Feedback: t.Feedback,
		}
		for _, a := range t.Attachments {
			if !wanted[a.MediaID] {
				continue
			}
			if !slices.Contains(q.Images, a.MediaID) {
				q.Images = append(q.Images, a.MediaID)
				q.shown = append(q.shown, a)
			}
			shown.Pictures = append(shown.Pictures, 1+slices.Index(q.Images, a.MediaID))
		}
		q.Input.Session = append(q.Input.Session, shown)
	}
	q.Input.Pictures = len(q.Images)
	return q
}

func (q *Inquiry) numbersOf(media []string) []int {
	return numbers(media, func(id string) int {
		return slices.IndexFunc(q.shown, func(a schemas.Attachment) bool { return a.MediaID == id })
	})
}

func numbers(ids []string, place func(string) int) []int {
	out := make([]int, len(ids))
	for i, id := range ids {
		out[i] = place(id) + 1
	}
	return out
}
