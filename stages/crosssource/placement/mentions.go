package placement

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
	"github.com/memforge/memforge/stages/crosssource/simulate"
)

// Of how many names of what is asked about a source mentions some at most, and of how many
// things some attribute.
const (
	mostSeen   = 24
	mostTopics = 48
)

// mentions are names of firms and things that items tell something of, and which attributes of
// which of these, for sources to mention where they tell nothing: else whoever looks for a
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

// pickFor are those that a source mentions, by its key. A topic counts as often as something
// is told of it, so that what is told of more is mentioned more.
func (s mentions) pickFor(key string) mentions {
	rnd := rand.New(rand.NewPCG(words.Hash(key), words.Hash("seen")))
	names, topics := slices.Compact(slices.Sorted(slices.Values(s.names))), slices.Clone(s.topics)
	rnd.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	rnd.Shuffle(len(topics), func(i, j int) { topics[i], topics[j] = topics[j], topics[i] })
	return mentions{names[:min(len(names), mostSeen)], topics[:min(len(topics), mostTopics)]}
}
