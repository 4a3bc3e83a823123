// Package simulate simulates the lives of users: how a symbolic world changes, which
// pictures are taken of it, and in which sessions they are talked about. Its eight
// scenarios (MemEye A.1, tables 3 and 4) have one form, so that one renderer draws them
// and one set of question forms asks about them.
package simulate

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/grammar"
	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/stages/visual/scene"
)

//go:embed talk/*.txt words/*.txt
var texts embed.FS

// Scenario is a kind of simulation.
type Scenario struct {
	// Name is the scenario's name in configurations, Title that for readers, Domain one
	// of leisure, domestic, professional and personal (table 4).
	Name, Title, Domain string
	// Size is that of the published benchmark (table 3).
	Size Size
	// Plot simulates a world and returns what each picture shows.
	Plot func(rnd *rand.Rand, pictures int, w words) (Plot, error)
}

// Size of a task.
type Size struct {
	Sessions  int `json:"sessions" doc:"sessions of a life"`
	Rounds    int `json:"rounds" doc:"rounds of conversation in all its sessions"`
	Pictures  int `json:"pictures" doc:"pictures in all its sessions"`
	Questions int `json:"questions" doc:"questions of the scenario as published; what is asked is up to visual.ask"`
}

// Plot is a simulated world with its pictures, without texts.
type Plot struct {
	// Profile describes the user: name, occupation and what else the scenario has.
	Profile map[string]string
	// World has a moment for each scene: its index in Scenes.
	World *simulation.Timeline
	// Scenes are the pictures, in order of time.
	Scenes []scene.Scene
	// Pools have possible values for wrong options: by aspect, or by "aspect:class" for
	// things of a class.
	Pools map[string][]string
}

// Scenarios returns the eight scenarios, in the order of table 3.
func Scenarios() []Scenario {
	return []Scenario{
		{"home_renovation", "Home Renovation", "domestic", Size{13, 120, 89, 52}, plotHome},
		{"brand_memory", "Brand Memory", "professional", Size{42, 72, 30, 29}, plotBrands},
		{"card_playlog", "Card Playlog", "leisure", Size{4, 30, 30, 48}, plotCards},
		{"cartoon_companion", "Cartoon Companion", "leisure", Size{86, 299, 87, 76}, plotCartoon},
		{"cross_scene_archive", "CrossScene Memory", "professional", Size{15, 117, 57, 50}, plotArchive},
		{"outdoor_navigation", "Outdoor Navigation", "leisure", Size{10, 60, 40, 28}, plotTown},
		{"health_dashboard", "Health Care", "personal", Size{12, 97, 62, 51}, plotHealth},
		{"social_chat", "Social Chat", "personal", Size{39, 53, 43, 37}, plotChats},
	}
}

// Simulation is a plot with its conversation: the record of the source visual.lives.
type Simulation struct {
	Scenario string              `json:"scenario"`
	Profile  map[string]string   `json:"profile"`
	Sessions []Session           `json:"sessions"`
	Scenes   []scene.Scene       `json:"scenes"`
	Events   []simulation.Event  `json:"events"`
	Pools    map[string][]string `json:"pools"`
}

// Session is a day's conversation.
type Session struct {
	Date   string  `json:"date"` // 2025-03-12
	Rounds []Round `json:"rounds"`
}

// Round is what the user says and what the assistant answers. Scene is the index of the
// picture that comes with it, or -1; Occasion is what the user says had happened just
// before, of which no other picture is told.
type Round struct {
	User      string `json:"user"`
	Assistant string `json:"assistant"`
	Scene     int    `json:"scene"`
	Occasion  string `json:"occasion,omitempty"`
}

