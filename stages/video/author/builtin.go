package author

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/schemas"
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
// gives passes Check.
func ChooseDraft(typ string, in Input, rnd *rand.Rand) (Draft, error) {
	c := chooser{in: in, rnd: rnd, absent: absentWords(in)}
	var drafts []Draft
	for _, key := range rnd.Perm(len(about)) {
		c.key = key
		drafts = append(drafts, c.drafts(typ)...)
	}
	told := indexStories(in)
	for _, d := range drafts {
		if len(checkAgainst(told, typ, in, AddFixedOptions(typ, in, d))) == 0 {
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

// story is the target or the other video.
func (c chooser) story(of string) Story {
	if of == RoleOther {
		return c.in.Other
	}
	return c.in.Target
}

// excerpts are the distinct texts of a video, shuffled. A text that the name of a
// video gives away is left out.
func (c chooser) excerpts(of string) []excerpt {
	var out []excerpt
	for _, p := range c.story(of).Sections {
		t := strings.TrimSuffix(strings.TrimSpace(p.texts()[c.key]), ".")
		known := slices.ContainsFunc(out, func(e excerpt) bool { return answercues.Alike(e.text, t) })
		if p.Cut || t == "" || len(t) > maxText || known || answercues.ContainsWords(c.in.Target.Name, t) || answercues.ContainsWords(c.in.Other.Name, t) {
			continue
		}
		out = append(out, excerpt{t, Evidence{of, p.Section}})
	}
	c.rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// ownExcerpts are texts of the target alone, others those of the other video alone.
func (c chooser) ownExcerpts() []excerpt   { return c.excerptsOnlyIn(RoleTarget, RoleOther) }
func (c chooser) otherExcerpts() []excerpt { return c.excerptsOnlyIn(RoleOther, RoleTarget) }

func (c chooser) excerptsOnlyIn(of, not string) []excerpt {
	return slices.DeleteFunc(c.excerpts(of), func(e excerpt) bool {
		return slices.ContainsFunc(c.story(not).Sections, func(p Part) bool { return answercues.Alike(p.texts()[c.key], e.text) })
	})
}

// questionHead begins a question about the texts of the key.
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

// newDraft starts a question with its right option.
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

// nearestInLength are the n excerpts whose length is nearest to that of a text.
func nearestInLength(text string, from []excerpt, n int) []excerpt {
	distance := func(e excerpt) int { return max(len(e.text)-len(text), len(text)-len(e.text)) }
	out := slices.Clone(from)
	slices.SortStableFunc(out, func(a, b excerpt) int { return distance(a) - distance(b) })
	return out[:min(n, len(out))]
}
