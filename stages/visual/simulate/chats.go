package simulate

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/memforge/memforge/stages/visual/scene"
)

// contact is a person with the looks that do not change.
type contact struct {
	name, skin, hair, style, beard, back, smile string
}

// chatState is the state of the simulation of a messenger.
type chatState struct {
	rnd    *rand.Rand
	look   map[string]string // of all screens
	groups []string
	people []contact
	kinds  []string         // of the pictures
	shown  [][]int          // who is on each, in order of place
	absent []int            // who is missing, -1 for none
	places []cartoonSetting // of the photographs still to come
	course sightingState
}

const (
	screenList    = "chat list"
	screenMembers = "member list"
	screenPhoto   = "chat screenshot"
	screenProfile = "profile screenshot"
)

// plotChats simulates MemEye's Social Chat (table 4: personal visual-detail memory):
// screens of a messenger, whose people change pictures, signs and tags, and send
// photographs.
func plotChats(rnd *rand.Rand, pictures int, w words) (Plot, error) {
	m := &chatState{
		rnd: rnd, look: map[string]string{"accent": strconv.Itoa(rnd.IntN(6)), "theme": pick(rnd, []string{"light", "light", "dark"})}, groups: sample(rnd, w["plot groups"], 3), people: contacts(rnd, 7),
		course: newSightingState(rnd, w),
	}
	profile := pickProfile(rnd, "nurse", "choir member", "teacher", "bus driver", "shop owner")
	m.planScreens(pictures)
	return m.course.plot(profile, pictures, m.screen)
}

// chatSettings are the places that people photograph.
func chatSettings() []cartoonSetting {
	var out []cartoonSetting
	for _, k := range cartoonSettings() {
		if k.name != "a space ship" {
			out = append(out, k)
		}
	}
	return out
}

// contacts returns people who all wear their hair differently.
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

// shownEntities returns what a kind of screen shows of a person.
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

func (m *chatState) pickClock() int { return 7*60 + m.rnd.IntN(15*60) }

// formatClock formats a minute of the day as a phone does.
func formatClock(minute int) string { return fmt.Sprintf("%d:%02d", minute/60, minute%60) }

func (m *chatState) screen(at int) scene.Scene {
	s := scene.Scene{
		Backdrop: "phone", Look: maps.Clone(m.look), Width: 768, Height: 1024, Noun: m.kinds[at], Minimal: "a phone screenshot of a messenger", Seed: m.rnd.Uint32(),
	}
	now := m.pickClock()
	s.Look["clock"], s.Look["title"] = formatClock(now), "Chats"
	who := m.shown[at]
	switch m.kinds[at] {
	case screenList:
		m.list(&s, who, now)
		s.Absent = []string{"the chat with " + m.people[m.absent[at]].name}
	case screenMembers:
		s.Look["title"], s.Look["inner"] = pick(m.rnd, m.groups), "yes"
		for i, p := range who {
			s.Things = append(s.Things, m.card(m.people[p], i))
		}
	case screenProfile:
		m.profile(&s, m.people[who[0]])
	default:
		m.room(&s, who, now)
	}
	return s
}

func (m *chatState) list(s *scene.Scene, who []int, now int) {
	for i, p := range who {
		c := m.people[p]
		y := 126 + 138*i
		row := scene.Thing{
			Kind: "chat row", Name: "the chat with " + c.name, Box: [4]int{12, y, 744, 134}, Class: "unread messages", Prep: "in", Tells: []string{scene.Place, scene.Count},
			Look: map[string]string{scene.Place: m.course.words[scene.Place+":unread messages"][i], scene.Count: strconv.Itoa(max(0, m.rnd.IntN(12)-2)), "last": pick(m.rnd, m.course.words["plot lines"]), "when": formatClock(now - m.rnd.IntN(now-6*60))},
		}
		row.Parts = append(m.face(c, [4]int{24, y + 10, 112, 112}), m.label(c, [4]int{152, y + 30, 440, 34}, 24, ""))
		s.Things = append(s.Things, row)
	}
}

