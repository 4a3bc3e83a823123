package gates

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// trait is something that can be known of a person, and how it is said. %v is
// its value.
type trait struct {
	name, states, says, caption, bare string
	values                            []string
	modality                          string
	size                              int // height of its picture
}

var shades = map[string]color.RGBA{
	"red": {220, 20, 20, 255}, "green": {20, 180, 20, 255}, "blue": {20, 20, 220, 255}, "yellow": {230, 220, 30, 255},
	"white": {250, 250, 250, 255}, "black": {5, 5, 5, 255}, "pink": {250, 150, 190, 255}, "brown": {120, 70, 20, 255},
}

var colours = []string{"red", "green", "blue", "yellow", "white", "black", "pink", "brown"}

// traits is what generator and judge know of the language. Pictured ones are
// not said in words.
var traits = []trait{
	{"home", "lives in %v", "i live in %v", "", "", []string{"lyon", "porto", "gent", "turku", "brno", "cork"}, schemas.ModalityText, 0},
	{"job", "works as a %v", "i work as a %v", "", "", []string{"baker", "nurse", "welder", "tailor", "judge", "pilot"}, schemas.ModalityText, 0},
	{"pet", "has a dog called %v", "my dog is called %v", "", "", []string{"rex", "bello", "momo", "kiki", "otto", "luna"}, schemas.ModalityText, 0},
	{"hobby", "is learning %v", "i am learning %v", "", "", []string{"chess", "sewing", "judo", "latin", "tango", "rowing"}, schemas.ModalityText, 0},
	{"bike", "has a %v bicycle", "my bicycle is %v", "a %v bicycle by a wall", "a bicycle by a wall", colours, schemas.ModalityImage, 8},
	{"door", "has a %v front door", "my front door is %v", "a %v front door, closed", "a front door, closed", colours, schemas.ModalityTextImage, 12},
	{"car", "has a %v car", "my car is %v", "a %v car in the street", "a car in the street", colours, schemas.ModalityTextImage, 16},
}

func traitOf(name string) trait {
	return traits[slices.IndexFunc(traits, func(t trait) bool { return t.name == name })]
}

func fill(form, value string) string { return strings.ReplaceAll(form, "%v", value) }

