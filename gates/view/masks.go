package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// showTexts shows what is said and written; own counts the question's own pictures. An
// item without pictures loses nothing
// by it, and one without texts has nothing left.
func showTexts(list []piece, own int) ([]Passage, error) {
	if own == 0 && !slices.ContainsFunc(list, func(p piece) bool { return p.picture() != nil }) {
		return nil, missing("no-picture", "its evidence has no picture, so its texts are all there is")
	}
	out := showPieces(list, func(p piece) Passage { return Passage{Text: p.Text} })
	if len(out) == 0 {
		return nil, missing("no-text", "its evidence has no text beside the pictures")
	}
	return out, nil
}

// showCaptions puts a caption in the place of every picture, and under CaptionOnly
// shows nothing else. Captions that are all bare are left out: the view is then that of the
// texts, which one call serves. Without texts it would be that of None.
func showCaptions(q *schemas.Question, list []piece, kind string) ([]Passage, error) {
	own := len(q.QuestionMedia)
	pictures, telling, texts := own, own > 0, false
	for _, p := range list {
		texts = texts || p.Text != "" && kind != CaptionOnly
		if p.picture() == nil {
			continue
		}
		caption, field := p.captionOf(kind)
		telling = telling || !isBareCaption(q, caption)
		if pictures++; caption == "" {
			return nil, missing("no-caption", "piece %d of its evidence has no %s", p.place, field)
		}
	}
	if pictures == 0 {
		return nil, missing("no-picture", "its evidence has no picture that a caption could stand for")
	}
	if !telling && !texts {
		_, field := piece{}.captionOf(kind)
		return nil, missing("bare-caption", "each %s says only what kind of picture it is, so nothing is shown that question and options alone do not show", field)
	}
	return showPieces(list, func(p piece) (out Passage) {
		if kind != CaptionOnly {
			out.Text = p.Text
		}
		if p.picture() != nil && telling {
			out.Caption, _ = p.captionOf(kind)
		}
		return out
	}), nil
}

func (p piece) captionOf(kind string) (caption, field string) {
	switch kind {
	case MinimalCaption:
		return p.MinimalCaption, "minimal_caption"
	case TaskAwareCaption:
		return p.TaskAwareCaption, "task_aware_caption"
	}
	return p.Caption, "caption"
}

// ownPictures are those of the question itself, like others: hidden where no picture
// is shown, a caption where captions stand for them. That is the caption of the
// evidence, of any role, that shows the picture.
func ownPictures(q *schemas.Question, name string) ([]Passage, error) {
	kind, argument, _ := strings.Cut(name, ":")
	if kind == None || kind == Text || kind == WithoutModality && argument == schemas.ModalityImage {
		return nil, nil
	}
	var out []Passage
	for i, id := range q.QuestionMedia {
		switch kind {
		case MinimalCaption, DenseCaption, TaskAwareCaption, CaptionOnly:
			at := slices.IndexFunc(q.Evidence, func(e schemas.Evidence) bool {
				picture := piece{Evidence: e}.picture()
				caption, _ := piece{Evidence: e}.captionOf(kind)
				return picture != nil && picture.Media == id && caption != ""
			})
			if at < 0 {
				return nil, missing("no-caption", "picture %d of the question itself has no caption in its evidence", i+1)
			}
			caption, _ := piece{Evidence: q.Evidence[at]}.captionOf(kind)
			out = append(out, Passage{Caption: caption, Own: true})
		default:
			out = append(out, Passage{Picture: &Picture{Media: id, Frames: 1}, Own: true})
		}
	}
	return out, nil
}

// bareWords are the words of captions that say of pictures only that they are some,
// and how they are laid out; kindWords say of which kind.
const (
	bareWords = "a an and of the that which with some few seconds part parts whole " +
		"video videos film films clip clips picture pictures image images photo photos frame frames " +
		"shows showing two side by"
	kindWords = "photograph snapshot screenshot screen table chart bar line pie graph diagram plot map card note page document receipt list " +
		"poster drawing painting sketch tables charts graphs diagrams maps cards notes pages documents lists"
)

