package defects

import (
	"fmt"

	"github.com/memforge/memforge/schemas"
)

// Defect is one thing that can be wrong with an item.
type Defect struct {
	Name, Summary string
	forms         []string
	plant         func(*maker, *draft)
}

// The defects by name.
const (
	OptionLeak       = "option-leak"
	TextLeak         = "text-leak"
	CaptionLeak      = "caption-leak"
	Unsolvable       = "unsolvable"
	TwoRightOptions  = "two-right-options"
	OpenEvidence     = "open-evidence"
	WrongGold        = "wrong-gold"
	Ungrounded       = "ungrounded"
	Redundant        = "redundant-evidence"
	SingleSufficient = "single-sufficient"
	AnsweredAlone    = "answered-alone"
	NoSingle         = "no-single"
	OneModality      = "one-modality"
	OneSourceEnough  = "one-source-enough"
	OneSourceOnly    = "one-source-only"
	StaleGold        = "stale-gold"
	NoOverride       = "no-override"
	UpdateFirst      = "update-first"
	UpdateAlone      = "update-alone"
	SingleFrame      = "single-frame"
)

// Defects lists all that can be planted.
func Defects() []Defect {
	all := []string{Single, Joined, Evolving}
	return []Defect{
		{OptionLeak, "only the right option can be true of any parcel", all, (*maker).leakOption},
		{TextLeak, "the text beside the picture tells what the picture shows", all, (*maker).leakText},
		{CaptionLeak, "the minimal caption tells what the picture shows", all, (*maker).leakCaption},
		{Unsolvable, "the picture shows nothing", all, (*maker).blur},
		{TwoRightOptions, "two options say the same and are both right", all, (*maker).twoRight},
		{OpenEvidence, "the evidence leaves two answers open", []string{Joined}, (*maker).leaveOpen},
		{WrongGold, "the option marked as right is wrong", all, (*maker).wrongGold},
		{Ungrounded, "half of the right answer is said nowhere, but no other option fits", []string{Single}, (*maker).unground},
		{Redundant, "a piece of evidence says again what another one says", []string{Joined}, (*maker).repeat},
		{SingleSufficient, "it counts as joined, and one piece says everything", []string{Joined}, (*maker).sufficient},
		{AnsweredAlone, "the options leave one thing to find out, and one piece says that", []string{Joined}, (*maker).halve},
		{NoSingle, "it counts as answered by one piece, and takes two", []string{Joined}, (*maker).callSingle},
		{OneModality, "the pictures alone say everything", []string{Joined}, (*maker).drawAll},
		{OneSourceEnough, "one of its sources says everything", []string{Joined}, (*maker).gather},
		{OneSourceOnly, "all its pieces are from one source", []string{Joined}, (*maker).oneSource},
		{StaleGold, "the update changes nothing, what it overrides is the answer", []string{Evolving}, (*maker).keepStale},
		{NoOverride, "it counts as evolving, and nothing is overridden", []string{Joined}, (*maker).callEvolving},
		{UpdateFirst, "the update stands before what it should override", []string{Evolving}, (*maker).updateFirst},
		{UpdateAlone, "the update says everything", []string{Evolving}, (*maker).wholeUpdate},
		{SingleFrame, "every picture of the film shows everything", []string{Film}, (*maker).stillFilm},
	}
}

func (m *maker) leakOption(d *draft) {
	at := m.rnd.Perm(len(nonsense))
	for i := 1; i < 4; i++ {
		d.options[i] = nonsense[at[2*i-2]] + " " + nonsense[at[2*i-1]]
	}
}

// lastPictured is the last piece with a picture.
func (d *draft) lastPictured() *schemas.Evidence {
	var last *schemas.Evidence
	d.eachPictured(func(e *schemas.Evidence) { last = e })
	return last
}

// eachPictured visits the pieces with pictures.
func (d *draft) eachPictured(visit func(e *schemas.Evidence)) {
	for i := range d.q.Evidence {
		if e := &d.q.Evidence[i]; e.Media != "" {
			visit(e)
		}
	}
}

// captionClaim is what the caption tells of the picture.
func captionClaim(e *schemas.Evidence) string { return e.Caption[len("A photo of a parcel. "):] }

func (m *maker) leakText(d *draft) {
	d.eachPictured(func(e *schemas.Evidence) { e.Text += " " + captionClaim(e) })
}

func (m *maker) leakCaption(d *draft) {
	d.eachPictured(func(e *schemas.Evidence) { e.MinimalCaption += " " + captionClaim(e) })
}

// replace puts another picture in the place of the one of a piece.
func (m *maker) replace(d *draft, e *schemas.Evidence, id, caption string) {
	for i, known := range d.q.Media {
		if known == e.Media {
			d.q.Media[i] = id
		}
	}
	e.Media, e.Caption = id, caption
}