// picture draws a plain area whose size says what it shows, and returns it.
func picture(t testing.TB, k trait, value string) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 8, k.size))
	draw.Draw(img, img.Bounds(), image.NewUniform(shades[value]), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// life is one task: what holds of a person, session by session.
type life struct {
	t      testing.TB
	rnd    *rand.Rand
	task   string
	person string
	blobs  map[string][]byte
	// known are all real points, current the latest of each trait.
	known   map[string]schemas.MemoryPoint
	order   map[string]int32
	current map[string]string
	values  map[string]string
	points  int
}

func newLife(t testing.TB, n int, blobs map[string][]byte) *life {
	return &life{
		t: t, rnd: rand.New(rand.NewPCG(7, uint64(n))), task: fmt.Sprintf("t%03d", n),
		person: []string{"Mara", "Ines", "Tomas", "Wanda"}[n%4], blobs: blobs,
		known: map[string]schemas.MemoryPoint{}, order: map[string]int32{}, current: map[string]string{}, values: map[string]string{},
	}
}

// scene is a session being written.
type scene struct {
	*life
	schemas.Session
	cited []string
}

func (l *life) begin(order int32) *scene {
	s := &scene{life: l, Session: schemas.Session{
		SessionID: fmt.Sprintf("%s-s%02d", l.task, order), TaskID: l.task, Kind: "dialogue",
		Participants: []string{l.person, "assistant"}, Order: order,
	}}
	s.say("user", "Good morning, I have some news.", nil)
	return s
}

// say adds a turn and returns its id.
func (s *scene) say(role, text string, attached []schemas.Attachment) string {
	n := len(s.Turns) + 1
	id := fmt.Sprintf("%s-t%02d", s.SessionID, n)
	s.Turns = append(s.Turns, schemas.Turn{TurnID: id, SessionID: s.SessionID, Order: int32(n), Role: role, Text: text, Attachments: attached})
	if role == "user" {
		s.say("assistant", []string{"I see.", "Noted, thank you.", "How nice!"}[s.rnd.IntN(3)], nil)
	}
	return id
}

// fresh draws a value that the trait does not have.
func (s *scene) fresh(k trait) string {
	for {
		if v := k.values[s.rnd.IntN(len(k.values))]; v != s.values[k.name] {
			return v
		}
	}
}

func (s *scene) point(k trait, value string, turns ...string) schemas.MemoryPoint {
	s.points++
	return schemas.MemoryPoint{
		MemoryID: fmt.Sprintf("mp_%s_%03d", s.SessionID, s.points), SessionID: s.SessionID, Type: k.name, Importance: 1,
		Content: s.person + " " + fill(k.states, value), Modality: k.modality, EvidenceTurns: turns,
		Attributes: map[string]string{"trait": k.name, "who": s.person, "value": value, "status": "meant"},
	}
}

// tell introduces a fact, or an update where the trait has a value.
func (s *scene) tell(name string) {
	k := traitOf(name)
	value := s.fresh(k)
	text, media := "Well, "+fill(k.says, value)+" now. It is fine.", []string(nil)
	var attached []schemas.Attachment
	if k.modality != schemas.ModalityText {
		b := picture(s.t, k, value)
		digest := string(pipeline.DigestOf(b))
		s.blobs[digest] = b
		media = []string{digest}
		caption := k.bare
		if k.modality == schemas.ModalityTextImage {
			caption = fill(k.caption, value)
		}
		attached = []schemas.Attachment{{MediaID: digest, Caption: caption}}
		text = "Look, I took a picture of my things."
	}
	p := s.point(k, value, s.say("user", text, attached))
	p.EvidenceMedia, p.Subject = media, s.task+"/"+name
	if old := s.current[name]; old != "" {
		p.IsUpdate, p.Supersedes = true, []string{old}
		s.cited = append(s.cited, old)
	}
	s.current[name], s.values[name] = p.MemoryID, value
	s.known[p.MemoryID], s.order[p.MemoryID] = p, s.Order
	s.Points = append(s.Points, p)
}

// The cues that make a saying none to keep.
const (
	jokeCue   = " on the moon, ha ha, just joking."
	cousinCue = ", says my cousin of himself."
)

// tease adds interference with what holds of a trait.
func (s *scene) tease(name, differs, cue string) {
	k := traitOf(name)
	value := s.fresh(k)
	p := s.point(k, value, s.say("user", "Oh, "+fill(k.says, value)+cue, nil))
	p.IsInterference, p.Resembles, p.DiffersIn = true, s.current[name], differs
	p.Attributes[differs] = map[string]string{"status": "joke", "who": "cousin"}[differs]
	s.cited = append(s.cited, s.current[name])
	s.Points = append(s.Points, p)
}

// end fills in the earlier points.
func (s *scene) end() schemas.Session {
	for _, id := range s.cited {
		p := s.known[id]
		if p.SessionID == s.SessionID || slices.ContainsFunc(s.Earlier, func(e schemas.EarlierPoint) bool { return e.MemoryID == id }) {
			continue
		}
		s.Earlier = append(s.Earlier, schemas.EarlierPoint{
			MemoryID: id, SessionID: p.SessionID, SessionOrder: s.order[id], Content: p.Content, Subject: p.Subject, Attributes: p.Attributes,
		})
	}
	return s.Session
}

// live tells a life in two sessions.
func (l *life) live() (first, second schemas.Session) {
	s := l.begin(0)
	for _, name := range []string{"home", "job", "pet", "bike", "door"} {
		s.tell(name)
	}
	s.tease("home", "status", jokeCue)
	s.tease("job", "who", cousinCue)
	first = s.end()
	s = l.begin(1)
	for _, name := range []string{"hobby", "home", "bike", "car"} {
		s.tell(name)
	}
	s.tease("home", "status", jokeCue)
	s.tease("job", "who", cousinCue)
	return first, s.end()
}
