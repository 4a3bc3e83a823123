// Package pairing chooses which videos to put together: alike ones, because
// memory interferes most between similar material (M3Eval appendix B).
//
// Videos are compared within groups that agree in source and category, by the
// words that are said of them or by vectors of an embedder. Groups of up to 256
// are compared all with all; in larger ones each video looks for its nearest
// neighbours, which takes time and memory that grow with the number of videos
// and not with its square.
package pairing

import (
	"context"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Candidate is a video that wants a partner.
type Candidate struct {
	ID    string
	Video schemas.Video
	// Vector is the embedding of what EmbeddingText says of the video. Either all
	// candidates have one, and are compared by it, or none.
	Vector Vector
}

// What may have to be equal in a pair, see Limits.Within.
const (
	Source   = "source"
	Category = "category"
)

// How clusters count, see Limits.Clusters.
const (
	Prefer  = "prefer"
	Require = "require"
	Ignore  = "ignore"
)

// Limits of a matching.
type Limits struct {
	// MaxUse is in how many pairs a video may be, 1 or more.
	MaxUse int
	// MinSimilarity is the least similarity of a pair without a common cluster.
	MinSimilarity float64
	// Within lists what two videos of a pair have in common.
	Within []string
	// Apart lists labels that must be told apart: neither video's text holds the
	// other's.
	Apart []string
	// Clusters says whether videos with a common cluster come before all others
	// (Prefer), are the only ones to be paired (Require), or like all others
	// (Ignore). They need no similarity: that they are alike is known.
	Clusters string
	// Neighbours is how many partners a video of a large group considers at a
	// time. Those that are left when theirs are taken look again.
	Neighbours int
}

// Link is a chosen pair; A and B index the candidates, A < B.
type Link struct {
	A, B int
	// Similarity from 0 to 1, to four digits.
	Similarity float64
}

// Match links candidates, the most similar first; ties are broken by seed and
// the candidates' ids. Candidates must come in a fixed order and have different
// ids. The result does not depend on the number of cores.
func Match(ctx context.Context, cs []Candidate, lim Limits, seed uint64) ([]Link, error) {
	var out []Link
	for _, members := range groupCandidates(cs, lim.Within) {
		b, err := newBlock(ctx, cs, members, lim, seed)
		if err != nil {
			return nil, err
		}
		if err := b.match(ctx); err != nil {
			return nil, err
		}
		out = append(out, b.links...)
	}
	return out, nil
}

func groupCandidates(cs []Candidate, within []string) [][]int {
	groups := map[string][]int{}
	for i := range cs {
		key := ""
		if slices.Contains(within, Source) {
			key = cs[i].Video.SourceID
		}
		if slices.Contains(within, Category) {
			key += "\x00" + cs[i].Video.Category
		}
		groups[key] = append(groups[key], i)
	}
	return sortedGroups(groups)
}

func sortedGroups[T any](groups map[string][]T) [][]T {
	keys := make([]string, 0, len(groups))
	for k, members := range groups {
		if len(members) > 1 {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, strings.Compare)
	out := make([][]T, len(keys))
	for n, k := range keys {
		out[n] = groups[k]
	}
	return out
}
