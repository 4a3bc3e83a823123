package rounds

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// rank is a number that follows from the seed, an annotator and an item, and tells nothing
// of either.
func rank(seed uint64, parts ...string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q", seed, parts))
	return hex.EncodeToString(sum[:16])
}

// byRank sorts values by the rank of their names, each name once.
func byRank[T any](seed uint64, all []T, name func(T) []string) []T {
	out := slices.Clone(all)
	slices.SortFunc(out, func(a, b T) int {
		x, y := name(a), name(b)
		return cmp.Or(strings.Compare(rank(seed, x...), rank(seed, y...)), slices.Compare(x, y))
	})
	return out
}

// orderFor returns the items in the order of one annotator.
func orderFor(seed uint64, annotator string, items []string) []string {
	return byRank(seed, items, func(item string) []string { return []string{"order", annotator, item} })
}

// OptionsFor returns the options of a question in the order in which an annotator sees them.
// It follows from seed, annotator, item and the keys of options, not from which is right.
func OptionsFor(seed uint64, annotator string, q schemas.Question) []schemas.Option {
	return byRank(seed, q.Options, func(o schemas.Option) []string { return []string{"option", annotator, q.QuestionID, o.Key} })
}

// assign returns who decides about an item: n of the people.
func assign(seed uint64, item string, people []string, n int) []string {
	ranked := byRank(seed, people, func(p string) []string { return []string{"assign", p, item} })
	return ranked[:min(n, len(ranked))]
}
