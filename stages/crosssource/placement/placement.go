// Package placement decides in which source each piece of evidence of a batch of items
// stands, and when (SMMBench B.5): pieces of one item in several sources, what revises
// after what it revises, and none beside another. It writes no word of a source.
package placement

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// Config is how large the sources of a batch are, and how evidence is spread.
type Config struct {
	Groups    int `json:"groups" doc:"group chats of a batch"`
	Privates  int `json:"privates" doc:"private chats of a batch"`
	Documents int `json:"documents" doc:"documents of a batch"`
	// Turns are those of a chat before anything is inserted.
	Turns int `json:"turns" doc:"turns of a chat, without those that evidence adds; SMMBench has 831 of each source on average"`
	// Lengths, where there are any, are those of chats in place of Turns.
	Lengths    []weights.Range `json:"lengths" doc:"how long chats are, by weight: empty for turns, all alike (SMMBench figure 7 has most below 250 or between 1,000 and 1,500)"`
	Paragraphs int             `json:"paragraphs" doc:"paragraphs of a document, without those that evidence adds"`
	Days       int             `json:"days" doc:"how many days a batch takes"`
	Gap        int             `json:"gap" doc:"turns of the merged stream that must lie between two pieces of one item"`
	Sources    []weights.Range `json:"sources" doc:"in how many sources an item's evidence is, by weight; what is at home in a document, table, profile or picture is in one of its own"`
	Twins      bool            `json:"twins" doc:"give each batch a twin in which the evidence of an item is in one source (SMMBench 4.3)"`
}

// SetDefaults is small; SMMBench's counts are in configs/smmbench.yaml.
func (c *Config) SetDefaults() {
	*c = Config{Groups: 4, Privates: 2, Documents: 2, Turns: 80, Paragraphs: 6, Days: 12, Gap: 4, Lengths: []weights.Range{}, Sources: []weights.Range{{From: 2, Weight: 45}, {From: 3, Weight: 35}, {From: 4, Weight: 14}, {From: 5, Weight: 6}}, Twins: true}
}

// Check says what is wrong with a configuration.
func (c Config) Check() error {
	if err := cmp.Or(
		pipeline.CheckRange("groups", c.Groups, 2, 60), pipeline.CheckRange("privates", c.Privates, 0, 60), pipeline.CheckRange("documents", c.Documents, 0, 60),
		pipeline.CheckRange("turns", c.Turns, 12, 5000), pipeline.CheckRange("paragraphs", c.Paragraphs, 1, 200), pipeline.CheckRange("days", c.Days, 1, 400), pipeline.CheckRange("gap", c.Gap, 1, 1000),
	); err != nil {
		return err
	}
	if len(c.Lengths) > 0 {
		if err := weights.Check("lengths", c.Lengths, 12, 5000); err != nil {
			return err
		}
	}
	return weights.Check("sources", c.Sources, 2, 60)
}

// Piece is a piece of evidence as a source shows it.
type Piece struct {
	Item string `json:"item"`
	Unit string `json:"unit"`
	// Handle is what a picture or table is called, empty for others.
	Handle string `json:"handle,omitempty"`
	Title  string `json:"title,omitempty"`
	// Speaker is who has to say it, by name.
	Speaker string `json:"speaker,omitempty"`
	// Taste says that it tells what somebody likes or chose, not what is so.
	Taste bool `json:"taste,omitempty"`
	// Kind is the type of an attachment that shows a picture.
	Kind  string `json:"kind,omitempty"`
	Parts []Part `json:"parts"`
	// Asked are what options and calls of the item say: nothing around the piece may say it.
	Asked []string `json:"asked,omitempty"`
}

// Content returns what a piece says or shows, as far as words tell.
func (p Piece) Content() string {
	var lines []string
	for _, part := range p.Parts {
		lines = append(lines, cmp.Or(part.Caption, part.Text))
	}
	return strings.Join(lines, "\n")
}

