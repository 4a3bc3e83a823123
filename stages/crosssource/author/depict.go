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
	Refused []model.RejectedAnswer[Depicted] `json:"refused"`
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

// depictDetail moves a detail from the item's texts to a picture (SMMBench B.2).
func (w *itemAuthor) depictDetail(ctx context.Context) error {
	told, _ := w.itemInput()
	got, refused, err := w.depict.AskUntilUsable(ctx, w.scope, role, w.cfg.Attempts,
		func(r []model.RejectedAnswer[Depicted]) Depict { return Depict{told, r} },
		func(a model.Answer[Depicted]) ([]string, error) {
			if err := rejectDeclined(a.Model, a.Value.Cannot, "card"); err != nil {
				return nil, err
			}
			return w.checkDepicted(a.Value), nil
		})
	if err != nil {
		return fmt.Errorf("move a detail into a picture: %w", err)
	}
	if len(refused) > 0 {
		return pipeline.Reject(codeCard, "no card can be used; the last: %s", lastRefusal(refused))
	}
	d := got.Value
	m, err := w.drawCard(ctx, d)
	if err != nil {
		return fmt.Errorf("draw the card: %w", err)
	}
	at := w.unitOfPiece(d.Piece)
	said := &w.item.Units[at]
	said.Text, said.Labels = strings.TrimSpace(d.Text), clone(said.Labels)
	said.Labels[schemas.LabelAuthor] = got.Model
	picture := schemas.EvidenceUnit{
		Dataset: w.item.Dataset, Modality: schemas.ModalityImage, Media: m.MediaID, Caption: fmt.Sprintf("A picture of a card, titled %q. It reads: %s.", d.Title, strings.TrimPrefix(d.cardText(), d.Title+"; ")), Role: schemas.RoleClue, Time: said.Time,
		Labels: map[string]string{placement.LabelMinimal: "a picture of a card", schemas.LabelAuthor: got.Model, "derived": "depicted"},
	}
	if who := said.Labels[placement.LabelSpeaker]; who != "" {
		picture.Labels[placement.LabelSpeaker] = who
	}
	w.item.Units = slices.Insert(w.item.Units, at+1, picture)
	w.item.Media = append(w.item.Media, m)
	return nil
}

func (w *itemAuthor) unitOfPiece(number int) int {
	n := 0
	return slices.IndexFunc(w.item.Units, func(u schemas.EvidenceUnit) bool {
		if u.Role != schemas.RoleDistractor {
			n++
		}
		return u.Role != schemas.RoleDistractor && n == number
	})
}

func (d Depicted) cardText() string {
	out := []string{d.Title}
	for _, l := range d.Lines {
		out = append(out, l.Name+": "+l.Value)
	}
	return strings.Join(out, "; ")
}

func (w *itemAuthor) checkDepicted(d Depicted) (why refusals) {
	at := w.unitOfPiece(d.Piece)
	if at < 0 || w.item.Units[at].Modality != schemas.ModalityText {
		why.add("piece is %d; give the number of one that was said", d.Piece)
		return why
	}
	old, phrase := w.item.Units[at].Text, strings.TrimSpace(d.Phrase)
	switch {
	case len(answercues.Words(phrase)) == 0 || !answercues.ContainsWords(old, phrase):
		why.add("phrase is %q; give words of piece %d as they stand there", phrase, d.Piece)
	case answercues.ContainsWords(d.Text, phrase):
		why.add("the text still says %q", phrase)
	case !answercues.ContainsWords(d.cardText(), phrase):
		why.add("the card does not show %q, so nobody could tell it any more", phrase)
	}
	if n, most := utf8.RuneCountInString(strings.TrimSpace(d.Text)), utf8.RuneCountInString(old); n < most/3 || n > 2*most+80 {
		why.add("the text has %d characters and the old one %d; change no more of it than you must", n, most)
	}
	if strings.TrimSpace(d.Title) == "" || len(d.Lines) == 0 {
		why.add("the card needs a title and a line or more")
	}
	for _, text := range d.texts() {
		if n := utf8.RuneCountInString(text); n > cardChars {
			why.add("the card has no room for %q: %d characters, at most %d; say it shorter or in two lines", text, n, cardChars)
		}
	}
	for _, l := range d.Lines {
		if strings.TrimSpace(l.Name) == "" || strings.TrimSpace(l.Value) == "" || answercues.HasControl(l.Name+l.Value) {
			why.add("a line of the card is empty or breaks: %q, %q", l.Name, l.Value)
		}
	}
	if a := w.item.Question.AnswerText; answercues.ContainsWords(d.Text, a) || answercues.ContainsWords(d.cardText(), a) {
		why.add("the text or the card repeats the statement, %q", a)
	}
	return why
}

// texts are all that stands on the card.
func (d Depicted) texts() []string {
	out := []string{d.Title}
	for _, l := range d.Lines {
		out = append(out, l.Name, l.Value)
	}
	return out
}

// Sizes of cards, in pixels. A card is at least cardWide and so wide that each half has
// room for the longest name or value, of cardChars characters at most, each of which takes
// charWide at most.
const (
	cardWide, cardHead, cardLine, cardEdge = 460, 110, 36, 18
	cardChars, charWide                    = 48, 14
)

func (w *itemAuthor) drawCard(ctx context.Context, d Depicted) (schemas.Media, error) {
	studio := w.studios.Get().(*draw.Studio)
	defer w.studios.Put(studio)
	rnd := w.scope.Rand("card", w.item.ItemID)
	theme := widget.Light(draw.Hex([]uint32{0x2563eb, 0x14805e, 0xb4442c, 0x7c4dbd}[rnd.IntN(4)]))
	longest := 0
	for _, text := range d.texts() {
		longest = max(longest, utf8.RuneCountInString(text))
	}
	wide, high := max(cardWide, 4*cardEdge+2*charWide*longest), cardHead+cardLine*len(d.Lines)
	c, err := studio.NewCanvas(wide, high, theme.Back)
	if err != nil {
		return schemas.Media{}, err
	}
	var facts [][2]string
	for _, l := range d.Lines {
		facts = append(facts, [2]string{l.Name, l.Value})
	}
	if err := (widget.Card{Title: d.Title, Facts: facts}).Draw(c, theme, draw.PixelBox(cardEdge, cardEdge, wide-2*cardEdge, high-2*cardEdge)); err != nil {
		return schemas.Media{}, err
	}
	for _, text := range d.texts() {
		if !slices.ContainsFunc(c.Marks(), func(m draw.Mark) bool { return m.Text == text }) {
			return schemas.Media{}, pipeline.Reject(codeCard, "the card shows %q cut short", text)
		}
	}
	return c.Store(ctx, w.scope, draw.MimePicture, w.item.License)
}
