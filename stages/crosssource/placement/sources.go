package placement

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
	"github.com/memforge/memforge/stages/crosssource/simulate"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// Labels of units that a plan reads: where a piece is at home (one of the kinds of
// sources below), who has to say it, which unit it takes the place of in the
// twin, and the minimal caption and the type (schemas.Attachment) of its picture.
const (
	LabelTheme   = "theme" // of an item
	LabelHome    = "home"
	LabelSpeaker = "speaker"
	LabelSwaps   = "swaps"
	LabelMinimal = "minimal_caption"
	LabelType    = "picture_type"
	// LabelLike is, of a text that misleads, the piece of evidence that it is placed like,
	// and LabelThread what it shares with texts about the same thing.
	LabelLike   = "like"
	LabelThread = "thread"
)

// Homes of units.
const (
	HomeChat     = "chat"
	HomeDocument = "document"
	HomeTable    = "table"
	HomeProfile  = "profile"
	HomeImage    = "image"
)

// Handle returns what a picture or table is called where it is shared and asked about.
func Handle(u schemas.EvidenceUnit) string {
	sum := sha256.Sum256([]byte("handle " + u.UnitID))
	kind := "Fig. "
	if u.Modality == schemas.ModalityTable {
		kind = "Table. "
	}
	return kind + hex.EncodeToString(sum[:4])
}

// IsShown reports whether a unit is called by a handle.
func IsShown(u schemas.EvidenceUnit) bool {
	return len(u.Pictures()) > 0 || u.Modality == schemas.ModalityTable
}

func buildPiece(item schemas.EvidenceItem, u schemas.EvidenceUnit) *Piece {
	p := &Piece{Item: item.ItemID, Asked: askedOf(item.Question), Unit: u.UnitID, Title: u.Title, Speaker: u.Labels[LabelSpeaker]}
	if IsShown(u) {
		p.Handle = Handle(u)
	}
	p.Kind = cmp.Or(u.Labels[LabelType], map[string]string{schemas.ModalityTable: "document", schemas.ModalityDocument: "document"}[u.Modality])
	switch {
	case u.Media != "":
		p.Parts = []Part{{Text: "(" + p.Handle + ")", Media: u.Media, Caption: u.Caption, Minimal: cmp.Or(u.Labels[LabelMinimal], "a picture")}}
	case len(u.Rows) > 0:
		p.Parts = []Part{{Text: p.Handle + " (" + cmp.Or(u.Title, "a table") + ")"}}
		for _, r := range u.Rows {
			p.Parts = append(p.Parts, Part{Text: strings.Join(r, " | ")})
		}
	case len(u.Parts) > 0:
		for _, part := range u.Parts {
			p.Parts = append(p.Parts, Part{Text: part.Text, Media: part.Media, Caption: part.Caption, Minimal: "a page of a document"})
		}
	default:
		p.Parts = []Part{{Text: u.Text}}
	}
	return p
}

// askedOf returns the texts of options, and the arguments of calls.
func askedOf(q schemas.Question) (out []string) {
	for _, o := range q.Options {
		out = append(out, o.Text)
	}
	plan, _ := schemas.ReadPlan(q.AnswerCall) // empty for questions with options
	for _, c := range slices.Concat(plan...) {
		for _, name := range slices.Sorted(maps.Keys(c.Arguments)) {
			out = append(out, fmt.Sprint(c.Arguments[name]))
		}
	}
	return out
}

func homeOf(u schemas.EvidenceUnit) string {
	if h := u.Labels[LabelHome]; h != "" {
		return h
	}
	switch {
	case len(u.Rows) > 0:
		return HomeTable
	case u.Modality == schemas.ModalityDocument:
		return HomeDocument
	}
	return HomeChat
}

func (p *planner) openSources() {
	p.openShared(schemas.KindGroupChat, p.cfg.Groups, p.pickLength, func(int) (from, to float64) { return 0.002, 1 })
	p.openShared(schemas.KindPrivateChat, p.cfg.Privates, p.pickLength, func(int) (from, to float64) { return 0.002, 1 })
	p.openShared(schemas.KindDocument, p.cfg.Documents, func() int { return p.cfg.Paragraphs }, func(i int) (from, to float64) {
		at := 0.005 + 0.08*float64(i)/float64(p.cfg.Documents) // one after the other while people talk, before any piece is said
		return at, at
	})
}

