// Package simulate simulates what a group of people knows: facts that change, who has
// the last word on them, what they like, which procedures and tools they have. It
// asks about that, and says for each question which pieces of evidence it takes. The
// gold of each question is what the world says holds.
package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// World is what is so among some people, and what is asked about it.
type World struct {
	// Theme is one of Themes.
	Theme  string   `json:"theme"`
	People []Person `json:"people"`
	Items  []Item   `json:"items"`
}

// Person is somebody who takes part in conversations.
type Person struct {
	Name string `json:"name"`
	Work string `json:"work"`
	Town string `json:"town"`
	// Likes are pastimes, told by the profile alone. No question is about them.
	Likes []string `json:"likes"`
}

// Choices is how many options an item has that is no call.
const Choices = 4

// Item is a question and the pieces of evidence that it takes.
type Item struct {
	// Task is one of schemas.TaskSingleHop and so on, Variant tells kinds of one task
	// apart: conflicts by time, authority and running total, explicit and implicit
	// preferences.
	Task    string `json:"task"`
	Variant string `json:"variant,omitempty"`
	Ask     string `json:"ask"`
	// Options begin with the right one; there are none where the answer is a call.
	Options     []string       `json:"options,omitempty"`
	Tools       []schemas.Tool `json:"tools,omitempty"`
	Call        string         `json:"call,omitempty"`
	Explanation string         `json:"explanation"`
	Units       []Unit         `json:"units"`
	// About are people whose preferences are asked about, by name.
	About []string `json:"about,omitempty"`
}

// Homes of a unit: what kind of source it is at home in.
const (
	HomeChat     = "chat"
	HomeDocument = "document"
	HomeTable    = "table"
	HomeProfile  = "profile"
	HomeImage    = "image"
)

// Unit is one piece of evidence: a text, a picture or the rows of a table.
type Unit struct {
	Home    string     `json:"home"`
	Role    string     `json:"role"`
	Text    string     `json:"text,omitempty"`
	Picture *Picture   `json:"exhibit,omitempty"`
	Rows    [][]string `json:"rows,omitempty"`
	// Title of a table, or of what is shown.
	Title string `json:"title,omitempty"`
	// Speaker is who has to say it, by name; empty for anybody.
	Speaker string `json:"speaker,omitempty"`
	// Revises are places of earlier units of the item, which this one overrides.
	Revises []int `json:"revises,omitempty"`
	// Swaps is, of a unit that the answer does not rest on, one more than the place of
	// the unit it takes the place of in the concentrated twin; 0 for none.
	Swaps int `json:"swaps,omitempty"`
	// Like is, of a text that the answer does not rest on, one more than the place of the
	// piece that it is placed like, 0 for none; Thread is one number for all that is told
	// of the same thing.
	Like   int `json:"like,omitempty"`
	Thread int `json:"thread,omitempty"`
}

// Kinds of pictures.
const (
	Chart  = "chart"
	Sheet  = "table"
	Card   = "card"
	Poster = "poster"
	Page   = "page"
)

