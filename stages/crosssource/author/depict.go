package author

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/placement"
)

// Depict asks for a detail that a picture shows in place of words.
type Depict struct {
	Item
	Refused []model.Refused[Depicted] `json:"refused"`
}

// Depicted is such a detail: which piece it is of, from 1, its words, what is said
// instead, and what stands on the card.
type Depicted struct {
	Cannot string     `json:"cannot"`
	Piece  int        `json:"piece"`
	Phrase string     `json:"phrase"`
	Text   string     `json:"text"`
	Title  string     `json:"title"`
	Lines  []CardLine `json:"lines"`
}

// CardLine is a line of a card.
type CardLine struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// depicted replaces a detail of the item's texts by a picture (SMMBench B.2).
func (w *work) depicted(ctx context.Context) error {
	told, _ := w.told()
	got, refused, err := w.depict.Insist(ctx, w.scope, role, w.cfg.Attempts,
		func(r []model.Refused[Depicted]) Depict { return Depict{told, r} },
		func(a model.Answered[Depicted]) ([]string, error) {
			if err := declined(a.Model, a.Value.Cannot, "card"); err != nil {
				return nil, err
			}
			return w.checkDepicted(a.Value), nil
		})
	if err != nil {
		return fmt.Errorf("move a detail into a picture: %w", err)
	}
	if len(refused) > 0 {
		return pipeline.Reject(codeCard, "no card can be used; the last: %s", last(refused))
	}
	d := got.Value
	m, err := w.card(ctx, d)
	if err != nil {
		return fmt.Errorf("draw the card: %w", err)
	}
	at := w.place(d.Piece)
	said := &w.item.Units[at]
	said.Text, said.Labels = strings.TrimSpace(d.Text), clone(said.Labels)
	said.Labels[schemas.LabelAuthor] = got.Model
	picture := schemas.EvidenceUnit{
		Dataset: w.item.Dataset, Modality: schemas.ModalityImage, Media: m.MediaID, Caption: d.caption(), Role: schemas.RoleClue, Time: said.Time,
		Labels: map[string]string{placement.LabelMinimal: "a picture of a card", schemas.LabelAuthor: got.Model, "derived": "depicted"},
	}
	if who := said.Labels[placement.LabelSpeaker]; who != "" {
		picture.Labels[placement.LabelSpeaker] = who
	}
	w.item.Units = slices.Insert(w.item.Units, at+1, picture)
	w.item.Media = append(w.item.Media, m)
	return nil
}

// place is where the unit stands that is told as a piece of a number.
func (w *work) place(number int) int {
	n := 0
	return slices.IndexFunc(w.item.Units, func(u schemas.EvidenceUnit) bool {
		if u.Role != schemas.RoleDistractor {
			n++
		}
		return u.Role != schemas.RoleDistractor && n == number
	})
}

// written is all that stands on a card.
func (d Depicted) written() string {
	out := []string{d.Title}
	for _, l := range d.Lines {
		out = append(out, l.Name+": "+l.Value)
	}
	return strings.Join(out, "; ")
}

func (d Depicted) caption() string {
	return fmt.Sprintf("A picture of a card, titled %q. It reads: %s.", d.Title, strings.TrimPrefix(d.written(), d.Title+"; "))
}

// checkDepicted says what is wrong with a detail and its card.
func (w *work) checkDepicted(d Depicted) (why reasons) {
	at := w.place(d.Piece)
	if at < 0 || w.item.Units[at].Modality != schemas.ModalityText {
		why.say("piece is %d; give the number of one that was said", d.Piece)
		return why
	}
	old, phrase := w.item.Units[at].Text, strings.TrimSpace(d.Phrase)
	switch {
	case len(answercues.Of(phrase)) == 0 || !answercues.Holds(old, phrase):
		why.say("phrase is %q; give words of piece %d as they stand there", phrase, d.Piece)
	case answercues.Holds(d.Text, phrase):
		why.say("the text still says %q", phrase)
	case !answercues.Holds(d.written(), phrase):
		why.say("the card does not show %q, so nobody could tell it any more", phrase)
	}
	if n, most := utf8.RuneCountInString(strings.TrimSpace(d.Text)), utf8.RuneCountInString(old); n < most/3 || n > 2*most+80 {
		why.say("the text has %d characters and the old one %d; change no more of it than you must", n, most)
	}
	if strings.TrimSpace(d.Title) == "" || len(d.Lines) == 0 {
		why.say("the card needs a title and a line or more")
	}
	for _, l := range d.Lines {
		if strings.TrimSpace(l.Name) == "" || strings.TrimSpace(l.Value) == "" || answercues.Broken(l.Name+l.Value) {
			why.say("a line of the card is empty or breaks: %q, %q", l.Name, l.Value)
		}
	}
	if a := w.item.Question.AnswerText; answercues.Holds(d.Text, a) || answercues.Holds(d.written(), a) {
		why.say("the text or the card repeats the statement, %q", a)
	}
	return why
}

// Sizes of cards, in pixels.
const (
	cardWide, cardHead, cardLine, cardEdge = 460, 110, 36, 18
)

// card draws and stores a card.
func (w *work) card(ctx context.Context, d Depicted) (schemas.Media, error) {
	studio := w.studios.Get().(*draw.Studio)
	defer w.studios.Put(studio)
	rnd := w.scope.Rand("card", w.item.ItemID)
	theme := widget.Light(draw.Hex([]uint32{0x2563eb, 0x14805e, 0xb4442c, 0x7c4dbd}[rnd.IntN(4)]))
	wide, high := cardWide, cardHead+cardLine*len(d.Lines)
	c, err := studio.Canvas(wide, high, theme.Back)
	if err != nil {
		return schemas.Media{}, err
	}
	var facts [][2]string
	for _, l := range d.Lines {
		facts = append(facts, [2]string{l.Name, l.Value})
	}
	if err := (widget.Card{Title: d.Title, Facts: facts}).Draw(c, theme, draw.Pixels(cardEdge, cardEdge, wide-2*cardEdge, high-2*cardEdge)); err != nil {
		return schemas.Media{}, err
	}
	return c.Keep(ctx, w.scope, draw.MimePicture, w.item.License)
}
