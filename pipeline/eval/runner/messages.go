package runner

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Captions that stand with pictures.
const (
	CaptionsDense     = "dense"
	CaptionsMinimal   = "minimal"
	CaptionsTaskAware = "task_aware"
	CaptionsNone      = "none"
)

// Bounds of the pictures of one message, those of WorldMemArena A.
const (
	maxPictures     = 5
	maxPictureBytes = 45 << 20
)

// messages makes messages of the records of a release.
type messages struct {
	book     *taskSource
	captions string
	pictures string
}

func (s messages) turn(ctx context.Context, of step) (Turn, error) {
	t := Turn{
		SessionID: of.session.SessionID, Kind: of.session.Kind, Title: of.session.Title, Date: of.session.Date, Participants: of.session.Participants,
		TurnID: of.turn.TurnID, Timestamp: of.turn.Timestamp, Role: of.turn.Role, Speaker: of.turn.Speaker, Text: of.turn.Text,
		Observation: of.turn.Observation, Reasoning: of.turn.Reasoning, Action: of.turn.Action, Feedback: of.turn.Feedback,
	}
	for _, a := range of.turn.Attachments {
		p := Picture{ID: a.AttachmentID, MediaID: a.MediaID, Type: a.Type, Caption: s.caption(a)}
		if err := s.attach(ctx, &p); err != nil {
			return t, fmt.Errorf("turn %s: %w", t.TurnID, err)
		}
		t.Attachments = append(t.Attachments, p)
	}
	return t, nil
}

func (s messages) caption(a schemas.Attachment) string {
	switch s.captions {
	case CaptionsDense:
		return a.Caption
	case CaptionsMinimal:
		return a.MinimalCaption
	case CaptionsTaskAware:
		return a.TaskAwareCaption
	}
	return ""
}

// attach adds the file of a picture, or its bytes, as the system takes them. A picture
// that was lost upstream has no id and keeps its caption.
func (s messages) attach(ctx context.Context, p *Picture) error {
	if p.MediaID == "" || s.pictures == "" {
		return nil
	}
	m, known := s.book.media[p.MediaID]
	if !known {
		return fmt.Errorf("the release has no medium %s", p.MediaID)
	}
	p.Mime = m.Mime
	if s.pictures == PicturesPath {
		path, err := filepath.Abs(filepath.Join(s.book.contents.Dir, filepath.FromSlash(s.book.contents.Files[p.MediaID])))
		p.Path = path
		return err
	}
	if m.Kind != "image" || m.Bytes > maxPictureBytes {
		return nil
	}
	data, err := readMedium(ctx, s.book.contents, p.MediaID)
	p.Data = data
	return err
}

func readMedium(ctx context.Context, c release.Contents, id string) (data []byte, err error) {
	err = c.ReadMedium(ctx, id, func(f *os.File) error {
		data, err = io.ReadAll(io.LimitReader(f, maxPictureBytes))
		return err
	})
	return data, err
}

// query makes the message that asks one form of a question.
func (s messages) query(ctx context.Context, q schemas.Question, options []schemas.Option, topK int) (Query, error) {
	out := Query{QuestionID: q.QuestionID, Question: q.Question, TopK: topK}
	for _, o := range options {
		out.Options = append(out.Options, Option{o.Key, o.Text})
	}
	for _, t := range q.Tools {
		out.Tools = append(out.Tools, Tool{t.Name, t.Description, t.Parameters})
	}
	for _, id := range q.QuestionMedia[:min(len(q.QuestionMedia), maxPictures)] {
		p := Picture{ID: id, MediaID: id, Caption: s.book.media[id].Caption}
		if err := s.attach(ctx, &p); err != nil {
			return out, fmt.Errorf("question %s: %w", q.QuestionID, err)
		}
		out.Pictures = append(out.Pictures, p)
	}
	return out, nil
}