// Simulate returns a simulation of a size. It fails if the plot contradicts itself,
// which is an error of the scenario.
func (s Scenario) Simulate(rnd *rand.Rand, size Size) (Simulation, error) {
	if err := size.Check(); err != nil {
		return Simulation{}, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	w, err := readWords(s.Name)
	if err != nil {
		return Simulation{}, fmt.Errorf("words of scenario %s: %w", s.Name, err)
	}
	plot, err := s.Plot(rnd, size.Pictures, w)
	if err != nil {
		return Simulation{}, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	if err := plot.check(size); err != nil {
		return Simulation{}, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	l := Simulation{Scenario: s.Name, Profile: plot.Profile, Scenes: plot.Scenes, Events: plot.World.Events(), Pools: plot.Pools}
	if l.Sessions, err = s.writeSessions(rnd, plot, size); err != nil {
		return Simulation{}, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	return l, nil
}

// Check reports sizes that no simulation can have.
func (s Size) Check() error {
	if s.Sessions < 1 || s.Pictures < 1 || s.Rounds < s.Pictures || s.Rounds < s.Sessions {
		return fmt.Errorf("%d sessions, %d rounds, %d pictures: want at least one of each, and a round for every session and every picture", s.Sessions, s.Rounds, s.Pictures)
	}
	if s.Rounds > 100_000 {
		return fmt.Errorf("%d rounds: want at most 100,000 in a task; make several tasks", s.Rounds)
	}
	return nil
}

// check compares scenes with the world: what a picture tells is true at its moment.
func (p Plot) check(size Size) error {
	if len(p.Scenes) != size.Pictures {
		return fmt.Errorf("%d scenes, want %d", len(p.Scenes), size.Pictures)
	}
	for at, s := range p.Scenes {
		if err := s.Check(); err != nil {
			return fmt.Errorf("picture %d: %w", at, err)
		}
		for _, t := range s.NamedThings() {
			for _, a := range t.Tells {
				if truth := p.World.At(at, simulation.Key{Entity: t.Name, Aspect: a}); truth != t.Look[a] {
					return fmt.Errorf("picture %d: the %s of %s is drawn as %q and is %q", at, a, t.Name, t.Look[a], truth)
				}
			}
		}
	}
	return nil
}

// words are the word lists of a scenario by key: an aspect, or "aspect:class" for things
// of a class, has possible values; "plot x" is a list of the plot's own.
type words map[string][]string

// readWords reads word lists. Each is a line "key = word | word"; lines that begin with
// a tab continue it.
func readWords(scenario string) (words, error) {
	text, err := texts.ReadFile("words/" + scenario + ".txt")
	out := words{}
	for _, line := range strings.Split(strings.TrimSpace(strings.ReplaceAll(string(text), "\n\t", " ")), "\n") {
		key, list, _ := strings.Cut(line, " = ")
		out[key] = strings.Split(list, " | ")
	}
	return out, err
}

// pools returns the lists of possible values.
func (w words) pools() map[string][]string {
	out := map[string][]string{}
	for key, list := range w {
		if !strings.HasPrefix(key, "plot ") {
			out[key] = list
		}
	}
	return out
}

// loadGrammar returns the grammar of the scenario: its own rules (shown, reply, aside,
// answer) and those of all scenarios (kept, tail, also).
func (s Scenario) loadGrammar() (grammar.Grammar, error) {
	text, err := texts.ReadFile("talk/" + s.Name + ".txt")
	if err != nil {
		return grammar.Grammar{}, fmt.Errorf("talk of scenario %s: %w", s.Name, err)
	}
	common, err := texts.ReadFile("talk/common.txt")
	if err != nil {
		return grammar.Grammar{}, fmt.Errorf("talk of any scenario: %w", err)
	}
	return grammar.Parse(string(text) + "\n" + string(common))
}

// Chains returns what the pictures show of each aspect of each thing, in order of time.
// A picture that misses a thing shows that it has no place.
func (l Simulation) Chains() map[simulation.Key]simulation.Observations {
	out := map[simulation.Key]simulation.Observations{}
	for at, s := range l.Scenes {
		for _, t := range s.NamedThings() {
			for _, a := range t.Tells {
				k := simulation.Key{Entity: t.Name, Aspect: a}
				out[k] = append(out[k], simulation.Observation{At: at, Value: t.Look[a]})
			}
		}
		for _, name := range s.Absent {
			k := simulation.Key{Entity: name, Aspect: scene.Place}
			out[k] = append(out[k], simulation.Observation{At: at})
		}
	}
	return out
}

// Ordinal returns the word for a place from 0: first, second, third.
func Ordinal(n int) string {
	words := []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"}
	if n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n+1) + "th"
}

// pickProfile picks the user's name and occupation. Names are common ones of many
// places.
func pickProfile(rnd *rand.Rand, occupations ...string) map[string]string {
	last := []string{
		"Adler", "Bianchi", "Costa", "Dahl", "Eriksen", "Farouk", "Garcia", "Haddad", "Ito", "Jansen", "Kaya", "Lindt", "Moreau", "Nowak", "Okafor", "Petrov",
		"Quist", "Rossi", "Silva", "Tanaka", "Ueda", "Varga", "Weber", "Yilmaz",
	}
	return map[string]string{
		"name": pick(rnd, firstNames()) + " " + pick(rnd, last), "occupation": pick(rnd, occupations),
	}
}

func firstNames() []string { return append(womensNames(), mensNames()...) }

func womensNames() []string {
	return []string{
		"Ada", "Carla", "Dina", "Elif", "Farah", "Greta", "Hana", "Lena", "Maya", "Noor", "Olga", "Priya", "Rosa", "Selma", "Uma", "Wanda", "Yara", "Zuri",
	}
}

func mensNames() []string {
	return []string{"Amir", "Bruno", "Chidi", "Emil", "Ivo", "Jonas", "Kemal", "Luis", "Nils", "Paulo", "Samir", "Tariq", "Viktor", "Zeno"}
}

func pick[T any](rnd *rand.Rand, from []T) T { return from[rnd.IntN(len(from))] }

// sample picks n different elements.
func sample[T any](rnd *rand.Rand, from []T, n int) []T {
	out := make([]T, 0, n)
	for _, i := range rnd.Perm(len(from))[:n] {
		out = append(out, from[i])
	}
	return out
}

// pickOther picks a value that is not excluded, or returns "" if there is none.
func pickOther(rnd *rand.Rand, from []string, not ...string) string {
	if !slices.ContainsFunc(from, func(v string) bool { return !slices.Contains(not, v) }) {
		return ""
	}
	for {
		v := pick(rnd, from)
		if !slices.Contains(not, v) {
			return v
		}
	}
}
