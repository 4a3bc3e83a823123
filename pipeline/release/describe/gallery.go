package describe

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"html"
	"html/template"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media/still"
	"github.com/memforge/memforge/schemas"
)

// familyCards is the part of the report about one family.
type familyCards struct {
	Family, Says string
	Questions    int
	Cards        []galleryCard
}

// galleryCard is what the report shows of a question.
type galleryCard struct {
	ID       string // of the figure
	Type     string
	Says     string // what the type asks
	About    string
	Source   template.URL
	Shown    []shownMedium
	Question string
	Answer   string
	Options  []cardOption
	Talks    []talk
	Evidence []cardEvidence
}

// shownMedium is a file of the release, by the path from the report.
type shownMedium struct {
	Path, Caption string
	Video         bool
}

type cardOption struct {
	Text string
	Gold bool
}

// talk is the part of a session around evidence.
type talk struct {
	Head  string
	Turns []talkTurn
}

// talkTurn is a turn. Role is that of the evidence it is, empty where it stands beside some.
type talkTurn struct {
	Role, Who, Text string
	Pictures        []shownMedium
}

// cardEvidence is evidence in words, and where the file of it is, if there is one.
type cardEvidence struct{ Text, Path string }

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

// gallery returns what stands on the cards, by family.
func (rel Release) gallery() (out []familyCards, err error) {
	if len(rel.Cards) == 0 {
		return nil, nil
	}
	r := rel.cardRecords()
	for i, g := range rel.Cards {
		q := r.questions[g.question]
		if q == nil {
			return nil, fmt.Errorf("card %d is of a question that the release does not have", i)
		}
		at := slices.IndexFunc(out, func(f familyCards) bool { return f.Family == q.Family })
		if at < 0 {
			at = len(out)
			out = append(out, familyCards{Family: q.Family, Says: rel.Manifest.Terms[q.Family].Says, Questions: r.count[q.Family]})
		}
		out[at].Cards = append(out[at].Cards, r.fillIn(galleryCard{ID: g.question, Says: rel.saysOfType(q.Type), Source: g.source}, *q))
	}
	return out, nil
}

// cardRecords are the questions of cards, by figure, the turns around their evidence, by
// session and in order, and the media that they show.
type cardRecords struct {
	questions map[string]*schemas.Question
	count     map[string]int // of all questions, by family
	places    map[string]turnPlace
	turns     map[string][]schemas.Turn
	media     map[string]schemas.Media
	path      func(schemas.Media) string
}

// turnPlace is where a turn stands.
type turnPlace struct {
	session string
	order   int32
}

func (rel Release) cardRecords() cardRecords {
	r := cardRecords{map[string]*schemas.Question{}, map[string]int{}, map[string]turnPlace{}, map[string][]schemas.Turn{}, map[string]schemas.Media{}, rel.MediaPath}
	cards, clues, media := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, c := range rel.Cards {
		cards[c.question] = true
	}
	for q := range rel.Questions {
		r.count[q.Family]++
		figure := figureID(q.QuestionID)
		if !cards[figure] {
			continue
		}
		r.questions[figure] = &q
		for _, id := range slices.Concat(q.QuestionMedia, q.Media) {
			media[id] = true
		}
		for _, e := range q.Needed() {
			if e.Kind == schemas.EvidenceTurn {
				clues[e.Ref] = true
			}
			id, _, _ := strings.Cut(cmp.Or(e.Media, e.Ref), "#")
			media[id] = true
		}
	}
	r.readTurns(rel.Turns, clues, media)
	for m := range rel.Media {
		if media[m.MediaID] {
			r.media[m.MediaID] = m
		}
	}
	return r
}

// readTurns keeps the turns that are clues, and one before and after each, and notes the
// media that these show.
func (r cardRecords) readTurns(all iter.Seq[schemas.Turn], clues, media map[string]bool) {
	if all == nil {
		return
	}
	near := map[turnPlace]bool{}
	for t := range all {
		if clues[t.TurnID] {
			r.places[t.TurnID] = turnPlace{t.SessionID, t.Order}
			for order := t.Order - 1; order <= t.Order+1; order++ {
				near[turnPlace{t.SessionID, order}] = true
			}
		}
	}
	for t := range all {
		if !near[turnPlace{t.SessionID, t.Order}] {
			continue
		}
		r.turns[t.SessionID] = append(r.turns[t.SessionID], t)
		for _, a := range t.Attachments {
			media[a.MediaID] = true
		}
	}
	for _, turns := range r.turns {
		slices.SortFunc(turns, func(a, b schemas.Turn) int { return cmp.Compare(a.Order, b.Order) })
	}
}

func mediaCaption(m schemas.Media) string {
	if m.Kind == schemas.ModalityImage {
		return fmt.Sprintf("picture, %d × %d", m.Width, m.Height)
	}
	caption := fmt.Sprintf("%s, %.1f s", cmp.Or(m.Recipe.Layout, m.Kind), m.Duration)
	if n := len(m.Recipe.SwapFrames); n > 0 {
		caption += ", left and right change places " + count(n, "time")
	}
	return caption
}

// Bounds of what a card tells: media, pieces of evidence, and characters of the text of one.
const (
	mostShown  = 4
	mostPieces = 16
	mostText   = 600
)