// Picture is a picture before it is drawn. A chart has a row for each label and a
// column for each series; a card has rows of two cells; a page has a paragraph a row.
type Picture struct {
	Kind    string     `json:"kind"`
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// Size says how much a world holds.
type Size struct {
	People int            `json:"people" doc:"how many people take part in the conversations of a world"`
	Items  map[string]int `json:"items" doc:"how many items of each task: single_hop, multi_hop, conflict_resolution, preference_reasoning, function_call"`
	// Pieces are weights of how many pieces of evidence an item takes.
	Pieces []weights.Range `json:"pieces" doc:"how many pieces of evidence an item takes, by weight; a task that cannot have so many takes the nearest that it can"`
	// Documents, Pages and Images are shares.
	Documents float64 `json:"documents" doc:"which share of the pieces that a document, table or profile can hold stands in one; the others are said in chats, or are pictures of tables"`
	Pages     float64 `json:"pages" doc:"which share of the pieces in documents is shown as a picture of a page"`
	Images    float64 `json:"images" doc:"which share of the pictures that items take is a source of its own; the others are shared in chats"`
	Decoys    float64 `json:"decoys" doc:"how many pieces an item has on average beside its evidence, such as pictures that nothing is asked about"`
}

// Tasks lists the tasks in the order of the paper (SMMBench 3.3).
func Tasks() []string {
	return []string{schemas.TaskSingleHop, schemas.TaskMultiHop, schemas.TaskConflict, schemas.TaskPreference, schemas.TaskFunctionCall}
}

// Bounds of a world, so that names suffice and records stay small.
const (
	mostPeople = 40
	mostItems  = 200
	mostPieces = 40
)

// Check says what is wrong with a size.
func (s Size) Check() error {
	items := 0
	for task, n := range s.Items {
		if _, ok := makers()[task]; !ok || n < 0 {
			return fmt.Errorf("items has %q: %d; want numbers of %q", task, n, Tasks())
		}
		items += n
	}
	switch {
	case s.People < 4 || s.People > mostPeople:
		return fmt.Errorf("people is %d; want 4 to %d", s.People, mostPeople)
	case items < 1 || items > mostItems:
		return fmt.Errorf("a world of %d items; want 1 to %d", items, mostItems)
	case min(s.Documents, s.Pages, s.Images) < 0 || max(s.Documents, s.Pages, s.Images) > 1:
		return fmt.Errorf("documents is %g, pages %g and images %g; want shares from 0 to 1", s.Documents, s.Pages, s.Images)
	case s.Decoys < 0 || s.Decoys > 8:
		return fmt.Errorf("decoys is %g; want 0 to 8", s.Decoys)
	}
	return weights.Check("pieces", s.Pieces, 2, mostPieces)
}

// maker builds an item of a task with about so many pieces of evidence.
type maker func(s *simulator, pieces int) (Item, error)

func makers() map[string]maker {
	return map[string]maker{
		schemas.TaskSingleHop: singleHop, schemas.TaskMultiHop: multiHop, schemas.TaskConflict: conflict,
		schemas.TaskPreference: preference, schemas.TaskFunctionCall: functionCall,
	}
}

// simulator holds what the items of a world share while they are built.
type simulator struct {
	*namer
	field  field
	people []Person
	size   Size
	// loose tell of other things what the item that is made tells of its own, and lead to
	// wrong answers: so to be the only thing of which it is told makes no answer right.
	// What they revise is counted from the first of them. Thread numbers these things.
	loose  []Unit
	thread int
	// worded counts, by form, the sentences that questions have been worded in.
	worded map[string]int
}

// Simulate makes a world. Random numbers are its own, so that another world changes
// none.
func Simulate(rnd *rand.Rand, theme string, size Size) (World, error) {
	s := &simulator{namer: newNamer(rnd), field: fieldOf(theme), size: size}
	for range size.People {
		s.people = append(s.people, s.person())
	}
	w := World{Theme: theme, People: s.people}
	for _, task := range Tasks() {
		for i := range size.Items[task] {
			s.loose, s.thread = nil, 0
			item, err := makers()[task](s, weights.PickNumber(rnd, size.Pieces))
			if err != nil {
				return World{}, fmt.Errorf("item %d of %s: %w", i, task, err)
			}
			item.Task = task
			s.addUnasked(&item)
			w.Items = append(w.Items, item)
		}
	}
	return w, nil
}

// addMisleading adds texts about another thing, each placed like the piece at the same
// index.
func (s *simulator) addMisleading(like []int, told ...Unit) {
	s.thread++
	for i, u := range told {
		u.Role, u.Like, u.Thread = schemas.RoleDistractor, like[i]+1, s.thread
		s.loose = append(s.loose, u)
	}
}

func numbersFrom(first, n int) (out []int) {
	for i := range n {
		out = append(out, first+i)
	}
	return out
}

// addUnasked adds misleading texts, for each picture or table with its own source a decoy
// for the twin, and random pictures.
func (s *simulator) addUnasked(item *Item) {
	own := len(item.Units)
	for _, u := range s.loose {
		for i := range u.Revises {
			u.Revises[i] += own
		}
		item.Units = append(item.Units, u)
	}
	for i := range len(item.Units) {
		u := item.Units[i]
		if u.Home != HomeImage && u.Home != HomeTable {
			continue
		}
		other := Unit{Home: HomeChat, Role: schemas.RoleDistractor, Swaps: i + 1}
		if u.Picture != nil {
			other.Picture = s.pickDecoy()
			other.Title = other.Picture.Title
		} else {
			other.Title, other.Rows = s.decoyRows(len(u.Rows))
		}
		item.Units = append(item.Units, other)
	}
	for n := s.size.Decoys; n > 0; n-- {
		if s.rnd.Float64() < n {
			e := s.pickDecoy()
			item.Units = append(item.Units, Unit{Home: HomeChat, Role: schemas.RoleDistractor, Picture: e, Title: e.Title})
		}
	}
}

// pickDecoy returns an unasked picture of things that occur nowhere else.
func (s *simulator) pickDecoy() *Picture {
	switch s.rnd.IntN(4) {
	case 0:
		e := &Picture{Kind: Chart, Title: s.stem() + ": " + s.field.measure + " by " + s.field.thing, Columns: []string{s.field.thing, s.field.measure}}
		for i, v := range numbers(s.rnd, 5, 120, 960) {
			e.Rows = append(e.Rows, []string{s.pickName([]string{s.field.title}), strconv.Itoa(v + i)})
		}
		return e
	case 1:
		title, rows := s.decoyRows(5)
		return &Picture{Kind: Sheet, Title: title, Columns: rows[0], Rows: rows[1:]}
	case 2:
		u := s.nameCard(s.pickName([]string{s.field.title}))
		return u.Picture
	}
	u, _ := s.programme(weights.Sample(s.rnd, kinds(), 4))
	return u.Picture
}

func (s *simulator) decoyRows(n int) (title string, rows [][]string) {
	r := weights.Pick(s.rnd, slices.Concat(relations(), ends()))
	rows = [][]string{{"name", r.name}}
	for len(rows) < n {
		rows = append(rows, []string{s.firm(), r.value(s)})
	}
	return s.stem() + ": " + r.name, rows
}
