package defects

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// Leak is what can be wrong with a question that pictures must decide (MemEye A.4).
type Leak struct {
	Name, Summary string
	forms         []string
	plant         func(*maker, *draft)
}

// The leaks by name.
const (
	GoldInWords   = "gold-in-words"
	GoldInSayings = "gold-in-sayings"
	GoldInCaption = "gold-in-caption"
	GoldInStyle   = "gold-in-style"
	StaleShows    = "stale-shows"
	HighY2        = "y1-labelled-y2"
	HighY3        = "y2-labelled-y3"
	LowY1         = "y2-labelled-y1"
	LowY2         = "y3-labelled-y2"
	TwoTrue       = "two-true"
)

// Leaks lists those that stand in a single question.
func Leaks() []Leak {
	all := []string{Single, Joined, Evolving}
	return []Leak{
		{GoldInWords, "a text has a word that the right option alone has", all, (*maker).sayWord},
		{GoldInSayings, "the texts say what the pictures show, in words that several options share", all, (*maker).leakText},
		{GoldInCaption, "the minimal captions say what the pictures show", all, (*maker).leakCaption},
		{GoldInStyle, "the wrong options are of a kind that nothing can be", all, (*maker).leakOption},
		{StaleShows, "an outdated picture shows the answer", []string{Evolving}, (*maker).showStale},
		{HighY2, "one picture suffices, labelled Y2", []string{Joined}, (*maker).showAllTwice},
		{HighY3, "pictures add up and none is overridden, labelled Y3", []string{Joined}, (*maker).callEvolving},
		{LowY1, "it takes two pictures, labelled Y1", []string{Joined}, (*maker).callSingle},
		{LowY2, "an update overrides a picture, labelled Y2", []string{Evolving}, (*maker).callJoined},
		{TwoTrue, "two options are true", all, (*maker).twoRight},
	}
}

// NewPictureSet makes a set in which pictures decide and nothing else: no turn says what a
// picture shows. It has so many clean items of each form, one picture (Single), two that
// add up (Joined) and one that is overridden (Evolving), and so many of each leak.
func NewPictureSet(seed uint64, clean, leaky int) (*Set, error) {
	m := &maker{rnd: rand.New(rand.NewPCG(seed, 0x67616c6c657279)), set: &Set{}}
	for _, form := range []string{Single, Joined, Evolving} {
		for range clean {
			m.add(m.pictured(form), "")
		}
	}
	for _, l := range Leaks() {
		for i := range leaky {
			d := m.pictured(l.forms[i%len(l.forms)])
			l.plant(m, d)
			m.add(d, l.Name)
		}
	}
	return m.set, m.err
}

// pictured is a draft whose evidence is pictures.
func (m *maker) pictured(shape string) *draft {
	d := m.draft(shape, 0)
	d.q.Question = byNumber(d.look)
	d.q.Evidence, d.q.Media = nil, nil
	switch shape {
	case Single:
		m.photo(d, schemas.RoleClue, album, m.chat(), d.look)
	case Joined:
		m.photo(d, schemas.RoleClue, album, m.chat(), d.look.only(colour))
		m.photo(d, schemas.RoleClue, desk, m.chat(), d.look.only(form))
	default:
		m.photo(d, schemas.RoleSuperseded, album, m.chat(), Look{d.look.Parcel, d.wrong.Colour, d.look.Form})
		m.photo(d, schemas.RoleUpdate, desk, m.chat(), d.look.only(colour))
	}
	return d
}

// sayWord has an option that shares no word with another, and a text with its form.
func (m *maker) sayWord(d *draft) {
	c, f := m.others(colours, d.look.Colour), m.others(forms, d.look.Form)
	for i := 1; i < 4; i++ {
		d.options[i] = words(Look{0, c[i], f[i]})
	}
	d.q.Evidence[0].Text += fmt.Sprintf(" I never liked a %s.", d.look.Form)
}

// others are all words but one, in random order.
func (m *maker) others(all []string, but string) []string {
	out := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return w == but })
	m.rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func (m *maker) showStale(d *draft) {
	d.q.Evidence, d.q.Media = nil, nil
	m.photo(d, schemas.RoleSuperseded, album, m.chat(), d.look)
	m.photo(d, schemas.RoleUpdate, desk, m.chat(), d.look.only(colour))
}

func (m *maker) showAllTwice(d *draft) {
	d.q.Evidence, d.q.Media = nil, nil
	m.photo(d, schemas.RoleClue, album, m.chat(), d.look)
	m.photo(d, schemas.RoleClue, desk, m.chat(), d.look.only(colour))
}

func (m *maker) callJoined(d *draft) { d.q.Labels[schemas.LabelReasoning] = schemas.ReasonJoined }

// OrderedQuestions makes questions which of four pictures shows something: so many of a type in
// which the right one stands anywhere, and so many of one in which it is the first that
// was sent.
func OrderedQuestions(seed uint64, facts int) (qs []schemas.Question, leaky []bool) {
	rnd := rand.New(rand.NewPCG(seed, 0x6f72646572))
	names := []string{"the first picture", "the second picture", "the third picture", "the fourth picture"}
	for i := range 2 * facts {
		typ, at := "parcel_which", rnd.IntN(len(names))
		if i >= facts {
			typ, at = "parcel_which_ordered", 0
		}
		q := schemas.Question{
			QuestionID: fmt.Sprintf("%s-%04d", typ, i), TaskID: fmt.Sprintf("t%04d", i), Family: "planted", Type: typ, Split: "test",
			Question: fmt.Sprintf("Which picture shows the %s %s of hall %d?", colours[rnd.IntN(len(colours))], forms[rnd.IntN(len(forms))], rnd.IntN(1e6)),
			Labels:   map[string]string{schemas.LabelFact: fmt.Sprintf("%s-%04d", typ, i)}, Media: []string{randomMediaID(rnd), randomMediaID(rnd), randomMediaID(rnd), randomMediaID(rnd)},
		}
		places := rnd.Perm(len(names))
		q.Options = make([]schemas.Option, len(names))
		for n, name := range names {
			role := schemas.RoleDistractor
			if n == at {
				role = schemas.RoleCorrect
				q.AnswerKey, q.AnswerText = schemas.Letter(places[n]), name
			}
			q.Options[places[n]] = schemas.Option{Key: schemas.Letter(places[n]), Text: name, Role: role}
		}
		q.QuestionMCQ = schemas.MCQ(q.Question, q.Options)
		qs, leaky = append(qs, q), append(leaky, i >= facts)
	}
	return qs, leaky
}