// fillIn adds a question with its options, the right one marked, what it shows, and its
// evidence: turns with those beside them, else when which medium shows it, or what it says.
func (r cardRecords) fillIn(p galleryCard, q schemas.Question) galleryCard {
	p.Type, p.Question, p.Answer = q.Type, q.Question, cmp.Or(q.AnswerText, q.AnswerCall)
	for _, o := range q.Options {
		p.Options = append(p.Options, cardOption{o.Line(), o.Key == q.AnswerKey})
	}
	needed := q.Needed()
	var more int
	if more = len(needed) - mostPieces; more > 0 {
		needed = needed[:mostPieces]
	}
	var about []string
	media := slices.Concat(q.QuestionMedia, q.Media)
	for i, id := range media {
		m, known := r.media[id]
		if !known || slices.Contains(media[:i], id) {
			continue
		}
		if max(len(p.Shown), len(about)) == mostShown {
			break
		}
		if m.Kind != schemas.ModalityImage {
			about = append(about, mediaCaption(m))
		}
		// What is drawn of the question shows its pictures already.
		if s := r.shown(m, needed); s.Path != "" && (s.Video || p.Source == "") {
			p.Shown = append(p.Shown, s)
		}
	}
	p.About = strings.Join(about, "; ")
	roles := map[turnPlace]string{}
	for _, e := range needed {
		if place, known := r.places[e.Ref]; known && e.Kind == schemas.EvidenceTurn {
			roles[place] = e.Role
			continue
		}
		if said := r.evidence(e, q.Media); !slices.Contains(p.Evidence, said) {
			p.Evidence = append(p.Evidence, said)
		}
	}
	p.Talks = r.talks(roles)
	if more > 0 {
		p.Evidence = append(p.Evidence, cardEvidence{Text: fmt.Sprintf("and %d more", more)})
	}
	return p
}

// shown returns the file of a medium; a video begins where the evidence is.
func (r cardRecords) shown(m schemas.Media, needed []schemas.Evidence) shownMedium {
	s := shownMedium{Caption: mediaCaption(m), Video: m.Kind == schemas.ModalityVideo}
	if r.path == nil {
		return s
	}
	if s.Path = r.path(m); s.Path == "" || !s.Video {
		return s
	}
	for _, e := range needed {
		if id, seconds, timed := strings.Cut(cmp.Or(e.Media, e.Ref), "#"); timed && id == m.MediaID {
			s.Path += "#" + seconds
			break
		}
	}
	return s
}

// talks returns the turns that are evidence, with one before and after each, by session.
func (r cardRecords) talks(roles map[turnPlace]string) (out []talk) {
	sessions := map[string]bool{}
	for place := range roles {
		sessions[place.session] = true
	}
	for _, session := range slices.Sorted(maps.Keys(sessions)) {
		t := talk{Head: session}
		for _, turn := range r.turns[session] {
			place := turnPlace{session, turn.Order}
			role, before, after := roles[place], roles[turnPlace{session, turn.Order - 1}], roles[turnPlace{session, turn.Order + 1}]
			if role+before+after == "" {
				continue
			}
			if len(t.Turns) == 0 && turn.Timestamp != "" {
				t.Head += ", " + strings.Replace(turn.Timestamp[:min(16, len(turn.Timestamp))], "T", " ", 1)
			}
			said := talkTurn{Role: role, Who: cmp.Or(turn.Speaker, turn.Role), Text: shorten(strings.Join(slices.DeleteFunc([]string{turn.Text, turn.Observation, turn.Action, turn.Feedback}, func(s string) bool { return s == "" }), "\n"))}
			for _, a := range turn.Attachments {
				if m, known := r.media[a.MediaID]; known && len(said.Pictures) < mostShown {
					if s := r.shown(m, nil); s.Path != "" {
						said.Pictures = append(said.Pictures, s)
					}
				}
			}
			t.Turns = append(t.Turns, said)
		}
		out = append(out, t)
	}
	return out
}

func shorten(text string) string {
	runes := []rune(text)
	if len(runes) > mostText {
		return string(runes[:mostText]) + "…"
	}
	return text
}

// evidence returns a piece of evidence in words: when which medium shows it, or what it says.
func (r cardRecords) evidence(e schemas.Evidence, shown []string) cardEvidence {
	id, seconds, timed := strings.Cut(cmp.Or(e.Media, e.Ref), "#t=")
	at := slices.Index(shown, id)
	if at < 0 {
		return cardEvidence{Text: e.Role + ": " + cmp.Or(shorten(cmp.Or(e.Text, e.Caption)), e.Ref)}
	}
	m := r.media[id]
	out := cardEvidence{Text: e.Role + ": ", Path: r.shown(m, []schemas.Evidence{e}).Path}
	from, to, ranged := strings.Cut(seconds, ",")
	switch {
	case timed && ranged:
		out.Text += fmt.Sprintf("%s to %s s", from, to)
	case m.Kind == schemas.ModalityImage:
		out.Text += "the picture"
	default:
		out.Text += "the whole video"
	}
	if len(shown) > 1 {
		out.Text += fmt.Sprintf(" (%d of %d)", at+1, len(shown))
	}
	return out
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
