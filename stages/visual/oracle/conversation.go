// Package oracle recomputes the answers of the visual family from the tables of a
// release: what was said, what pictures show, and the words of a question. It shares the
// list of wordings, and no code, with the simulation and the stages that write the
// questions, so that it does not repeat their errors.
package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/wording"
)

// Picture is a row of the table of pictures.
type Picture struct {
	Media string
	Noun  string
	// Minimal is the minimal caption, Kind photo or screenshot.
	Minimal, Kind string
	// Absent names expected things that the picture does not show.
	Absent []string
	Things []Thing
}

// Thing is a thing that a picture shows.
type Thing struct {
	Name, Class, Prep string
	Plural            bool
	Tells             map[string]string
}

// ParseTells parses "aspect=value; aspect=value".
func (th *Thing) ParseTells(text string) error {
	th.Tells = map[string]string{}
	for _, part := range strings.Split(text, "; ") {
		aspect, value, ok := strings.Cut(part, "=")
		if _, twice := th.Tells[aspect]; !ok || twice || captionPhrases()[aspect] == "" || value == "" {
			return fmt.Errorf("what is told, %q, is no list of aspect=value", text)
		}
		th.Tells[aspect] = value
	}
	return nil
}

// sharedPicture is a picture where it was shared.
type sharedPicture struct {
	Picture
	place      int               // among all pictures
	shown      map[string]string // the aspect of each sight
	session    schemas.Session
	round      [2]schemas.Turn
	attachment schemas.Attachment
}

// Conversation is a task's sessions with their pictures in order of time.
type Conversation struct {
	pictures []sharedPicture
	sessions []schemas.Session // in order
}

// NewConversation reads a conversation. Pictures are by media id.
func NewConversation(sessions []schemas.Session, pictures map[string]Picture) (*Conversation, error) {
	sorted := slices.Clone(sessions)
	slices.SortFunc(sorted, func(a, b schemas.Session) int { return int(a.Order - b.Order) })
	t := &Conversation{sessions: sorted}
	for _, s := range sorted {
		for i, turn := range s.Turns {
			for _, a := range turn.Attachments {
				p, known := pictures[a.MediaID]
				if !known {
					return nil, fmt.Errorf("turn %s shows %s, of which nothing is noted", turn.TurnID, a.MediaID)
				}
				if i+1 == len(s.Turns) {
					return nil, fmt.Errorf("turn %s shows a picture and is not answered", turn.TurnID)
				}
				t.pictures = append(t.pictures, sharedPicture{Picture: p, place: len(t.pictures), shown: p.sightsOf(), session: s, round: [2]schemas.Turn{turn, s.Turns[i+1]}, attachment: a})
			}
		}
	}
	return t, nil
}

// sightsOf returns the words for what a picture shows, with the aspect of each.
func (p Picture) sightsOf() map[string]string {
	out := map[string]string{}
	for _, th := range p.Things {
		be := "is"
		if th.Plural {
			be = "are"
		}
		for aspect, value := range th.Tells {
			words := strings.NewReplacer("{thing}", th.Name, "{class}", th.Class, "{prep}", cmp.Or(th.Prep, "at"), "{be}", be, "{value}", value).Replace(wording.Sight(aspect))
			out[words] = aspect
		}
	}
	return out
}

// namedPicture is the picture that a name means, with the aspects by which it is named.
type namedPicture struct {
	at      int
	aspects []string
}

// findPicture returns the one picture that a name fits.
func (t *Conversation) findPicture(name string) (namedPicture, error) {
	noun, sights, occasion := wording.ParseName(name)
	var found []namedPicture
	for i, s := range t.pictures {
		switch {
		case occasion != "" && strings.HasSuffix(s.round[0].Text, " after "+occasion+"."):
			found = append(found, namedPicture{at: i})
		case sights != "":
			if aspects := s.findSights(sights); aspects != nil {
				found = append(found, namedPicture{i, aspects})
			}
		}
	}
	if len(found) != 1 || t.pictures[found[0].at].Noun != noun {
		return namedPicture{}, fmt.Errorf("%d pictures are called %q", len(found), name)
	}
	return found[0], nil
}

// findSights returns the aspects of one sight or of two, or nil if the picture does not
// show them.
func (s sharedPicture) findSights(words string) []string {
	shown := s.shown
	if aspect, ok := shown[words]; ok {
		return []string{aspect}
	}
	for i := range words {
		rest, ok := strings.CutPrefix(words[i:], " and ")
		first, second := shown[words[:i]], shown[rest]
		if ok && first != "" && second != "" {
			return []string{first, second}
		}
	}
	return nil
}

// Citing returns the conversation as evidence shows it: without the pictures that are not
// cited.
func (t *Conversation) Citing(evidence []schemas.Evidence) *Conversation {
	out := *t
	out.pictures = slices.DeleteFunc(slices.Clone(t.pictures), func(s sharedPicture) bool {
		return !slices.ContainsFunc(evidence, func(e schemas.Evidence) bool { return e.Ref == s.round[0].TurnID && e.Media == s.attachment.MediaID })
	})
	return &out
}

func (s sharedPicture) findThing(name string) (Thing, bool) {
	i := slices.IndexFunc(s.Things, func(t Thing) bool { return t.Name == name })
	if i < 0 {
		return Thing{}, false
	}
	return s.Things[i], true
}
