// Package defects makes questions of which it is known what is wrong with them,
// to measure gates by: clean ones, and ones with exactly one defect. They are
// about parcels, each of one colour and one form, told in notes, drawn in
// pictures and shown in a film. What a picture shows stands in its pixels and
// nowhere else, so a model that is not sent it cannot know.
//
// The package also has the panel that can answer them, Solve and Supported: it
// knows the prompt it is sent and nothing of the item.
package defects

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"math/rand/v2"

	"github.com/memforge/memforge/schemas"
)

// The forms of items: how their evidence hangs together. They are the types of
// the questions as well.
const (
	// Single has one piece: a picture, and a text that says whose it is (Y1).
	Single = "parcel_single"
	// Film is Single with a span of a film that shows the colour first and the
	// form later, and no text (Y1).
	Film = "parcel_film"
	// Joined has two or three pieces of different sources, each needed (Y2).
	Joined = "parcel_joined"
	// Evolving has a piece and an update of a part of it from another source
	// (Y3).
	Evolving = "parcel_evolving"
)

// Item is one question and what is known of it.
type Item struct {
	Question schemas.Question
	Form     string
	// Defect is what is wrong with it; empty when it is clean.
	Defect string
}

// Set is a set of items and what their evidence shows.
type Set struct {
	Items []Item
	// Pictures are PNGs; the items name them by their SHA-256.
	Pictures [][]byte
	// Shots are what the film shows, each for ShotFrames frames.
	Shots []*image.RGBA
}

// The film has 25 frames a second. Every film item is about two shots.
const (
	FPS        = 25
	ShotFrames = 12
)

// Size says how many items a set has: Clean ones of each form but Film, clean
// ones of Film, and so many of each defect.
type Size struct{ Clean, Film, Defect int }

// NewSet makes a set. Equal seeds give equal sets; film items have no medium
// before SetFilm.
func NewSet(seed uint64, size Size) (*Set, error) {
	m := &maker{rnd: rand.New(rand.NewPCG(seed, 0x70617263656c)), set: &Set{}}
	for _, f := range []string{Single, Film, Joined, Evolving} {
		n := size.Clean
		if f == Film {
			n = size.Film
		}
		for i := range n {
			m.add(m.draft(f, i), "")
		}
	}
	for _, d := range Defects() {
		for i := range size.Defect {
			form := d.forms[i%len(d.forms)]
			it := m.draft(form, i/len(d.forms))
			d.plant(m, it)
			m.add(it, d.Name)
		}
	}
	return m.set, m.err
}

// SetFilm gives the film items their medium, by the id of the encoded film.
func (s *Set) SetFilm(id string) {
	for i := range s.Items {
		it := &s.Items[i]
		if it.Form != Film {
			continue
		}
		it.Question.Evidence[0].Media = id + it.Question.Evidence[0].Media
		it.Question.Media = []string{id}
	}
}

// maker makes one set.
type maker struct {
	rnd *rand.Rand
	set *Set
	err error
}

// draft is an item in the making: the look that is right and the values that
// the wrong options have in place of its own.
type draft struct {
	q           schemas.Question
	form        string
	owner       string
	look, wrong Look
	// options are texts, the first one right.
	options []string
}

func (m *maker) draft(form string, n int) *draft {
	c, f := m.rnd.Perm(len(colours)), m.rnd.Perm(len(forms))
	parcel := 1000 + 7*len(m.set.Items) + m.rnd.IntN(7)
	d := &draft{
		form: form, owner: owners[m.rnd.IntN(len(owners))],
		look:  Look{parcel, colours[c[0]], forms[f[0]]},
		wrong: Look{parcel, colours[c[1]], forms[f[1]]},
	}
	d.options = d.square()
	d.q.Question = fmt.Sprintf("What does the parcel that %s sent look like now?", d.owner)
	d.q.Labels = map[string]string{}
	m.evidence(d, n)
	return d
}

// words of a look, as an option has them.
func words(l Look) string { return l.Colour + " " + l.Form }

// square lists the options that mix the right and the wrong values: knowing one
// of the two properties leaves two.
func (d *draft) square() []string {
	return []string{
		words(d.look), words(Look{0, d.look.Colour, d.wrong.Form}),
		words(Look{0, d.wrong.Colour, d.look.Form}), words(d.wrong),
	}
}

// add completes a draft and adds it.
func (m *maker) add(d *draft, defect string) {
	q, n := &d.q, len(m.set.Items)
	q.QuestionID, q.TaskID = fmt.Sprintf("p%04d", n), fmt.Sprintf("t%04d", n)
	q.Family, q.Type, q.Split = "planted", d.form, "test"
	places := m.rnd.Perm(len(d.options))
	q.Options = make([]schemas.Option, len(d.options))
	for i, text := range d.options {
		role := schemas.RoleDistractor
		if i == 0 {
			role = schemas.RoleCorrect
		}
		at := places[i]
		q.Options[at] = schemas.Option{Key: schemas.Letter(at), Text: text, Role: role}
	}
	q.QuestionMCQ = schemas.MCQ(q.Question, q.Options)
	right := q.Options[places[0]]
	q.AnswerKey, q.AnswerText = right.Key, right.Text
	for i := range q.Evidence {
		q.Evidence[i].Ref = fmt.Sprintf("turn-%04d-%d", n, i+1)
	}
	m.set.Items = append(m.set.Items, Item{*q, d.form, defect})
}

// picture draws and keeps a picture and returns its id.
func (m *maker) picture(img image.Image) string {
	b, err := encodePNG(img)
	if err != nil {
		m.err = err
		return ""
	}
	m.set.Pictures = append(m.set.Pictures, b)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
