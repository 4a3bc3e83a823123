package sessions

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// Codes of what a rule leaves open.
const (
	codeNoValue    = "no-value"
	codeNotCovered = "not-covered"
)

// CoverageByRule judges what AskCoverage asks, without a judge: of each real point the
// words of its value, and of its subject as far as its content says it, must stand in the
// turns that it names, or in what its pictures were noted to show. Elsewhere in the
// session does not count. A rule reads no sense: what it does not find is left open, and
// only a value that stands nowhere in the session fails.
func CoverageByRule(s schemas.Session) pipeline.Judgement {
	if faults := Coverage(s); len(faults) > 0 {
		return Judge(faults)
	}
	return judgeByRule(s, "no-points", lookInSession(s))
}

// look says of a point what it means that a rule does not find it, and whether it does not.
type look func(p schemas.MemoryPoint, n requiredWords) (code string, open bool)

func lookInSession(s schemas.Session) look {
	return func(p schemas.MemoryPoint, n requiredWords) (code string, open bool) {
		if !RestsOnPictures(p) {
			return codeNotEstablished, !n.foundIn(evidenceTexts(s, p)...)
		}
		if p.Modality == schemas.ModalityImage && slices.ContainsFunc(s.Turns, func(t schemas.Turn) bool { return n.givenAwayBy(turnTextFor(t, p)) }) {
			return codeToldInWords, true
		}
		return codeNotShown, !n.foundIn(strings.Join(evidenceCaptions(s, p, func(a schemas.Attachment) string { return a.TaskAwareCaption }), "\n"))
	}
}

// CaptionsByRule judges what AskCaptions asks, in the same way: a caption tells a point
// when it has these words.
func CaptionsByRule(s schemas.Session) pipeline.Judgement {
	if faults := Captions(s); len(faults) > 0 {
		return Judge(faults)
	}
	return judgeByRule(picturedPoints(s), "no-pictured-points", lookInCaptions(s))
}

func picturedPoints(s schemas.Session) schemas.Session {
	s.Points = slices.DeleteFunc(slices.Clone(s.Points), func(p schemas.MemoryPoint) bool { return !RestsOnPictures(p) })
	return s
}

func lookInCaptions(s schemas.Session) look {
	return func(p schemas.MemoryPoint, n requiredWords) (code string, open bool) {
		if p.Modality != schemas.ModalityImage {
			return codeNotInCaption, !n.foundIn(strings.Join(evidenceCaptions(s, p, func(a schemas.Attachment) string { return a.Caption }), "\n"))
		}
		for _, t := range s.Turns {
			for _, a := range t.Attachments {
				if n.foundIn(a.Caption) {
					return codeToldByCaption, true
				}
			}
		}
		return "", false
	}
}

// keepDoubtful returns a session with those real points alone that a judge should look at: what a
// rule leaves open, and what it finds in a sentence that takes it back, wishes it, asks or doubts.
func keepDoubtful(s schemas.Session, look look) schemas.Session {
	s.Points = slices.DeleteFunc(slices.Clone(s.Points), func(p schemas.MemoryPoint) bool {
		of := requiredWordsOf(p)
		_, open := look(p, of)
		return p.IsInterference || !open && of.value != nil && !slices.ContainsFunc(evidenceTexts(s, p), qualified.MatchString)
	})
	return s
}

// qualified finds what makes a sentence more than a plain statement.
var qualified = regexp.MustCompile(`(?i)\b(?:not|no|never|nor|neither|n't|[a-z]+n['’]t|maybe|perhaps|might|may|could|would|should|wish|if|unless|hope|want|almost|nearly|joking|kidding|joke|used to|formerly|until|instead|rather|actually|wait|scratch|wrong|mistake|sorry|cancel\w*|last|next|ago|yesterday|tomorrow|(?:his|her|their|[a-z]+['’]s) (?:own )?\w+)\b|\?|["“”]`)