// Part is a turn of a piece: a text, a picture, or a row of a table.
type Part struct {
	Text    string `json:"text,omitempty"`
	Media   string `json:"media,omitempty"`
	Caption string `json:"caption,omitempty"`
	Minimal string `json:"minimal,omitempty"`
}

// Slot is what stands between two turns of a source: a piece with turns around it, or
// as many other turns.
type Slot struct {
	// After is how many turns of the source stand before it.
	After int `json:"after"`
	// Name seeds what is written in it, alike in both arrangements.
	Name  string `json:"name"`
	Piece *Piece `json:"piece,omitempty"`
	// Rule announces the piece: one of package talk's, "inline" in the turn that shows
	// it; empty for none.
	Rule   string `json:"rule,omitempty"`
	Before int    `json:"before"`
	Trail  int    `json:"trail"`
	// Turns is how many turns it takes in all.
	Turns int `json:"turns"`
	// By is who shares the piece and Said what is said around it, in order, where a
	// model wrote that: see package converse. The act of a line is before, the rule
	// above, or after.
	By   string          `json:"by,omitempty"`
	Said []basetalk.Line `json:"said,omitempty"`
}

// Channel is a source before it is written.
type Channel struct {
	// Task is that of all sources, with the first of them.
	Task      *schemas.Task `json:"task,omitempty"`
	TaskID    string        `json:"task_id"`
	SessionID string        `json:"session_id"`
	Order     int32         `json:"order"`
	Kind      string        `json:"kind"`
	Title     string        `json:"title"`
	// Key seeds what is written in it, alike in both arrangements.
	Key    string            `json:"key"`
	Themes []string          `json:"themes"`
	Cast   []basetalk.Person `json:"cast"`
	// People are all of the batch.
	People []basetalk.Person `json:"people,omitempty"`
	// BatchThemes are those of its items.
	BatchThemes []string `json:"batch_themes,omitempty"`
	// Mentions are names of what is asked about, Topics attributes of it, to be mentioned where
	// nothing is told of it.
	Mentions []string         `json:"seen,omitempty"`
	Topics   []basetalk.Topic `json:"topics,omitempty"`
	// Base is how many turns it has without its slots; Own are these, where a model
	// wrote them.
	Base  int             `json:"base"`
	Own   []basetalk.Line `json:"own,omitempty"`
	Slots []Slot          `json:"slots"`
	// Times are seconds since 1970 of all its turns, Positions their places in the
	// stream of the task.
	Times     []int64 `json:"times"`
	Positions []int64 `json:"positions"`
}

// Turns returns how many turns the source has in all.
func (c Channel) Turns() int {
	n := c.Base
	for _, s := range c.Slots {
		n += s.Turns
	}
	return n
}

// Batch is what shares one group of people.
type Batch struct {
	Name     string
	Items    []schemas.EvidenceItem
	Profiles []schemas.Profile
}

// Themes returns those of the items, sorted, each as often as items have it.
func (b Batch) Themes() (out []string) {
	for _, item := range b.Items {
		out = append(out, themeOf(item))
	}
	slices.Sort(out)
	return out
}

// themeOf returns the theme of an item.
func themeOf(item schemas.EvidenceItem) string {
	return cmp.Or(strings.ReplaceAll(item.Question.Labels[LabelTheme], "_", " "), "lifestyle")
}

// Lost is an item that has no place, and why.
type Lost struct{ Item, Code, Why string }

// slotPosition is where a piece stands, or could.
type slotPosition struct {
	source int
	at     float64 // share of the batch's time
	Slot
}

// source is a source while it is planned.
type source struct {
	kind   string
	key    string
	title  string
	themes []string
	// needed are who must take part.
	needed []string
	base   int
	// from and to are the shares of the batch's time that it takes.
	from, to float64
	// only is whom it is about: a profile, or the piece that is all of it.
	only string
	load int
}