// face is a profile picture with the dot on it.
func (m *chatState) face(c contact, box [4]int) []scene.Thing {
	name, d := profilePicture(c.name), box[2]
	bust := m.bust(c, [4]int{box[0] + d*12/100, box[1], d * 76 / 100, d}, m.next(name, scene.Which, m.course.words[scene.Which]))
	bust.Look["of"] = name
	t := scene.Thing{Kind: "avatar", Name: name, Box: box, Class: "accessory", Prep: "in", Tells: []string{scene.Which}, Look: map[string]string{"back": c.back, scene.Which: bust.Look[scene.Which]}}
	head := bust
	bust.Parts = []scene.Thing{{Kind: "shoulders", Box: bust.Box, Look: bust.Look}}
	head.Kind = "face"
	t.Parts = []scene.Thing{bust, head, {Kind: "rim", Box: box}}
	r := min(d*13/100, 34)
	of := "the dot on " + name
	dot := scene.Thing{
		Kind: "dot", Name: of, Box: [4]int{box[0] + d*82/100 - r, box[1] + d*82/100 - r, 2 * r, 2 * r}, Class: "dot", Prep: "on", Tells: []string{scene.Colour},
		Look: map[string]string{scene.Colour: m.next(of, scene.Colour, m.course.words[scene.Colour+":dot"])},
	}
	return []scene.Thing{t, dot}
}

func (m *chatState) bust(c contact, box [4]int, wears string) scene.Thing {
	return scene.Thing{Kind: "bust", Box: box, Look: map[string]string{
		"skin": c.skin, "hair": c.hair, "style": c.style, "beard": c.beard, "smile": c.smile, scene.Which: wears,
	}}
}

// label is a name with the sign beside it.
func (m *chatState) label(c contact, box [4]int, size int, align string) scene.Thing {
	of := c.name + "'s name"
	return scene.Thing{
		Kind: "name", Name: of, Box: box, Tells: []string{scene.Beside},
		Look: map[string]string{"words": c.name, "size": strconv.Itoa(size), "align": align, scene.Beside: m.next(of, scene.Beside, m.course.words[scene.Beside])},
	}
}

func (m *chatState) card(c contact, i int) scene.Thing {
	x, y := 24+i%2*364, 138+i/2*272
	t := scene.Thing{Kind: "member card", Name: c.name + "'s card", Box: [4]int{x, y, 352, 260}, Tells: []string{scene.Place}, Look: map[string]string{scene.Place: m.course.words[scene.Place][i]}}
	of := c.name + "'s tag"
	t.Parts = append(m.face(c, [4]int{x + 110, y + 22, 132, 132}), m.label(c, [4]int{x + 10, y + 164, 332, 40}, 26, "center"), scene.Thing{
		Kind: "member tag", Name: of, Box: [4]int{x + 40, y + 212, 272, 36}, Class: "tag", Prep: "on", Tells: []string{scene.Text},
		Look: map[string]string{scene.Text: m.next(of, scene.Text, m.course.words[scene.Text+":tag"])},
	})
	return t
}

func (m *chatState) profile(s *scene.Scene, c contact) {
	s.Look["title"], s.Look["inner"] = "Profile", "yes"
	of := c.name + "'s status"
	s.Things = append(m.face(c, [4]int{194, 180, 380, 380}), m.label(c, [4]int{60, 600, 648, 64}, 44, "center"), scene.Thing{
		Kind: "status", Name: of, Box: [4]int{84, 690, 600, 84}, Tells: []string{scene.Text}, Look: map[string]string{scene.Text: m.next(of, scene.Text, m.course.words[scene.Text])},
	}, scene.Thing{Kind: "entries", Box: [4]int{84, 792, 600, 160}, Look: map[string]string{"words": strings.Join(sample(m.rnd, m.course.words["plot menu"], 2), "|")}})
}

