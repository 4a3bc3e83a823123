package runner

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
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

// messages makes messages of the records of a release, as a view shows them. Pictures is
// how the system takes them.
type messages struct {
	book     *taskSource
	view     View
	captions string
	pictures string
	files    *Pictures
}

// newMessages settles what a system is shown: captions are dense for systems that see no
// pictures, and minimal for those that do, where the view does not say.
func newMessages(book *taskSource, v View, takes string, files *Pictures) messages {
	m := messages{book, v, v.Captions, takes, files}
	if !v.Pictures {
		m.pictures = ""
	}
	switch {
	case m.captions != "":
	case takes == "":
		m.captions = CaptionsDense
	default:
		m.captions = CaptionsMinimal
	}
	return m
}

func (m messages) turn(ctx context.Context, of step) (Turn, error) {
	t := Turn{
		SessionID: of.session.SessionID, Kind: of.session.Kind, Title: of.session.Title, Date: of.session.Date, Participants: of.session.Participants,
		TurnID: of.turn.TurnID, Timestamp: of.turn.Timestamp, Role: of.turn.Role, Speaker: of.turn.Speaker, Text: of.turn.Text,
		Observation: of.turn.Observation, Reasoning: of.turn.Reasoning, Action: of.turn.Action, Feedback: of.turn.Feedback,
	}
	if m.captions == CaptionsNone {
		return t, nil
	}
	for _, a := range of.turn.Attachments {
		p := Picture{ID: a.AttachmentID, MediaID: a.MediaID, Type: a.Type, Caption: m.caption(a)}
		if err := m.attach(ctx, &p); err != nil {
			return t, fmt.Errorf("turn %s: %w", t.TurnID, err)
		}
		t.Attachments = append(t.Attachments, p)
	}
	return t, nil
}

// evidence returns the turns of a history that holds what the view shows of a question.
func (m messages) evidence(ctx context.Context, q schemas.Question) ([]Turn, error) {
	shown, err := m.view.show(q, m.pictures)
	if err != nil {
		return nil, fmt.Errorf("question %s: %w", q.QuestionID, err)
	}
	session := schemas.SessionIDOf(q.TaskID, 1)
	var out []Turn
	add := func(text string, attached ...Picture) {
		if text != "" || len(attached) > 0 {
			out = append(out, Turn{SessionID: session, Kind: m.view.Name, TurnID: schemas.TurnIDOf(session, len(out)+1), Role: schemas.TurnEnvironment, Text: text, Attachments: attached})
		}
	}
	add(shown.Setting)
	for _, p := range shown.Passages {
		if p.Own {
			continue // it goes with the question
		}
		attached, err := m.passagePictures(ctx, p, len(out))
		if err != nil {
			return nil, fmt.Errorf("question %s: %w", q.QuestionID, err)
		}
		text := p.Text
		if p.Span != "" {
			text = strings.TrimSpace(fmt.Sprintf("%s [%s]", text, p.Span))
		}
		add(text, attached...)
	}
	return out, nil
}

// passagePictures attaches the pictures of a passage, or its caption alone.
func (m messages) passagePictures(ctx context.Context, p view.Passage, at int) (out []Picture, err error) {
	id := func() string { return fmt.Sprintf("shown-%d-%d", at+1, len(out)+1) }
	if p.Caption != "" {
		out = append(out, Picture{ID: id(), Caption: p.Caption})
	}
	if p.Picture == nil {
		return out, nil
	}
	taken, err := m.files.take(ctx, *p.Picture)
	for _, d := range taken {
		picture := Picture{ID: id(), MediaID: string(d)}
		if err := m.attach(ctx, &picture); err != nil {
			return nil, err
		}
		out = append(out, picture)
	}
	return out, err
}

func (m messages) caption(a schemas.Attachment) string {
	switch m.captions {
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
func (m messages) attach(ctx context.Context, p *Picture) (err error) {
	if p.MediaID == "" || m.pictures == "" {
		return nil
	}
	row, released := m.book.media[p.MediaID]
	p.Mime = cmp.Or(row.Mime, "image/jpeg") // one that is taken of a video
	switch {
	case m.pictures == PicturesPath:
		file, err := m.files.path(ctx, p.MediaID)
		if err != nil {
			return err
		}
		p.Path, err = filepath.Abs(file)
		return err
	case !released:
		file, err := m.files.path(ctx, p.MediaID)
		if err != nil {
			return err
		}
		p.Data, err = atomicfile.Read(file, maxPictureBytes)
		return err
	case row.Kind == "image" && row.Bytes <= maxPictureBytes:
		p.Data, err = readMedium(ctx, m.book.contents, p.MediaID)
	}
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
func (m messages) query(ctx context.Context, q schemas.Question, options []schemas.Option, topK int) (Query, error) {
	out := Query{QuestionID: q.QuestionID, Question: q.Question, TopK: topK}
	for _, o := range options {
		out.Options = append(out.Options, Option{o.Key, o.Text})
	}
	for _, t := range q.Tools {
		out.Tools = append(out.Tools, Tool{t.Name, t.Description, t.Parameters})
	}
	if m.captions == CaptionsNone {
		return out, nil
	}
	for _, id := range q.QuestionMedia[:min(len(q.QuestionMedia), maxPictures)] {
		p := Picture{ID: id, MediaID: id, Caption: m.questionCaption(q, id)}
		if err := m.attach(ctx, &p); err != nil {
			return out, fmt.Errorf("question %s: %w", q.QuestionID, err)
		}
		out.Pictures = append(out.Pictures, p)
	}
	return out, nil
}

// questionCaption is the caption of a picture of the question itself: that of the evidence
// that shows it, or the dense one of the medium.
func (m messages) questionCaption(q schemas.Question, id string) string {
	for _, e := range q.Evidence {
		if strings.HasPrefix(cmp.Or(e.Media, e.Ref), id) {
			return m.caption(schemas.Attachment{Caption: e.Caption, MinimalCaption: e.MinimalCaption, TaskAwareCaption: e.TaskAwareCaption})
		}
	}
	return m.caption(schemas.Attachment{Caption: m.book.media[id].Caption})
}
