package defects

import (
	"fmt"

	"github.com/memforge/memforge/schemas"
)

// owners send parcels.
var owners = []string{"Ines", "Jonas", "Mira", "Tarek", "Yuki", "Olga", "Pavel", "Chidi", "Rosa", "Sven", "Leila", "Marco"}

// chatter says nothing about parcels.
var chatter = []string{
	"It came with the first van.", "The scale was free at last.", "I had to move the ladder first.",
	"Nobody was at the counter.", "The light in the hall flickers again.", "We close earlier on Fridays.",
}

// The sources of evidence.
const (
	chat  = "chat"
	album = "album"
	desk  = "desk"
)

// evidence gives a draft the evidence of its form; n varies it.
func (m *maker) evidence(d *draft, n int) {
	switch d.form {
	case Single:
		d.q.Labels[schemas.LabelReasoning] = schemas.ReasonSingle
		m.photo(d, schemas.RoleClue, album, sent(d.owner, d.look.Parcel), d.look)
	case Film:
		d.q.Labels[schemas.LabelReasoning] = schemas.ReasonSingle
		d.q.Question = byNumber(d.look)
		m.span(d, d.look.only(colour), d.look.only(form))
	case Joined:
		d.q.Labels[schemas.LabelReasoning] = schemas.ReasonJoined
		m.joined(d, n%3)
	case Evolving:
		d.q.Labels[schemas.LabelReasoning] = schemas.ReasonEvolving
		m.evolving(d, n%2)
	}
}

// byNumber asks without making anybody find out which parcel it is.
func byNumber(l Look) string {
	return fmt.Sprintf("What does parcel %d look like now?", l.Parcel)
}

// only leaves one property of a look.
func (l Look) only(property string) Look {
	if property == colour {
		return Look{l.Parcel, l.Colour, ""}
	}
	return Look{l.Parcel, "", l.Form}
}

// joined spreads what is needed: whose parcel it is, its colour, its form.
func (m *maker) joined(d *draft, variant int) {
	whose := sent(d.owner, d.look.Parcel)
	switch variant {
	case 0:
		m.note(d, schemas.RoleClue, chat, whose+" "+d.look.only(colour).Sentences())
		m.photo(d, schemas.RoleClue, album, m.chat(), d.look.only(form))
	case 1:
		m.photo(d, schemas.RoleClue, album, whose, d.look.only(colour))
		m.note(d, schemas.RoleClue, chat, d.look.only(form).Sentences())
	default:
		m.note(d, schemas.RoleClue, chat, whose)
		m.photo(d, schemas.RoleClue, album, m.chat(), d.look.only(colour))
		m.photo(d, schemas.RoleClue, desk, m.chat(), d.look.only(form))
	}
}

// evolving tells a look of another colour first and the right colour later. The
// update alone has no form.
func (m *maker) evolving(d *draft, variant int) {
	before := Look{d.look.Parcel, d.wrong.Colour, d.look.Form}
	whose := sent(d.owner, d.look.Parcel)
	if variant == 0 {
		m.note(d, schemas.RoleSuperseded, chat, whose+" "+before.Sentences())
		m.photo(d, schemas.RoleUpdate, album, m.chat(), d.look.only(colour))
		return
	}
	m.photo(d, schemas.RoleSuperseded, album, whose, before)
	m.note(d, schemas.RoleUpdate, chat, fmt.Sprintf("Parcel %d is now %s.", d.look.Parcel, d.look.Colour))
}

func (m *maker) chat() string { return chatter[m.rnd.IntN(len(chatter))] }

// note adds a text.
func (m *maker) note(d *draft, role, source, text string) {
	d.q.Evidence = append(d.q.Evidence, schemas.Evidence{
		Kind: "turn", Role: role, SourceID: "planted", SessionID: source, Order: int32(len(d.q.Evidence) + 1),
		Modality: schemas.ModalityText, Text: text,
	})
}

// photo adds a picture of a look, with a text beside it.
func (m *maker) photo(d *draft, role, source, text string, l Look) {
	id := m.picture(Draw(l))
	d.q.Media = append(d.q.Media, id)
	d.q.Evidence = append(d.q.Evidence, schemas.Evidence{
		Kind: "turn", Role: role, SourceID: "planted", SessionID: source, Order: int32(len(d.q.Evidence) + 1),
		Modality: schemas.ModalityImage, Text: text, Media: id,
		Caption: "A photo of a parcel. " + l.Sentences(), MinimalCaption: "A photo of a parcel.",
	})
}

// span adds a span of the film that shows two looks one after the other.
func (m *maker) span(d *draft, first, second Look) {
	const shot = float64(ShotFrames) / FPS
	from := shot * float64(len(m.set.Shots))
	m.set.Shots = append(m.set.Shots, Draw(first), Draw(second))
	d.q.Evidence = append(d.q.Evidence, schemas.Evidence{
		Kind: "turn", Role: schemas.RoleClue, SourceID: "planted", SessionID: album, Order: 1,
		Modality: schemas.ModalityVideo, Media: fmt.Sprintf("#t=%.2f,%.2f", from, from+2*shot),
		Caption: "A film of a parcel. " + first.Sentences() + " " + second.Sentences(), MinimalCaption: "A film of a parcel.",
	})
}