// openShared opens sources of a kind for all items. Their themes are those of the items, in
// proportion.
func (p *planner) openShared(kind string, n int, length func() int, span func(i int) (from, to float64)) {
	for i := range n {
		key := fmt.Sprintf("%s/%s-%02d", p.batch.Name, kind, i)
		s := source{kind: kind, key: key, themes: sourceThemes(p.themes[i*len(p.themes)/n], key), base: length()}
		s.title = s.themedTitle()
		s.from, s.to = span(i)
		p.sources = append(p.sources, s)
	}
}

// pickLength picks the number of turns of a chat, more after plans without room.
func (p *planner) pickLength() int {
	n := p.cfg.Turns
	if len(p.cfg.Lengths) > 0 {
		n = weights.PickNumber(p.rnd, p.cfg.Lengths)
	}
	return n + n*p.extraTurns/4
}

// themedTitle returns kind, three topics and eight digits, as in SMMBench's cases.
func (s source) themedTitle() string {
	sum := sha256.Sum256([]byte(s.key))
	words := []string{s.kind}
	for _, t := range s.themes {
		words = append(words, strings.ReplaceAll(t, " ", "_"))
	}
	return strings.Join(append(words, hex.EncodeToString(sum[:4])), "_")
}

// sourceThemes returns a theme and two others, seeded by the source's name.
func sourceThemes(theme, key string) []string {
	sum, all := sha256.Sum256([]byte("themes "+key)), append([]string{theme}, simulate.Themes()...)
	out := all[:1:1]
	for i := 0; len(out) < 3; i++ {
		if t := all[(int(sum[0])+i*(1+int(sum[1])%7))%len(all)]; !slices.Contains(out, t) || i > 64 {
			out = append(out, t)
		}
	}
	return out
}

// openOwn opens a source for one piece or one person's profile.
func (p *planner) openOwn(kind, name, theme string, base int, from float64) int {
	for i, s := range p.sources {
		if s.kind == kind && s.only == name {
			return i
		}
	}
	key := fmt.Sprintf("%s/%s/%s", p.batch.Name, kind, name)
	s := source{kind: kind, key: key, themes: sourceThemes(theme, key), base: base, from: from, to: from, only: name}
	s.title = kind + "_" + strings.ReplaceAll(strings.ToLower(name), " ", "_")
	if kind != schemas.KindProfile {
		s.title = s.themedTitle()
	}
	p.sources = append(p.sources, s)
	return len(p.sources) - 1
}

// Of how many names of what is asked about a source mentions some at most, and of how many
// things some attribute.
const (
	mostSeen   = 24
	mostTopics = 48
)

// mentions are names of firms and things that items tell something of, and which attributes of
// which of these, for sources to mention where they tell nothing: else a search for a
// name finds evidence alone. None is an option or stands in a call, so that none of these is
// named more than others.
type mentions struct {
	names  []string
	topics []basetalk.Topic
}

func mentionsOf(items []schemas.EvidenceItem) (out mentions) {
	var offered []string
	for _, item := range items {
		offered = append(offered, item.Question.AnswerCall)
		for _, o := range item.Question.Options {
			offered = append(offered, o.Text)
		}
	}
	free := func(name string) bool {
		return !slices.ContainsFunc(offered, func(o string) bool { return strings.Contains(o, name) })
	}
	for _, item := range items {
		for _, u := range item.Units {
			things, firms := simulate.NamesIn(u.Text)
			for _, n := range slices.Concat(things, firms) {
				if free(n) {
					out.names = append(out.names, n)
				}
			}
			if of, attribute := simulate.TopicOf(u.Text); of != "" && free(of) {
				out.topics = append(out.topics, basetalk.Topic{Of: of, Attribute: attribute})
			}
			if term := simulate.TermOf(u.Text); term != "" && free(term) {
				out.topics = append(out.topics, basetalk.Topic{Of: term})
			}
		}
	}
	return out
}

// pickFor picks what a source mentions, by its key. A topic is picked in proportion to
// how often it is told.
func (s mentions) pickFor(key string) mentions {
	rnd := rand.New(rand.NewPCG(words.Hash(key), words.Hash("seen")))
	names, topics := slices.Compact(slices.Sorted(slices.Values(s.names))), slices.Clone(s.topics)
	rnd.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	rnd.Shuffle(len(topics), func(i, j int) { topics[i], topics[j] = topics[j], topics[i] })
	return mentions{names[:min(len(names), mostSeen)], topics[:min(len(topics), mostTopics)]}
}
