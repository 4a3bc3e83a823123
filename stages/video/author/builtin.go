package author

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// CodeAlike is the rejection code of videos whose descriptions differ too
// little to choose a question from them.
const CodeAlike = "descriptions-alike"

// about says what the six keys describe, in the order of the schema.
var about = [6]string{
	"what goes on", "where things are in the picture", "actions and changes of state", "tools and objects",
	"how things look", "text and symbols",
}

// maxText bounds a text that the built-in model quotes, in characters.
const maxText = 160

// ChooseDraft answers as the built-in model: it takes texts that stand in the
// descriptions of one video and not of the other, and asks which is whose. It
// understands nothing, so where the wording does not differ it refuses. All it
// gives passes CheckDraft.
func ChooseDraft(typ string, in Input, rnd *rand.Rand) (Draft, error) {
	c := chooser{in: in, rnd: rnd, absent: absentWords(in)}
	var drafts []Draft
	for _, key := range rnd.Perm(len(about)) {
		c.key = key
		drafts = append(drafts, c.drafts(typ)...)
	}
	index := indexStories(in)
	for _, d := range drafts {
		if len(checkAgainst(index, typ, in, AddFixedOptions(typ, in, d))) == 0 {
			return d, nil
		}
	}
	return Draft{}, pipeline.Reject(CodeAlike, "the built-in model found no %s question about %s: the descriptions of the two videos have too few texts that set them apart; describe with a model, cut more sections, or pair other videos", typ, in.Target.Name)
}

// chooser chooses among the texts of one key.
type chooser struct {
	in  Input
	rnd *rand.Rand
	key int
	// absent words, by table, may stand in for others without becoming true.
	absent [][]string
}

// excerpt is a text of a section, or altered from one.
type excerpt struct {
	text string
	from Evidence
}

func (c chooser) drafts(typ string) []Draft {
	switch typ {
	case schemas.TypeSourceIdentification:
		return c.sourceDrafts()
	case schemas.TypeInterference:
		return c.interferenceDrafts()
	case schemas.TypeOrderUnderstanding:
		return c.orderDrafts()
	case schemas.TypeContentRetention:
		return c.contentDrafts()
	case schemas.TypeFalseMemory:
		return c.memoryDrafts(c.alteredExcerpts(), "The description is altered in one word; as it stands it is true of neither video.")
	case schemas.TypeSourceMemory:
		return c.memoryDrafts(c.ownExcerpts(), "The description is one of the target video, and none of the other.")
	}
	return nil
}