// judgeByRule looks at the real points of a session.
func judgeByRule(s schemas.Session, nothing string, look look) pipeline.Judgement {
	var absent, left []Fault
	n, whole := 0, sessionTexts(s)
	for _, p := range s.Points {
		if p.IsInterference {
			continue
		}
		n++
		of := requiredWordsOf(p)
		switch code, open := look(p, of); {
		case of.value == nil && p.UpdateType != schemas.UpdateDelete:
			left = append(left, Fault{codeNoValue, p.MemoryID, fmt.Sprintf("the point %s names no value to look for", Quote(p.Content))})
		case !open:
		case of.value != nil && !slices.ContainsFunc(whole, of.saysValue):
			absent = append(absent, Fault{code, p.MemoryID, fmt.Sprintf("the value of the point %s stands nowhere in the session", Quote(p.Content))})
		default:
			left = append(left, Fault{code, p.MemoryID, fmt.Sprintf("a rule that reads words does not see it of the point %s", Quote(p.Content))})
		}
	}
	switch {
	case n == 0:
		return pipeline.NotApplicable.Because(nothing, "there is nothing in it to look for")
	case len(absent) > 0:
		return pipeline.Fail.Because(absent[0].Code, "by rule: %s", Reason(absent))
	case len(left) > 0:
		return pipeline.Insufficient.Because(codeNotCovered, "by rule: %s", Reason(left))
	}
	return pipeline.Judgement{Outcome: pipeline.Pass, Reason: fmt.Sprintf("by rule: the words of all %d points stand where they should, and no judge read them", n)}
}

// requiredWords must stand together: those of a value in their order, those of a subject
// anywhere.
type requiredWords struct {
	value, subject, thing []string
}

// requiredWordsOf is what a point needs. Of its subject it needs what its content says; a sentence
// that has thing and value need not name the aspect ("my dog is called Luna" has no "name").
func requiredWordsOf(p schemas.MemoryPoint) requiredWords {
	of := requiredWords{value: words.Words(p.Attributes[schemas.PointValue])}
	said := words.Words(p.Content)
	for _, w := range words.Words(strings.TrimPrefix(p.Attributes[schemas.PointThing], "the ") + " " + p.Attributes[schemas.PointAspect]) {
		if slices.Contains(said, w) {
			of.subject = append(of.subject, w)
		}
	}
	of.thing = words.Words(strings.TrimPrefix(p.Attributes[schemas.PointThing], "the "))
	return of
}

// foundIn reports whether texts, taken together, have the words; the value in one of them.
func (n requiredWords) foundIn(texts ...string) bool {
	for _, text := range texts {
		for sentence := range sentences(text) {
			if len(n.thing) > 0 && n.value != nil && n.saysValue(sentence) && words.Within(n.thing, words.Words(sentence)) {
				return true
			}
		}
	}
	return words.Within(n.subject, words.Words(strings.Join(texts, "\n"))) && (n.value == nil || slices.ContainsFunc(texts, n.saysValue))
}

// givenAwayBy reports whether a text says what only a picture should show. A bare number
// stands for many things, so that the aspect must be named beside it.
func (n requiredWords) givenAwayBy(text string) bool {
	if len(n.value) == 1 && strings.Trim(n.value[0], "0123456789") == "" {
		return words.Within(n.subject, words.Words(text)) && n.saysValue(text)
	}
	return n.foundIn(text)
}

func sentences(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(".!?\n", r) })
}

// saysValue reports whether a text has the value: word for word, or with numbers, plurals and
// articles written in another way.
func (n requiredWords) saysValue(text string) bool {
	return containsRun(words.Words(text), n.value) || containsRun(strings.Fields(words.Value(text)), strings.Fields(words.Value(strings.Join(n.value, " "))))
}

func containsRun(list, part []string) bool {
	if len(part) == 0 {
		return false
	}
	for i := range len(list) - len(part) + 1 {
		if slices.Equal(list[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// turnTextFor is the text of a turn. Where the user says "my", the point's thing stands for
// it.
func turnTextFor(t schemas.Turn, p schemas.MemoryPoint) string {
	text := TurnText(t)
	if t.Role == schemas.TurnUser && slices.Contains(words.Words(text), "my") {
		text += "\n" + p.Attributes[schemas.PointThing]
	}
	return text
}

func evidenceTexts(s schemas.Session, p schemas.MemoryPoint) (out []string) {
	for _, t := range s.Turns {
		if slices.Contains(p.EvidenceTurns, t.TurnID) {
			out = append(out, turnTextFor(t, p))
		}
	}
	return out
}

// evidenceCaptions returns the captions of the pictures and turns that a point names.
func evidenceCaptions(s schemas.Session, p schemas.MemoryPoint, caption func(schemas.Attachment) string) (out []string) {
	for _, t := range s.Turns {
		for _, a := range t.Attachments {
			if slices.Contains(p.EvidenceTurns, t.TurnID) && slices.Contains(p.EvidenceMedia, a.MediaID) {
				out = append(out, caption(a))
			}
		}
	}
	return out
}

func sessionTexts(s schemas.Session) (out []string) {
	for _, t := range s.Turns {
		out = append(out, TurnText(t))
		for _, a := range t.Attachments {
			out = append(out, a.Caption, a.TaskAwareCaption)
		}
	}
	return out
}
