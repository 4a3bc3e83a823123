package simulate

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/memforge/memforge/stages/visual/scene"
)

// chatScenario is social chat (MemEye table 4: personal visual-detail memory): screens of a
// messenger, whose people change pictures, signs and tags, and send photographs.
func chatScenario() Scenario {
	return Scenario{
		Name: "social_chat", Title: "Social Chat", Domain: "personal",
		Size: Size{Sessions: 39, Rounds: 53, Pictures: 43, Questions: 37},
		Plot: plotChats,
	}
}

// contact is one of those who write, as they always look.
type contact struct {
	name, skin, hair, style, beard, back, smile string
}

// chatState is the state of the simulation.
type chatState struct {
	rnd    *rand.Rand
	look   map[string]string // of all screens
	groups []string
	people []contact
	kinds  []string         // of the pictures
	shown  [][]int          // who is on each, in order of place
	absent []int            // who is missing, -1 for nobody
	places []cartoonSetting // of the photographs still to come
	course sightingState
}

// Kinds of screens.
const (
	screenList    = "chat list"
	screenMembers = "member list"
	screenPhoto   = "chat screenshot"
	screenProfile = "profile screenshot"
)

func plotChats(rnd *rand.Rand, pictures int) (Plot, error) {
	m := &chatState{
		rnd: rnd, look: map[string]string{"accent": strconv.Itoa(rnd.IntN(6)), "theme": pick(rnd, []string{"light", "light", "dark"})}, groups: sample(rnd, chatGroups(), 3), people: contacts(rnd, 7),
		course: newSightingState(rnd),
	}
	p := Plot{Profile: pickProfile(rnd, "nurse", "choir member", "teacher", "bus driver", "shop owner"), World: m.course.world, Pools: chatPools()}
	m.planScreens(pictures)
	for at := range pictures {
		s := m.screen(at)
		if err := m.course.record(at, s); err != nil {
			return Plot{}, err
		}
		p.Scenes = append(p.Scenes, s)
	}
	return p, nil
}

func chatPools() map[string][]string {
	var settings []string
	for _, k := range chatSettings() {
		settings = append(settings, k.name)
	}
	return map[string][]string{
		scene.Which: chatAccessories(), scene.Beside: chatSigns(), scene.Text: chatStatuses(), scene.Text + ":tag": chatTags(), scene.Colour: chatJackets(), scene.Colour + ":dot": chatDots(),
		scene.Place: chatCards(), scene.Place + ":unread messages": chatRows(), scene.Place + ":accessory": chatOrder(), scene.Setting: settings,
	}
}

// chatSettings are those that people photograph.
func chatSettings() []cartoonSetting {
	var out []cartoonSetting
	for _, k := range cartoonSettings() {
		if k.name != "a space ship" {
			out = append(out, k)
		}
	}
	return out
}

// contacts differ in how they wear their hair.
func contacts(rnd *rand.Rand, n int) []contact {
	hers := sample(rnd, []string{"long", "bob", "bun", "ponytail", "afro", "curls"}, 4)
	his := sample(rnd, []string{"short", "bald", "side"}, 3)
	hair, back := rnd.Perm(7), rnd.Perm(8)
	var out []contact
	for i, name := range append(sample(rnd, womensNames(), 4), sample(rnd, mensNames(), 3)...) {
		c := contact{name: name, hair: strconv.Itoa(hair[i]), skin: strconv.Itoa(rnd.IntN(6)), back: strconv.Itoa(back[i]), smile: strconv.Itoa(1 + rnd.IntN(3))}
		if i < len(hers) {
			c.style = hers[i]
		} else {
			c.style = his[i-len(hers)]
			c.beard = pick(rnd, []string{"", "yes"})
		}
		out = append(out, c)
	}
	rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:n]
}

// planScreens plans which screen shows whom, and counts how often each is seen.
func (m *chatState) planScreens(pictures int) {
	turn := []string{screenList, screenPhoto, screenMembers, screenPhoto, screenProfile}
	photos := 0
	for at := range pictures {
		kind := turn[at%len(turn)]
		order, absent := m.rnd.Perm(len(m.people)), -1
		switch kind {
		case screenList:
			absent = order[6]
			order = order[:6]
		case screenMembers:
			order = order[:6]
		case screenPhoto:
			order = order[:4]
		case screenProfile:
			order = []int{at / len(turn) % len(m.people)}
		}
		for _, i := range order {
			name := m.people[i].name
			for _, of := range shownEntities(kind, name) {
				m.course.plannedSightings[of]++
			}
		}
		if kind == screenPhoto {
			photos++
		}
		m.kinds, m.shown, m.absent = append(m.kinds, kind), append(m.shown, order), append(m.absent, absent)
	}
	// Most places are seen on two photographs, so that one is like just one other.
	settings := sample(m.rnd, chatSettings(), len(chatSettings()))
	for _, i := range m.rnd.Perm(photos) {
		m.places = append(m.places, settings[(i/2)%len(settings)])
	}
}

// shownEntities are the entities that a kind of screen shows of a person.
func shownEntities(kind, name string) []string {
	face := []string{profilePicture(name), name + "'s name", "the dot on " + profilePicture(name)}
	switch kind {
	case screenPhoto:
		return []string{"the person tagged " + name, name + "'s jacket"}
	case screenMembers:
		return append(face, name+"'s tag")
	case screenProfile:
		return append(face, name+"'s status")
	}
	return face
}

func profilePicture(name string) string { return name + "'s profile picture" }

func (m *chatState) next(entity, aspect string, from []string) string {
	return m.course.nextValue(entity, aspect, from)
}

// pickClock is some time of a day.
func (m *chatState) pickClock() int { return 7*60 + m.rnd.IntN(15*60) }

// formatClock writes a minute of the day as a phone does.
func formatClock(minute int) string { return fmt.Sprintf("%d:%02d", minute/60, minute%60) }
