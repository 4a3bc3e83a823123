package defects

import (
	"fmt"
	"image"
	"image/draw"
	"math/rand/v2"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Streams show two parcels whose looks change from shot to shot, as composed
// videos show two videos: Halves shows them in turn, Sides next to each other
// with exchanges. Questions are about where a look is seen, or which parcel has
// it; of some looks it is neither.
const (
	Halves = "stream_halves"
	Sides  = "stream_sides"
)

// Stream is a film of two parcels and what is asked about it.
type Stream struct {
	// Layout is Halves or Sides.
	Layout string
	Shots  []*image.RGBA
	Items  []Item
}

// Where a look is seen, and the answers to which parcel has it.
const (
	inFirst  = "in the first half"
	inSecond = "in the second half"
	onLeft   = "on the left"
	onRight  = "on the right"
	neither  = "neither of them"
)

// streamShots is how many shots a stream has.
const streamShots = 14

// streamer makes one stream.
type streamer struct {
	rnd     *rand.Rand
	layout  string
	parcels [2]int
	// shots are what is seen at each: one look, or two from left to right.
	shots [][]Look
}

// NewStream makes a stream with so many sound questions about places and so many
// about looks that neither parcel ever has, and as many of either of which the
// gold is wrong.
func NewStream(seed uint64, layout string, places, absences int) Stream {
	s := streamer{rnd: rand.New(rand.NewPCG(seed, 0x73747265616d)), layout: layout, parcels: [2]int{2001, 3002}}
	c, f := s.rnd.Perm(len(colours)), s.rnd.Perm(len(forms))
	swapped := false
	for i := range streamShots {
		swapped = swapped != (i%3 == 2)
		shot := []Look{{s.parcels[i%2], colours[c[i]], forms[f[i]]}}
		if layout == Sides {
			shot = []Look{{s.parcels[0], colours[c[i]], forms[f[i]]}, {s.parcels[1], colours[c[(i+5)%streamShots]], forms[f[(i+9)%streamShots]]}}
			if swapped {
				shot[0], shot[1] = shot[1], shot[0]
			}
		}
		s.shots = append(s.shots, shot)
	}
	out := Stream{Layout: layout}
	for _, shot := range s.shots {
		out.Shots = append(out.Shots, wide(shot))
	}
	for i := range 2 * places {
		out.Items = append(out.Items, s.place(i, i >= places))
	}
	for i := range 2 * absences {
		out.Items = append(out.Items, s.absence(i, i >= absences))
	}
	return out
}

// wide draws looks next to each other.
func wide(looks []Look) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, len(looks)*Width, Height))
	for i, l := range looks {
		draw.Draw(out, image.Rect(i*Width, 0, (i+1)*Width, Height), Draw(l), image.Point{}, draw.Src)
	}
	return out
}

const shotSeconds = float64(ShotFrames) / FPS

// setting is what there is to know of the whole.
func (s streamer) setting() string {
	total := shotSeconds * streamShots
	return fmt.Sprintf("The whole video lasts %.2f s, so its second half begins at %.2f s.", total, total/2)
}

// place asks which parcel has a look, and where that is seen. Of a wrong one the
// gold is another option.
func (s streamer) place(i int, wrong bool) Item {
	at := (3*i + 1) % streamShots
	side := i % len(s.shots[at])
	look := s.shots[at][side]
	places := [2]string{inFirst, inSecond}
	here := at / (streamShots / 2)
	if s.layout == Sides {
		places, here = [2]string{onLeft, onRight}, side
	}
	var options []string
	gold := 0
	for _, parcel := range s.parcels {
		for n, p := range places {
			if parcel == look.Parcel && n == here {
				gold = len(options)
			}
			options = append(options, fmt.Sprintf("parcel %d, %s", parcel, p))
		}
	}
	if wrong {
		gold = (gold + 1 + i%3) % len(options)
	}
	it := s.item(fmt.Sprintf("place%d", i), fmt.Sprintf("Once a parcel looks %s: which one is it, and where is that seen?", words(look)), options, gold, wrong)
	it.Question.Evidence = []schemas.Evidence{{
		Kind: "media", Ref: fmt.Sprintf("#t=%.2f,%.2f", shotSeconds*float64(at), shotSeconds*float64(at+1)), Role: schemas.RoleClue,
		SourceID: "planted", Order: 1, Modality: schemas.ModalityVideo, MinimalCaption: "A film of a parcel.",
	}}
	return it
}

// absence asks which parcel has a look that neither has. Of a wrong one some
// parcel has it.
func (s streamer) absence(i int, wrong bool) Item {
	look := Look{0, s.shots[i][0].Colour, s.shots[(i+1)%streamShots][0].Form}
	if wrong {
		look = s.shots[(4*i+2)%streamShots][0]
	}
	options := []string{fmt.Sprintf("only parcel %d", s.parcels[0]), fmt.Sprintf("only parcel %d", s.parcels[1]), "both of them", neither}
	it := s.item(fmt.Sprintf("absence%d", i), fmt.Sprintf("Once a parcel looks %s: which of the two does?", words(look)), options, 3, wrong)
	it.Question.Evidence = []schemas.Evidence{{
		Kind: "media", Role: schemas.RoleAbsence, SourceID: "planted", Order: 1, Modality: schemas.ModalityVideo, MinimalCaption: "A film of parcels.",
	}}
	return it
}

func (s streamer) item(id, question string, options []string, gold int, wrong bool) Item {
	q := schemas.Question{
		QuestionID: s.layout + "-" + id, TaskID: "t-" + s.layout, Family: "planted", Type: s.layout, Split: "test",
		Question: question, QuestionMCQ: question + "\n" + strings.Join(options, "\n"), Labels: map[string]string{}, Setting: s.setting(),
	}
	for i, text := range options {
		role := schemas.RoleDistractor
		if i == gold {
			role = schemas.RoleCorrect
		}
		q.Options = append(q.Options, schemas.Option{Key: schemas.Letter(i), Text: text, Role: role})
	}
	q.AnswerKey, q.AnswerText = q.Options[gold].Key, options[gold]
	it := Item{Question: q, Form: s.layout}
	if wrong {
		it.Defect = "wrong gold"
	}
	return it
}

// SetFilm gives the items their medium, by the id of the encoded film.
func (s *Stream) SetFilm(id string) {
	for i := range s.Items {
		q := &s.Items[i].Question
		q.Media = []string{id}
		q.Evidence[0].Ref = id + q.Evidence[0].Ref
	}
}