// excerpts returns the distinct texts of a video, shuffled, without those that
// the name of a video gives away.
func (c chooser) excerpts(of string) []excerpt {
	var out []excerpt
	for _, p := range c.in.story(of).Sections {
		t := strings.TrimSuffix(strings.TrimSpace(groundtruth.DescriptionTexts(p.Description)[c.key]), ".")
		known := slices.ContainsFunc(out, func(e excerpt) bool { return answercues.Alike(e.text, t) })
		if p.Cut || t == "" || len(t) > maxText || known || answercues.ContainsWords(c.in.Target.Name, t) || answercues.ContainsWords(c.in.Other.Name, t) {
			continue
		}
		out = append(out, excerpt{t, Evidence{of, p.Section}})
	}
	c.rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// ownExcerpts returns texts of the target alone, otherExcerpts those of the
// other video alone.
func (c chooser) ownExcerpts() []excerpt   { return c.excerptsOnlyIn(RoleTarget, RoleOther) }
func (c chooser) otherExcerpts() []excerpt { return c.excerptsOnlyIn(RoleOther, RoleTarget) }

func (c chooser) excerptsOnlyIn(of, not string) []excerpt {
	return slices.DeleteFunc(c.excerpts(of), func(e excerpt) bool {
		return slices.ContainsFunc(c.in.story(not).Sections, func(p Part) bool { return answercues.Alike(groundtruth.DescriptionTexts(p.Description)[c.key], e.text) })
	})
}

func (c chooser) questionHead() string {
	return "In " + c.in.Target.Name + ", which of these descriptions of " + about[c.key] + " is true of some part?"
}

func (c chooser) sourceDrafts() []Draft {
	rivals := c.otherExcerpts()
	if len(rivals) < 3 {
		return nil
	}
	var out []Draft
	for _, e := range c.ownExcerpts() {
		d := c.newDraft(c.questionHead(), e)
		for _, r := range nearestInLength(e.text, rivals, 3) {
			d.addOption(r, schemas.RoleDistractor)
		}
		d.Explanation = "The right option describes the target video, the others the other one."
		out = append(out, d)
	}
	return out
}

func (c chooser) interferenceDrafts() []Draft {
	rivals, made := c.otherExcerpts(), c.alteredExcerpts()
	if len(rivals) < 2 || len(made) == 0 {
		return nil
	}
	var out []Draft
	for _, e := range c.ownExcerpts() {
		for _, m := range nearestInLength(e.text, made, 4) {
			d := c.newDraft(c.questionHead(), e)
			for _, r := range nearestInLength(e.text, rivals, 2) {
				d.addOption(r, schemas.RoleIntrusion)
			}
			d.Options = append(d.Options, Option{m.text, schemas.RoleUnrelated})
			d.Explanation = "The right option describes the target video, the intrusions the other one; the last is altered and describes neither."
			out = append(out, d)
		}
	}
	return out
}

func (c chooser) newDraft(question string, e excerpt) Draft {
	d := Draft{Question: question}
	d.addOption(e, schemas.RoleCorrect)
	return d
}

func (d *Draft) addOption(e excerpt, role string) {
	d.Options = append(d.Options, Option{e.text, role})
	d.cite(e)
}

func (d *Draft) cite(e excerpt) {
	if !slices.Contains(d.Evidence, e.from) {
		d.Evidence = append(d.Evidence, e.from)
	}
}

func nearestInLength(text string, from []excerpt, n int) []excerpt {
	distance := func(e excerpt) int { return max(len(e.text)-len(text), len(text)-len(e.text)) }
	out := slices.Clone(from)
	slices.SortStableFunc(out, func(a, b excerpt) int { return distance(a) - distance(b) })
	return out[:min(n, len(out))]
}

// sequences are the orders of three things, the right one first.
var sequences = [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}

// orderDrafts asks for the order of three parts of the target, each with a text
// that no other part has.
func (c chooser) orderDrafts() []Draft {
	once := c.uniqueExcerpts()
	var out []Draft
	for i := range once {
		for j := i + 1; j < len(once); j++ {
			for k := j + 1; k < len(once); k++ {
				out = append(out, c.sequenceDraft([3]excerpt{once[i], once[j], once[k]}))
			}
		}
	}
	c.rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// uniqueExcerpts returns the texts that stand in one section of the target
// only, in order.
func (c chooser) uniqueExcerpts() []excerpt {
	all := c.excerpts(RoleTarget)
	out := slices.DeleteFunc(all, func(e excerpt) bool {
		return slices.ContainsFunc(c.in.Target.Sections, func(p Part) bool {
			return p.Section != e.from.Section && answercues.Alike(groundtruth.DescriptionTexts(p.Description)[c.key], e.text)
		})
	})
	slices.SortFunc(out, func(a, b excerpt) int { return a.from.Section - b.from.Section })
	return out
}

func (c chooser) sequenceDraft(parts [3]excerpt) Draft {
	d := Draft{
		Question:    "In " + c.in.Target.Name + ", in which order do these descriptions of " + about[c.key] + " become true?",
		Explanation: "The parts follow each other as the right option says; the others change the order.",
	}
	wrong := slices.Clone(sequences[1:])
	c.rnd.Shuffle(len(wrong), func(i, j int) { wrong[i], wrong[j] = wrong[j], wrong[i] })
	for i, s := range append([][3]int{sequences[0]}, wrong[:3]...) {
		role := schemas.RoleDistractor
		if i == 0 {
			role = schemas.RoleCorrect
		}
		text := []string{quoteExcerpt(parts[s[0]]), quoteExcerpt(parts[s[1]]), quoteExcerpt(parts[s[2]])}
		d.Options = append(d.Options, Option{strings.Join(text, ", then "), role})
	}
	for _, p := range parts {
		d.cite(p)
	}
	return d
}

func quoteExcerpt(e excerpt) string { return `"` + e.text + `"` }

// exchangeable is a word that can replace the others of its table: a text in
// which it is exchanged stays a sentence and becomes another claim. others are
// words that could name the same thing.
type exchangeable struct {
	name   string
	others []string
}

// tables of colours and of corners.
var tables = [][]exchangeable{
	{
		{"black", []string{"grey"}}, {"white", []string{"grey"}}, {"grey", []string{"black", "white"}},
		{"red", []string{"orange", "pink", "brown"}}, {"orange", []string{"red", "yellow", "brown"}}, {"yellow", []string{"orange", "green"}},
		{"green", []string{"yellow", "cyan"}}, {"blue", []string{"cyan", "purple"}}, {"purple", []string{"blue", "pink"}},
		{"pink", []string{"red", "purple"}}, {"brown", []string{"red", "orange"}},
	},
	{{"top left", nil}, {"top right", nil}, {"bottom left", nil}, {"bottom right", nil}},
}

// absentWords returns, by table, the words that are far from every one that the
// descriptions of either video hold.
func absentWords(in Input) [][]string {
	index := func(w string) bool { return in.Target.hasText(w) || in.Other.hasText(w) }
	out := make([][]string, len(tables))
	for i, table := range tables {
		for _, w := range table {
			if !index(w.name) && !slices.ContainsFunc(w.others, index) {
				out[i] = append(out[i], w.name)
			}
		}
	}
	return out
}

// alteredExcerpts returns texts in which a word was exchanged for an absent
// one, so that their claim is true of no part.
func (c chooser) alteredExcerpts() []excerpt {
	var out []excerpt
	for _, e := range slices.Concat(c.excerpts(RoleTarget), c.excerpts(RoleOther)) {
		for i := range tables {
			out = append(out, c.exchangeWords(e, i)...)
		}
	}
	c.rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// exchangeWords puts each absent word of a table in the place of the first one
// of the text, which of several is the most informative.
func (c chooser) exchangeWords(e excerpt, table int) []excerpt {
	old := firstWord(e.text, tables[table])
	var out []excerpt
	for _, w := range c.absent[table] {
		if t, ok := exchangeWord(e.text, old, w); ok {
			out = append(out, excerpt{t, e.from})
		}
	}
	return out
}

func firstWord(text string, table []exchangeable) string {
	name, at := "", len(text)
	for _, w := range table {
		if i := strings.Index(strings.ToLower(text), w.name); answercues.ContainsWords(text, w.name) && i < at {
			name, at = w.name, i
		}
	}
	return name
}

// exchangeWord replaces the one occurrence of a word; false when it occurs
// several times, or as part of another word.
func exchangeWord(text, old, word string) (string, bool) {
	var at []int
	for from := 0; old != ""; {
		i := strings.Index(strings.ToLower(text[from:]), old)
		if i < 0 {
			break
		}
		at = append(at, from+i)
		from += i + len(old)
	}
	if len(at) != 1 || len(strings.ToLower(text)) != len(text) {
		return "", false
	}
	before, after := text[:at[0]], text[at[0]+len(old):]
	if letterAt(before, len(before)-1) || letterAt(after, 0) {
		return "", false
	}
	return before + word + after, true
}

func letterAt(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] == '-' || len(answercues.Words(s[i:i+1])) > 0 || s[i] >= 0x80)
}

// contentDrafts asks for a detail of the target; the other options have another
// colour or corner in its place.
func (c chooser) contentDrafts() []Draft {
	var out []Draft
	for _, e := range c.excerpts(RoleTarget) {
		for i := range tables {
			made := c.exchangeWords(e, i)
			if len(made) < 3 {
				continue
			}
			c.rnd.Shuffle(len(made), func(i, j int) { made[i], made[j] = made[j], made[i] })
			d := c.newDraft(c.questionHead(), e)
			for _, m := range made[:3] {
				d.Options = append(d.Options, Option{m.text, schemas.RoleDistractor})
			}
			d.Explanation = "Each wrong option is the right one with something else in place of " + firstWord(e.text, tables[i]) + "."
			out = append(out, d)
		}
	}
	return out
}

func (c chooser) memoryDrafts(from []excerpt, why string) []Draft {
	var out []Draft
	for _, e := range from {
		d := Draft{
			Question:    "In which of the two videos is there a part of which this description of " + about[c.key] + ` is true: "` + e.text + `"?`,
			Explanation: why,
		}
		d.cite(e)
		out = append(out, d)
	}
	return out
}