func (s source) chat() bool {
	return s.kind == schemas.KindGroupChat || s.kind == schemas.KindPrivateChat
}

// hasMoreRoom reports whether a source has more turns per piece.
func (s source) hasMoreRoom(than source) bool {
	return (s.load+1)*max(than.base, 1) < (than.load+1)*max(s.base, 1)
}

func (s source) maxPeople() int {
	if s.kind == schemas.KindPrivateChat {
		return 2
	}
	return 10
}

// admits reports whether these people can take part, too.
func (s source) admits(names ...string) bool {
	all := slices.Clone(s.needed)
	for _, n := range names {
		if n != "" && !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return len(all) <= s.maxPeople()
}

func (s *source) admit(name string) {
	if name != "" && !slices.Contains(s.needed, name) {
		s.needed = append(s.needed, name)
	}
}

// planner is a batch while it is planned.
type planner struct {
	cfg     Config
	rnd     *rand.Rand
	batch   Batch
	themes  []string // of the batch
	sources []source
	// slots are those of the distributed arrangement and of its twin.
	slots [2][]slotPosition
	lost  []Lost
	// extraTurns is by how many quarters chats are longer than they were asked to be.
	extraTurns int
}

// Arrangements, as places in the result of New.
const (
	Distributed  = 0
	Concentrated = 1
)

// Plan is a batch with a place for everything. There is one list of channels for
// each arrangement: the second is empty without twins.
type Plan struct {
	Channels [2][]Channel
	Lost     []Lost
}

// PlanBatch plans a batch. TaskIDs are those of its arrangements. A batch of which an item
// comes to stand badly is planned anew; an item that still does after that is lost, and
// the others are planned without it, so that all that is placed stands well.
func PlanBatch(rnd *rand.Rand, cfg Config, batch Batch, taskIDs [2]string) (Plan, error) {
	if len(batch.Profiles) < 3 {
		return Plan{}, fmt.Errorf("batch %s has %d people; conversations take 3 or more: add profiles", batch.Name, len(batch.Profiles))
	}
	var crowded []Lost
	for plans := 1; len(batch.Items) > 0; plans++ {
		longer := (plans - 1) % plansPerLoss / plansPerLength
		placed, bad := planOnce(&planner{cfg: cfg, rnd: rnd, batch: batch, themes: batch.Themes(), extraTurns: longer}, taskIDs)
		if len(bad) == 0 {
			placed.Lost = append(placed.Lost, crowded...)
			return placed, nil
		}
		if plans%plansPerLoss != 0 {
			continue
		}
		for _, id := range bad {
			crowded = append(crowded, Lost{id, CodeCrowded, fmt.Sprintf("in %d layouts two of its pieces stood too close, or one before what it revises; plan longer sources or fewer items a group", plansPerLoss*tries)})
		}
		batch.Items = slices.DeleteFunc(slices.Clone(batch.Items), func(i schemas.EvidenceItem) bool { return slices.Contains(bad, i.ItemID) })
	}
	return Plan{Lost: crowded}, nil
}

// planOnce returns one plan of a batch and the badly placed items.
func planOnce(p *planner, taskIDs [2]string) (Plan, []string) {
	p.openSources()
	for _, item := range p.batch.Items {
		if why := p.placeItem(item); why != nil {
			p.lost = append(p.lost, *why)
		}
	}
	return p.schedule(taskIDs)
}

// plansPerLoss is how many plans of a batch, with sources and routes of their own, are
// tried before an item is lost. Of 4,000 items over 200 seeds one plan each left three
// without room: chains of more than twenty updates. As many plans as this leave none of
// 1,000 items over 50 seeds without.
const plansPerLoss = 24

// plansPerLength is after how many of these plans chats become longer by a quarter: pieces
// need two turns between them, and in a full chat they drift from their times.
const plansPerLength = 8

// CodeCrowded is the code of items whose pieces find no room in the right order.
const CodeCrowded = "crowded"
