// Package written holds environments of several sources whose content a model wrote from a
// plan: people, facts with the source that each stands in, sources in free words, and what
// readers who do not know the plan found in them. Options, gold and roles of evidence follow
// from the plan; that turns say so is what readers judged, and their readings are kept.
package written

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Told facts are said in words; Shown facts stand in a picture and in no words.
const (
	Told  = "told"
	Shown = "shown"
)

// Operations of facts: Append tells what was not known, Revise changes what held.
const (
	Append = "append"
	Revise = "revise"
)

// Statuses of what a reader finds.
const (
	Holds   = "holds"
	Before  = "held_before"
	NotReal = "not_real" // joked, rumoured, taken back, fell through
)

// OriginWritten marks content that a model wrote.
const OriginWritten = "written"

// Environment is a plan that was written, read again and asked about.
type Environment struct {
	Plan      Plan       `json:"plan"`
	Origin    Origin     `json:"origin"`
	Sources   []Source   `json:"sources"` // in the order of the plan's
	Questions []Question `json:"questions"`
}

// Plan is what is so, and where each part of it can be found.
type Plan struct {
	ID       string       `json:"id"`
	Theme    string       `json:"theme"`
	People   []Person     `json:"people"`
	Sources  []PlanSource `json:"sources"`
	Facts    []Fact       `json:"facts"`
	Pictures []Picture    `json:"pictures"`
}

// Person takes part in sources. Voice tells habits of speech.
type Person struct {
	Name      string     `json:"name"`
	Work      string     `json:"work"`
	Place     string     `json:"place"`
	Voice     string     `json:"voice"`
	Habits    []string   `json:"habits"`
	Relations []Relation `json:"relations"`
}

// Relation is what somebody is to another person.
type Relation struct {
	With string `json:"with"`
	Is   string `json:"is"`
}

// PlanSource is a chat, document, table, profile or picture, with who reads it and what it is
// about.
type PlanSource struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind"` // schemas.KindGroupChat and so on
	Title   string   `json:"title"`
	Members []string `json:"members"`
	Topics  []string `json:"topics"`
}

// Fact is one value of one aspect of a thing, which one source tells or shows.
type Fact struct {
	ID     string `json:"id"`
	Source string `json:"source"`
	By     string `json:"by,omitempty"` // who says it
	Thing  string `json:"thing"`
	Aspect string `json:"aspect"`
	Value  string `json:"value"`
	Mode   string `json:"mode"`
	// Picture is the id of the picture that shows it.
	Picture    string   `json:"picture,omitempty"`
	Op         string   `json:"op"`
	Supersedes []string `json:"supersedes,omitempty"`
	// Near are plausible wrong values in the form of the value, Tags what the value is like.
	Near []string `json:"near,omitempty"`
	Tags []string `json:"tags,omitempty"`
}

// Key returns what the fact is of.
func (f Fact) Key() Key { return Key{f.Thing, f.Aspect} }

// Key is a thing and one of its aspects.
type Key struct {
	Thing  string `json:"thing"`
	Aspect string `json:"aspect"`
}

func (k Key) String() string { return fmt.Sprintf("%s of %s", k.Aspect, k.Thing) }

// Picture is drawn, and shared in a source. Kind is one that crosssource.draw draws.
type Picture struct {
	ID      string     `json:"id"`
	Source  string     `json:"source"`
	Kind    string     `json:"kind"`
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// Origin says who wrote and who read: models by name or "undisclosed", the digests of the
// prompts and the month.
type Origin struct {
	Kind    string            `json:"kind"` // OriginWritten
	Author  string            `json:"author"`
	Readers []string          `json:"readers"`
	Prompts map[string]string `json:"prompts"`
	Month   string            `json:"month"` // 2026-11
}

// Source is what a source says, and what readers found in it.
type Source struct {
	Turns    []Turn    `json:"turns"`
	Readings []Reading `json:"readings"`
	Mended   int       `json:"mended"` // how often turns were written again
}

// Turn is a message, paragraph, row or entry. Turns count from 1.
type Turn struct {
	By      string `json:"by,omitempty"`
	At      string `json:"at"` // 2026-02-11T07:35:00Z
	Text    string `json:"text"`
	Picture string `json:"picture,omitempty"`
}

// Reading is what one reader found in the words of a source, for the keys that were asked.
type Reading struct {
	Reader string  `json:"reader"`
	Form   []Key   `json:"form"`
	Found  []Found `json:"found"`
}

// Found is what a reader filled in for a key of the form, by its number from 1.
type Found struct {
	Number int    `json:"number"`
	Status string `json:"status"`
	Value  string `json:"value"`
	Turns  []int  `json:"turns"`
	// Same are the ids of facts whose value a judge took it to say, in other words.
	Same []string `json:"same,omitempty"`
}

// Question is a question in a model's words. Its gold follows from its facts (Plan.Gold).
type Question struct {
	Type  string   `json:"type"` // schemas.TaskSingleHop and so on
	Text  string   `json:"text"`
	Facts []string `json:"facts"`
	// Rule is how a single hop picks a thing, Most or Least; empty where facts are a chain.
	Rule    string         `json:"rule,omitempty"`
	Options []Option       `json:"options,omitempty"`
	Tools   []schemas.Tool `json:"tools,omitempty"`
	Plan    []Step         `json:"plan,omitempty"`
}

// Most picks the thing with the largest number up to the condition's, Least that with the
// smallest from it on.
const (
	Most  = "most"
	Least = "least"
)

// Option is a text to choose. Tags say what it is like, where a preference is asked about.
type Option struct {
	Text string   `json:"text"`
	Tags []string `json:"tags,omitempty"`
}

// Step is calls that stand side by side.
type Step struct {
	Calls []Call `json:"calls"`
}

// Call calls a tool. Arguments lead to the facts whose values they have.
type Call struct {
	Name      string            `json:"name"`
	Arguments map[string]string `json:"arguments"`
}

var environmentName = regexp.MustCompile(`^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$`)

// Parse reads the file of an environment and checks that everything in it follows from its
// plan and readings.
func Parse(b []byte) (Environment, error) {
	var e Environment
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return e, fmt.Errorf("it is no environment: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return e, errors.New("something stands behind the environment")
	}
	if !environmentName.MatchString(e.Plan.ID) {
		return e, fmt.Errorf("the environment is called %q; name it by letters, digits and dashes", e.Plan.ID)
	}
	if why := e.Check(); len(why) > 0 {
		return e, fmt.Errorf("%d faults: %s", len(why), strings.Join(why[:min(len(why), 5)], "; "))
	}
	return e, nil
}
