package describe

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media/still"
	"github.com/memforge/memforge/schemas"
)

// galleryCard is what the report shows of a card.
type galleryCard struct {
	ID       string // of the figure
	Caption  string
	Source   template.URL
	Question string
	Answer   string
	Options  []cardOption
	Evidence []string
}

type cardOption struct {
	Text string
	Gold bool
}

// Card is a card of the report: a question by the digest of its id, and perhaps a picture,
// as an address that pictureSource made.
type Card struct {
	question string
	source   template.URL
}

// NewCard makes the card of a question. The picture is one PNG and nothing else, or empty.
func NewCard(question string, png []byte) (Card, error) {
	return Card{question: figureID(question)}.WithPicture(png)
}

// WithPicture returns the card with another picture.
func (c Card) WithPicture(png []byte) (_ Card, err error) {
	c.source = ""
	if len(png) > 0 {
		c.source, err = pictureSource(png)
	}
	return c, err
}

// figureID returns the id of a card's figure: ids of questions may hold anything.
func figureID(question string) string { return string(pipeline.DigestOf([]byte(question))) }

// ReleasedCards returns the cards of these questions.
func ReleasedCards(cards []Card, questions []schemas.Question) []Card {
	known := map[string]bool{}
	for _, q := range questions {
		known[figureID(q.QuestionID)] = true
	}
	return slices.DeleteFunc(slices.Clone(cards), func(c Card) bool { return !known[c.question] })
}

// pictures returns what stands on the cards.
func (rel Release) pictures() (out []galleryCard, err error) {
	if len(rel.Cards) == 0 {
		return nil, nil
	}
	questions, media := rel.cardRecords()
	for i, g := range rel.Cards {
		q := questions[g.question]
		if q == nil {
			return nil, fmt.Errorf("card %d is of a question that the release does not have", i)
		}
		p := galleryCard{ID: g.question, Source: g.source}
		p.fillIn(*q, media)
		out = append(out, p)
	}
	return out, nil
}

// cardRecords returns the questions of cards, by figure, and the media that they show.
func (rel Release) cardRecords() (questions map[string]*schemas.Question, media map[string]schemas.Media) {
	questions, media = map[string]*schemas.Question{}, map[string]schemas.Media{}
	wanted := map[string]bool{}
	for q := range rel.Questions {
		figure := figureID(q.QuestionID)
		if !slices.ContainsFunc(rel.Cards, func(card Card) bool { return card.question == figure }) {
			continue
		}
		questions[figure] = &q
		for _, id := range q.Media {
			wanted[id] = true
		}
		for _, e := range q.Evidence {
			for _, ref := range []string{e.Ref, e.Media} {
				id, _, _ := strings.Cut(ref, "#")
				wanted[id] = true
			}
		}
	}
	for m := range rel.Media {
		if wanted[m.MediaID] {
			media[m.MediaID] = m
		}
	}
	return questions, media
}

func mediaCaption(m schemas.Media) string {
	caption := fmt.Sprintf("%s, %.1f s, %d frames", cmp.Or(m.Recipe.Layout, m.Kind), m.Duration, m.Frames)
	if n := len(m.Recipe.SwapFrames); n > 0 {
		caption += fmt.Sprintf(", %d exchanges of sides", n)
	}
	return caption
}

// Bounds of what a card tells of evidence: pieces, and characters of the text of one.
const (
	mostPieces = 8
	mostText   = 240
)

// fillIn adds a question with its options, the right one marked, and its evidence.
func (p *galleryCard) fillIn(q schemas.Question, media map[string]schemas.Media) {
	p.Question, p.Answer = q.Question, cmp.Or(q.AnswerText, q.AnswerCall)
	for _, o := range q.Options {
		p.Options = append(p.Options, cardOption{o.Line(), o.Key == q.AnswerKey})
	}
	about := []string{q.Family, q.Type}
	for _, id := range q.Media {
		if m, there := media[id]; there {
			about = append(about, mediaCaption(m))
		}
	}
	p.Caption = strings.Join(about, ", ")
	needed := q.Needed()
	for i, e := range needed {
		if i == mostPieces {
			p.Evidence = append(p.Evidence, fmt.Sprintf("and %d more", len(needed)-i))
			break
		}
		p.Evidence = append(p.Evidence, evidenceText(e, q.Media))
	}
	p.Evidence = slices.Compact(p.Evidence)
}

// evidenceText returns a piece of evidence in words: when which medium shows it, or what
// it says.
func evidenceText(e schemas.Evidence, shown []string) string {
	id, seconds, timed := strings.Cut(cmp.Or(e.Media, e.Ref), "#t=")
	at := slices.Index(shown, id)
	if at < 0 {
		text := []rune(cmp.Or(e.Text, e.Caption))
		if len(text) > mostText {
			text = append(text[:mostText], '…')
		}
		return e.Role + ": " + cmp.Or(string(text), e.Ref)
	}
	what := e.Role
	if len(shown) > 1 {
		what += fmt.Sprintf(", medium %d", at+1)
	}
	from, to, ranged := strings.Cut(seconds, ",")
	if !timed || !ranged {
		return what + ": the whole"
	}
	return fmt.Sprintf("%s: %s to %s s", what, from, to)
}

// galleryFigure matches a card up to the source of its picture. The source is matched by
// hand: an expression is slow over megabytes.
var galleryFigure = regexp.MustCompile(`<figure id="question-([0-9a-f]{64})">(<img src=")?`)

// CardsIn returns the cards in a report, each question once, with the pictures that stand
// there as far as they are such. Nothing derives pictures; all else in a report must follow
// from tables.
func CardsIn(report []byte) []Card {
	var out []Card
	seen := map[string]bool{}
	for _, at := range galleryFigure.FindAllSubmatchIndex(report, -1) {
		id := string(report[at[2]:at[3]])
		if seen[id] {
			continue
		}
		seen[id] = true
		var source template.URL
		if at[4] >= 0 {
			if text, _, whole := bytes.Cut(report[at[1]:], []byte(`"`)); whole {
				source = parsePictureSource(string(text))
			}
		}
		out = append(out, Card{id, source})
	}
	return out
}

const maxPixels = 1 << 26

const pngSource = "data:image/png;base64,"

// pictureSource returns a picture as an address that holds all of it. Only bytes that
// are one PNG and nothing else become one, so that the address's type is true and
// nothing travels within or behind a picture.
func pictureSource(data []byte) (template.URL, error) {
	if err := still.CheckPlainPNG(data, maxPixels); err != nil {
		return "", err
	}
	return template.URL(pngSource + base64.StdEncoding.EncodeToString(data)), nil
}

// parsePictureSource returns the address in the text of an attribute, as pictureSource
// writes it, or nothing.
func parsePictureSource(attribute string) template.URL {
	text, found := strings.CutPrefix(html.UnescapeString(attribute), pngSource)
	data, err := base64.StdEncoding.DecodeString(text)
	if !found || err != nil {
		return ""
	}
	source, err := pictureSource(data)
	if err != nil {
		return ""
	}
	return source
}
