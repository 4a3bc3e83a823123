package format

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/schemas"
)

// taskBuilder lays one task out.
type taskBuilder struct {
	layoutTask
	files map[string]string // media id to its file in the release
	// turns map a turn to its round, captions and paths a media id.
	turns    map[string]string
	captions map[string]string
	paths    map[string]string
	date     string
}

var dayPattern = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

// addSession adds a session of rounds, or reads the profile of who speaks. What is
// neither stays out of MemEye's layout, which has no place for it.
func (b *taskBuilder) addSession(s schemas.Session) error {
	switch s.Kind {
	case schemas.KindProfile:
		for _, t := range s.Turns {
			key, value, _ := strings.Cut(t.Text, ": ")
			b.profile[key] = value
		}
		return nil
	case schemas.KindDialogue, schemas.KindPrivateChat:
	default:
		return fmt.Errorf("it is a %s; MemEye's layout holds dialogues", s.Kind)
	}
	if !dayPattern.MatchString(s.Date) || s.Date < b.date {
		return fmt.Errorf("its date is %q, after %q; MemEye wants days such as 2024-06-17 that do not run back", s.Date, b.date)
	}
	b.date = s.Date
	out := session{ID: fmt.Sprintf("D%d", len(b.sessions)+1), Date: s.Date}
	for i := 0; i < len(s.Turns); i += 2 {
		if i+1 == len(s.Turns) || s.Turns[i].Role != schemas.TurnUser || s.Turns[i+1].Role != schemas.TurnAssistant {
			return fmt.Errorf("turns %d and %d are not what a user says and an assistant answers", i+1, i+2)
		}
		r := round{ID: fmt.Sprintf("%s:%d", out.ID, i/2+1), User: s.Turns[i].Text, Assistant: s.Turns[i+1].Text}
		for _, t := range s.Turns[i : i+2] {
			b.turns[t.TurnID] = r.ID
			if err := b.addPictures(&r, t); err != nil {
				return err
			}
		}
		out.Rounds = append(out.Rounds, r)
	}
	b.sessions = append(b.sessions, out)
	return nil
}

// addPictures adds those of a turn. Each shown place has a file of its own name, which
// is told by the place and so unique in all tasks.
func (b *taskBuilder) addPictures(r *round, t schemas.Turn) error {
	for _, a := range t.Attachments {
		if a.MediaID == "" {
			return fmt.Errorf("turn %s lost its picture; MemEye's loader stops where a picture is missing", t.TurnID)
		}
		if a.Caption == "" {
			return fmt.Errorf("picture %s of turn %s has no caption; MemEye's methods on text stop without", a.MediaID, t.TurnID)
		}
		written, err := b.addPicture(a.MediaID, fmt.Sprintf("%s_%s_%d", slug(b.name), strings.ReplaceAll(r.ID, ":", "_"), len(r.Images)+1))
		if err != nil {
			return err
		}
		b.captions[a.MediaID] = a.Caption
		r.Images, r.Captions, r.ImageIDs = append(r.Images, written), append(r.Captions, a.Caption), append(r.ImageIDs, a.AttachmentID)
	}
	return nil
}

// addPicture puts a picture at a path and gives it as MemEye writes it.
func (b *taskBuilder) addPicture(media, stem string) (string, error) {
	file, known := b.files[media]
	if !known {
		return "", fmt.Errorf("the release has no file of picture %s", media)
	}
	name := stem + path.Ext(file)
	b.media = append(b.media, export.MediaFile{Path: path.Join("image", b.name, name), MediaID: media})
	b.paths[media] = "../image/" + b.name + "/" + name
	return b.paths[media], nil
}

// questionError says why a question cannot be expressed.
func questionError(q schemas.Question, format string, args ...any) error {
	return &export.QuestionError{QuestionID: q.QuestionID, Reason: fmt.Sprintf(format, args...)}
}

// addQuestion adds one that has a place on the grid, four options, and clues in rounds.
func (b *taskBuilder) addQuestion(q schemas.Question) error {
	x, y := q.Labels[schemas.LabelGranularity], q.Labels[schemas.LabelReasoning]
	if !slices.Contains([]string{"X1", "X2", "X3", "X4"}, x) || !slices.Contains([]string{"Y1", "Y2", "Y3"}, y) {
		return questionError(q, "its place on the grid is %q, %q; MemEye's points are X1 to X4 and Y1 to Y3", x, y)
	}
	if _, ok := q.Stem(); !ok || len(q.Options) != len(letters) {
		return questionError(q, "it has %d options; MemEye's choice form has four, in four rotations", len(q.Options))
	}
	out := layoutQuestion{Question: q}
	for _, e := range q.Evidence {
		r, known := b.turns[e.Ref]
		if !known {
			return questionError(q, "it rests on %s, which is in no round of its task", e.Ref)
		}
		if !slices.Contains(out.clues, r) {
			out.clues = append(out.clues, r)
		}
	}
	if len(out.clues) == 0 {
		return questionError(q, "it names no round that it rests on")
	}
	for i, m := range q.QuestionMedia {
		written, err := b.addPicture(m, fmt.Sprintf("%s_Q%d_%d", slug(b.name), len(b.questions)+1, i+1))
		if err != nil {
			return questionError(q, "%v", err)
		}
		out.images = append(out.images, written)
	}
	b.questions = append(b.questions, out)
	return nil
}
