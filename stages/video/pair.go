package video

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/pairing"
)

// PairConfig configures video.pair.
type PairConfig struct {
	MaxUse        int     `yaml:"max_use" json:"max_use" doc:"in how many pairs a video may be"`
	MinSimilarity float64 `yaml:"min_similarity" json:"min_similarity" doc:"least similarity of a pair, 0 to 1"`
	MaxBlock      int     `yaml:"max_block" json:"max_block" doc:"how many videos of a category are compared with each other; a larger category is cut"`
	PoolPerKind   int     `yaml:"pool_per_kind" json:"pool_per_kind" doc:"how many answers of other videos a pair keeps for unrelated distractors, per event kind"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *PairConfig) SetDefaults() { *c = PairConfig{MaxUse: 1, MaxBlock: 1000, PoolPerKind: 16} }

// pair chooses pairs of alike videos within a category.
type pair struct{ cfg PairConfig }

func newPair(c PairConfig) (pipeline.Stage, error) {
	switch {
	case c.MaxUse < 1:
		return nil, fmt.Errorf("max_use is %d; a video must be usable at least once", c.MaxUse)
	case c.MinSimilarity < 0 || c.MinSimilarity > 1:
		return nil, fmt.Errorf("min_similarity is %g; want 0 to 1", c.MinSimilarity)
	case c.MaxBlock < 2 || c.MaxBlock > 5000:
		return nil, fmt.Errorf("max_block is %d; want 2 to 5000", c.MaxBlock)
	case c.PoolPerKind < 0 || c.PoolPerKind > 1000:
		return nil, fmt.Errorf("pool_per_kind is %d; want 0 to 1000", c.PoolPerKind)
	}
	return &pair{c}, nil
}

func (*pair) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameVideo}, Emits: []string{schemas.NamePair}}
}

func (s *pair) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	videos, err := collect(ctx, scope, in, "")
	if err != nil {
		return err
	}
	candidates := make([]pairing.Candidate, len(videos))
	var pool pairing.Pool
	for i, e := range videos {
		candidates[i] = pairing.Candidate{ID: e.id, Video: e.video}
		pool.Add(e.video)
	}
	limits := pairing.Limits{MaxUse: s.cfg.MaxUse, MinSimilarity: s.cfg.MinSimilarity, MaxBlock: s.cfg.MaxBlock}
	used := make([]bool, len(videos))
	for _, l := range pairing.Match(candidates, limits, scope.Rand("ties")) {
		used[l.A], used[l.B] = true, true
		p := schemas.Pair{A: videos[l.A].video, B: videos[l.B].video, Similarity: l.Similarity}
		id := pairID(p)
		p.Pool = pool.For(id, p.A, p.B, s.cfg.PoolPerKind)
		rec, err := pipeline.NewRecord(schemas.NamePair, id, p, mezzanineBlobs(p.A, p.B)...)
		if err != nil {
			return err
		}
		if err := emit(rec); err != nil {
			return err
		}
	}
	for i, e := range videos {
		if !used[i] {
			scope.Reject(e.id, pipeline.Reject("unpaired", "no video of category %q is left that is alike (similarity %g or more) and has another title; add videos, raise max_use or lower min_similarity", e.video.Category, s.cfg.MinSimilarity))
		}
	}
	return nil
}