// isBareCaption reports a caption that every picture of its medium and kind could have. A
// kind that question or answers name tells something: is a table shown?
func isBareCaption(q *schemas.Question, caption string) bool {
	kinds := strings.Fields(kindWords)
	for _, said := range append([]string{q.ChoiceStem(), q.Question, q.AnswerText, q.AnswerCall}, optionTexts(q)...) {
		answers := words.Words(said)
		kinds = slices.DeleteFunc(kinds, func(w string) bool { return slices.Contains(answers, w) })
	}
	return words.Within(words.Rule{NoMarks: true}.Words(caption), append(strings.Fields(bareWords), kinds...))
}

func optionTexts(q *schemas.Question) (out []string) {
	for _, o := range q.Options {
		out = append(out, o.Text)
	}
	return out
}

// showChanging shows a changing state without its end, or its end alone, up to the last
// update.
func showChanging(list []piece, kind string) ([]Passage, error) {
	last := 0
	for _, p := range list {
		if p.Role == schemas.RoleUpdate {
			last = p.place
		}
	}
	if last == 0 {
		return nil, missing("no-update", "none of its evidence is an update")
	}
	out, n := showPart(list, func(p piece) bool { return p.place <= last && (p.Role == schemas.RoleUpdate) == (kind == LatestOnly) })
	if n == 0 {
		return nil, missing("nothing-stale", "nothing stands before its update")
	}
	return out, nil
}

// showSingleFrame shows one picture of the video that the answer comes from last.
func showSingleFrame(list []piece) ([]Passage, error) {
	for _, p := range slices.Backward(list) {
		picture := p.picture()
		if picture == nil || p.absentHere || p.modality() == schemas.ModalityImage || !p.holdsAtEnd() {
			continue
		}
		picture.Frames = 1
		return []Passage{{Picture: picture}}, nil
	}
	return nil, missing("no-video", "its evidence holds no video, of which one picture could be shown")
}

// hideModality takes one modality away: with text all that is said or written, with
// images or videos the pictures and not what is said about them, with tables
// all of them.
func hideModality(list []piece, modality string) ([]Passage, error) {
	known := []string{schemas.ModalityText, schemas.ModalityImage, schemas.ModalityVideo, schemas.ModalityTable}
	if !slices.Contains(known, modality) {
		return nil, missing("no-such-modality", "%q is no modality", modality)
	}
	return showPieces(list, func(p piece) Passage {
		out, m := p.passage(), p.modality()
		switch {
		case m == modality && m == schemas.ModalityTable:
			return Passage{}
		case m == modality && m != schemas.ModalityText:
			out.Picture, out.Span, out.Caption = nil, "", ""
		case modality == schemas.ModalityText && m != schemas.ModalityTable:
			out.Text = ""
		}
		return out
	}), nil
}

// showFull shows every text, and then all media of the question whole.
func showFull(q *schemas.Question) ([]Passage, error) {
	var all []piece
	for _, e := range q.Evidence {
		all = append(all, piece{Evidence: e})
	}
	slices.SortStableFunc(all, func(a, b piece) int { return cmp.Compare(a.Order, b.Order) })
	images := map[string]bool{}
	out := showPieces(all, func(p piece) Passage {
		s := p.passage()
		if s.Picture != nil {
			images[s.Picture.Media] = p.modality() == schemas.ModalityImage
		}
		if s.Picture != nil && slices.Contains(q.Media, s.Picture.Media) {
			s.Picture, s.Span = nil, ""
		}
		return s
	})
	for _, id := range q.Media {
		if images[id] {
			out = append(out, Passage{Picture: &Picture{Media: id, Frames: 1}})
			continue
		}
		out = append(out, Passage{Picture: &Picture{Media: id}, Span: wholeVideo})
	}
	if len(out) == 0 {
		return nil, missing("no-evidence", "it has neither media nor evidence to show")
	}
	return out, nil
}