func (m *maker) blur(d *draft) {
	e := d.lastPictured()
	m.replace(d, e, m.picture(Blurred(len(m.set.Pictures))), "A blurred photo.")
}

func (m *maker) twoRight(d *draft) {
	d.options[3] = d.look.Form + ", " + d.look.Colour
}

func (m *maker) leaveOpen(d *draft) {
	both := fmt.Sprintf("Parcel %d is %s or %s.", d.look.Parcel, d.look.Colour, d.wrong.Colour)
	d.q.Evidence, d.q.Media = nil, nil
	m.note(d, schemas.RoleClue, chat, sent(d.owner, d.look.Parcel)+" "+both)
	m.photo(d, schemas.RoleClue, album, m.chat(), d.look.only(form))
}

// wrongGold makes a wrong form the right one: what an evolving item shows last
// and what it showed before are both of the other form.
func (m *maker) wrongGold(d *draft) {
	d.options[0], d.options[1] = d.options[1], d.options[0]
}

// oneForm gives all options the same form.
func (m *maker) oneForm(d *draft) {
	at := m.rnd.Perm(len(colours))
	for i := 1; i < 4; at = at[1:] {
		if c := colours[at[0]]; c != d.look.Colour {
			d.options[i] = words(Look{0, c, d.look.Form})
			i++
		}
	}
}

func (m *maker) unground(d *draft) {
	m.oneForm(d)
	e := d.lastPictured()
	m.replace(d, e, m.picture(Draw(d.look.only(colour))), "A photo of a parcel. "+d.look.only(colour).Sentences())
}

func (m *maker) repeat(d *draft) {
	d.q.Evidence, d.q.Media = nil, nil
	m.joined(d, 0)
	m.note(d, schemas.RoleClue, chat, m.chat()+" "+d.look.only(colour).Sentences())
}

func (m *maker) sufficient(d *draft) {
	d.q.Evidence, d.q.Media = nil, nil
	m.note(d, schemas.RoleClue, chat, sent(d.owner, d.look.Parcel)+" "+d.look.only(colour).Sentences())
	m.photo(d, schemas.RoleClue, album, sent(d.owner, d.look.Parcel), d.look)
}

// halve has no label: what kind of reasoning it would take is another matter.
func (m *maker) halve(d *draft) {
	m.oneForm(d)
	d.q.Evidence, d.q.Media = nil, nil
	m.joined(d, 1)
	delete(d.q.Labels, schemas.LabelReasoning)
}

func (m *maker) callSingle(d *draft) { d.q.Labels[schemas.LabelReasoning] = schemas.ReasonSingle }

func (m *maker) drawAll(d *draft) {
	d.q.Question = byNumber(d.look)
	d.q.Evidence, d.q.Media = nil, nil
	m.photo(d, schemas.RoleClue, chat, d.look.only(colour).Sentences(), d.look.only(colour))
	m.photo(d, schemas.RoleClue, album, m.chat(), d.look.only(form))
}

func (m *maker) gather(d *draft) {
	d.q.Evidence, d.q.Media = nil, nil
	m.joined(d, 0)
	d.q.Evidence[1].SessionID = chat
	m.note(d, schemas.RoleClue, album, m.chat()+" "+d.look.only(colour).Sentences())
}

func (m *maker) oneSource(d *draft) {
	for i := range d.q.Evidence {
		d.q.Evidence[i].SessionID = chat
	}
}

func (m *maker) keepStale(d *draft) {
	d.q.Evidence, d.q.Media = nil, nil
	m.photo(d, schemas.RoleSuperseded, album, sent(d.owner, d.look.Parcel), d.look)
	m.note(d, schemas.RoleUpdate, chat, fmt.Sprintf("Parcel %d is now %s.", d.look.Parcel, d.look.Colour))
}

func (m *maker) callEvolving(d *draft) { d.q.Labels[schemas.LabelReasoning] = schemas.ReasonEvolving }

func (m *maker) updateFirst(d *draft) {
	d.q.Evidence[0].Order, d.q.Evidence[1].Order = 2, 1
}

func (m *maker) wholeUpdate(d *draft) {
	d.q.Evidence, d.q.Media = nil, nil
	before := Look{d.look.Parcel, d.wrong.Colour, d.look.Form}
	m.note(d, schemas.RoleSuperseded, chat, sent(d.owner, d.look.Parcel)+" "+before.Sentences())
	m.photo(d, schemas.RoleUpdate, album, sent(d.owner, d.look.Parcel), d.look)
}

func (m *maker) stillFilm(d *draft) {
	d.q.Evidence = nil
	m.set.Shots = m.set.Shots[:len(m.set.Shots)-2]
	m.span(d, d.look, d.look)
}