// room is a conversation with a photograph of four people.
func (m *chatState) room(s *scene.Scene, who []int, now int) {
	const below = 650
	s.Backdrop, s.Look["title"], s.Look["members"] = "chat room", pick(m.rnd, m.groups), strconv.Itoa(len(who)+1)+" members, "+strconv.Itoa(1+m.rnd.IntN(4))+" online"
	s.Look["below"], s.Look["from"] = strconv.Itoa(below), m.people[who[m.rnd.IntN(4)]].name
	m.talk(s, who, now)
	at := m.places[0]
	m.places = m.places[1:]
	box := [4]int{34, 166, 700, below - 236}
	photo := scene.Thing{Kind: "panel", Box: box, Look: map[string]string{"setting": at.name, "horizon": "60"}}
	if !at.indoors {
		photo.Look[scene.Weather] = pick(m.rnd, []string{"sunny", "cloudy"})
	}
	for i, l := range at.pickLandmarks(m.rnd, 3) {
		x := box[0] + 96 + 172*i + m.rnd.IntN(24)
		photo.Parts = append(photo.Parts, scene.Thing{Kind: "landmark", Box: [4]int{x, box[1] + 82 + m.rnd.IntN(20), 150, 165}, Look: map[string]string{"what": l, "soft": "yes"}})
	}
	for i, p := range who {
		photo.Parts = append(photo.Parts, m.taggedPerson(m.people[p], box, i, at.name))
	}
	photo.Parts = append(photo.Parts, scene.Thing{Kind: "margin", Box: [4]int{box[0], box[1] + box[3], box[2], 54}})
	for i, p := range who {
		photo.Parts = append(photo.Parts, scene.Thing{Kind: "name tag", Box: [4]int{box[0] + 2 + 174*i, box[1] + box[3] + 9, 174, 36}, Look: map[string]string{"words": m.people[p].name}})
	}
	s.Things = append(s.Things, photo)
}

// taggedPerson is a person on a photograph, tagged with the name below.
func (m *chatState) taggedPerson(c contact, photo [4]int, i int, setting string) scene.Thing {
	low := m.rnd.IntN(14) // how much of the trunk is cut
	box := [4]int{photo[0] + 2 + 174*i, photo[1] + photo[3] - 256 + low, 174, 256}
	name := "the person tagged " + c.name
	t := m.bust(c, box, m.next(name, scene.Which, m.course.words[scene.Which]))
	t.Name, t.Class, t.Prep, t.Tells = name, "accessory", "on", []string{scene.Setting, scene.Place, scene.Which}
	t.Look[scene.Place], t.Look[scene.Setting], t.Look["cut"] = m.course.words[scene.Place+":accessory"][i], setting, " tall"
	t.Look["of"] = name
	head := scene.Thing{Kind: "face", Box: box, Look: t.Look}
	jacket := scene.Thing{Kind: "shoulders", Name: c.name + "'s jacket", Box: box, Class: "jacket", Prep: "on", Look: maps.Clone(t.Look), Tells: []string{scene.Colour}}
	jacket.Look[scene.Colour] = m.next(jacket.Name, scene.Colour, m.course.words[scene.Colour])
	t.Parts = []scene.Thing{jacket, head}
	return t
}

// talk is the text below the photograph, from some minute of the day on.
func (m *chatState) talk(s *scene.Scene, who []int, now int) {
	var people, lines []string
	for _, p := range who {
		c := m.people[p]
		people = append(people, strings.Join([]string{c.name, c.skin, c.hair, c.style}, "|"))
	}
	for _, words := range sample(m.rnd, m.course.words["plot lines"], 6) {
		lines = append(lines, strconv.Itoa(m.rnd.IntN(5)-1)+"|"+formatClock(now)+"|"+words)
		now += m.rnd.IntN(3)
	}
	s.Look["now"] = formatClock(now) // after the photograph, which was sent at the clock's time
	s.Look["people"], s.Look["talk"] = strings.Join(people, "\n"), strings.Join(lines, "\n")
}
