package route

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/memforge/memforge/stages/crosssource/worlds"
)

// mostSeen is how many names of what is asked about a source mentions at most.
const mostSeen = 24

// seen are names of firms and things that the items tell something of, for a source to
// mention where it tells nothing: else whoever looks for a name finds evidence alone. None
// is an option or stands in a call, so that none of these is named more than others.
func (p *plan) seen(key string) []string {
	var names, offered []string
	for _, item := range p.batch.Items {
		offered = append(offered, item.Question.AnswerCall)
		for _, o := range item.Question.Options {
			offered = append(offered, o.Text)
		}
		for _, u := range item.Units {
			things, firms := worlds.Called(u.Text)
			names = append(names, slices.Concat(things, firms)...)
		}
	}
	names = slices.DeleteFunc(names, func(n string) bool {
		return slices.ContainsFunc(offered, func(o string) bool { return strings.Contains(o, n) })
	})
	order := func(n string) string {
		sum := sha256.Sum256([]byte("seen " + key + n))
		return string(sum[:])
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(order(a), order(b)) })
	names = slices.Compact(names)
	return names[:min(len(names), mostSeen)]
}
