package oracle

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Settle works a question out from pieces of evidence alone: the turns that they quote and
// what their captions say in full that pictures show. It returns the answer or the call.
func Settle(q schemas.Question, pieces []schemas.Evidence) (string, error) {
	t, err := FromEvidence(pieces)
	if err != nil {
		return "", err
	}
	r, err := t.Answer(q.Question, q.Tools)
	return cmp.Or(r.Call, r.Right), err
}

// FromEvidence reads the quoted turns of pieces, each as a source of its own, for other turns
// may lie between them.
func FromEvidence(pieces []schemas.Evidence) (*Task, error) {
	pieces = slices.Clone(pieces)
	slices.SortFunc(pieces, func(a, b schemas.Evidence) int { return cmp.Compare(a.Order, b.Order) })
	pictures := map[string]Picture{}
	var sessions []schemas.Session
	for _, e := range pieces {
		s := schemas.Session{SessionID: e.SessionID}
		for line := range strings.SplitSeq(e.Text, "\n") {
			speaker, said, ok := strings.Cut(line, ": ")
			if !ok {
				return nil, fmt.Errorf("evidence %s quotes %q, and no speaker of it", e.Ref, line)
			}
			s.Turns = append(s.Turns, schemas.Turn{TurnID: e.Ref, Speaker: speaker, Text: said, Position: int64(e.Order)})
		}
		if e.Media != "" {
			shown, err := readCaption(e.TaskAwareCaption)
			if err != nil {
				return nil, fmt.Errorf("evidence %s: %w", e.Ref, err)
			}
			pictures[e.Media] = shown
			s.Turns[0].Attachments = []schemas.Attachment{{AttachmentID: handleForm.FindString(e.Text), MediaID: e.Media}}
		}
		sessions = append(sessions, s)
	}
	t, err := New(sessions, pictures)
	if err == nil {
		t.partial = true
	}
	return t, err
}

var captionForm = regexp.MustCompile(`(?s)^A (?:bar (chart)|picture of a (table|card|page)|picture of a (programme)), titled "(.+?)"(?:, with the columns (.+?) and (.+?))?\. It reads: (.+)$`)

// readCaption returns what a full caption says that a picture shows.
func readCaption(caption string) (Picture, error) {
	m := captionForm.FindStringSubmatch(caption)
	if m == nil {
		return Picture{}, fmt.Errorf("the caption %q does not say what its picture reads", caption)
	}
	out := Picture{Kind: m[1] + m[2], Title: m[4], Columns: m[5:7]}
	if m[3] != "" {
		out.Kind = "poster"
	}
	if out.Kind == "page" {
		for said := range strings.SplitSeq(strings.TrimSuffix(m[7], "."), ". ") {
			out.Rows = append(out.Rows, []string{said + "."})
		}
		return out, nil
	}
	for row := range strings.SplitSeq(strings.TrimSuffix(m[7], "."), "; ") {
		cell, value, ok := strings.Cut(row, ": ")
		if !ok {
			return Picture{}, fmt.Errorf("the caption %q has the row %q, which has no two cells", caption, row)
		}
		out.Rows = append(out.Rows, []string{cell, value})
	}
	return out, nil
}
