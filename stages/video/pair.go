package video

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/pairing"
	"github.com/memforge/memforge/stages/video/question"
)

const (
	byWords      = "words"
	byEmbeddings = "embeddings"
)

const roleEmbedder = "embedder"

// PairConfig configures video.pair.
type PairConfig struct {
	MaxUse        int        `json:"max_use" doc:"in how many pairs a video may be"`
	MinSimilarity float64    `json:"min_similarity" doc:"least similarity of a pair, 0 to 1; pairs of a common cluster need none unless clusters are ignored"`
	Within        []string   `json:"within" doc:"what the videos of a pair must have in common: source, category, both or nothing"`
	Apart         []string   `json:"apart" doc:"labels that differ between the videos of a pair, for example signer: by what a viewer tells the two apart"`
	Clusters      string     `json:"clusters" doc:"prefer: videos with a common cluster are paired before all others; require: only they are; ignore: clusters do not count"`
	By            string     `json:"by" doc:"words: TF-IDF of all that is said of a video; embeddings: vectors of the role embedder"`
	Neighbours    int        `json:"neighbours" doc:"how many partners a video considers at a time where more than 256 may be paired; up to 256 all are compared"`
	Turns         [][]string `json:"turns" doc:"question types of each pair, in turn; then each thing, person and text of a pair is in one question only, so that its questions do not answer each other; empty: all types of every pair"`
	PoolPerKind   int        `json:"pool_per_kind" doc:"how many answers of other videos a pair keeps for unrelated distractors, per event kind"`
}

// defaultMinSimilarity is the similarity by words below which two videos have hardly
// anything in common to be confused. Of ten described stories the five pairs of
// one topic reach 0.10 to 0.15, and 21 of the 40 others do; real clips that were
// paired, described by the built-in model, reach 0.41 to 0.81.
const defaultMinSimilarity = 0.1

// SetDefaults implements pipeline.Defaulter.
func (c *PairConfig) SetDefaults() {
	*c = PairConfig{
		MaxUse: 1, MinSimilarity: defaultMinSimilarity, Within: []string{pairing.Source, pairing.Category}, Apart: []string{}, Turns: [][]string{}, Clusters: pairing.Prefer,
		By: byWords, Neighbours: 16, PoolPerKind: 16,
	}
}

type pairStage struct{ cfg PairConfig }

func newPair(c PairConfig) (pipeline.Stage, error) {
	if err := cmp.Or(pipeline.CheckRange("max_use", c.MaxUse, 1, 1000), checkWithin("min_similarity", c.MinSimilarity, 0, 1),
		pipeline.CheckRange("neighbours", c.Neighbours, 1, 256), pipeline.CheckRange("pool_per_kind", c.PoolPerKind, 0, 1000)); err != nil {
		return nil, err
	}
	switch {
	case !slices.Contains([]string{pairing.Prefer, pairing.Require, pairing.Ignore}, c.Clusters):
		return nil, fmt.Errorf("clusters is %q; want prefer, require or ignore", c.Clusters)
	case c.By != byWords && c.By != byEmbeddings:
		return nil, fmt.Errorf("by is %q; want words or embeddings", c.By)
	}
	for i, w := range c.Within {
		if w != pairing.Source && w != pairing.Category || slices.Contains(c.Within[:i], w) {
			return nil, fmt.Errorf("within has %q; want source and category, each at most once", w)
		}
	}
	for i, name := range c.Apart {
		if name == "" || slices.Contains(c.Apart[:i], name) {
			return nil, fmt.Errorf("apart has %q; want names of labels, each once", name)
		}
	}
	for _, types := range c.Turns {
		if err := checkTypes(types, allTypes(question.Types)); err != nil || len(types) == 0 {
			return nil, fmt.Errorf("turns: %w", cmp.Or(err, errors.New("one has no types; name those that its pairs are asked")))
		}
	}
	return &pairStage{c}, nil
}

func (s *pairStage) Spec() pipeline.Spec {
	spec := pipeline.Spec{Accepts: []string{schemas.NameVideo}, Emits: []string{schemas.NamePair}}
	if s.cfg.By == byEmbeddings {
		spec.Asks = []pipeline.Ask{{Role: roleEmbedder, Task: pipeline.EmbedTask}}
	}
	return spec
}

func (s *pairStage) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	videos, err := collectVideos(ctx, scope, in, s.cfg.Apart...)
	if err != nil {
		return err
	}
	candidates, err := s.candidates(ctx, scope, videos)
	if err != nil {
		return err
	}
	links, err := pairing.Match(ctx, candidates, s.limits(), scope.Rand("ties").Uint64())
	if err != nil {
		return fmt.Errorf("pair %d videos: %w", len(videos), err)
	}
	return s.emitPairs(scope, videos, links, emit)
}

func (s *pairStage) limits() pairing.Limits {
	return pairing.Limits{
		MaxUse: s.cfg.MaxUse, MinSimilarity: s.cfg.MinSimilarity, Within: s.cfg.Within, Apart: s.cfg.Apart,
		Clusters: s.cfg.Clusters, Neighbours: s.cfg.Neighbours,
	}
}

// textsPerCall is how many texts one call of the embedder gets.
const textsPerCall = 128

func (s *pairStage) candidates(ctx context.Context, scope *pipeline.Scope, videos []videoEntry) ([]pairing.Candidate, error) {
	out := make([]pairing.Candidate, len(videos))
	for i, e := range videos {
		out[i] = pairing.Candidate{ID: e.id, Video: e.video}
	}
	if s.cfg.By == byWords {
		return out, nil
	}
	for batch := range slices.Chunk(out, textsPerCall) {
		texts := make([]string, len(batch))
		for i, c := range batch {
			texts[i] = pairing.EmbeddingText(c.Video)
		}
		vectors, err := scope.Embed(ctx, roleEmbedder, texts)
		if err != nil {
			return nil, fmt.Errorf("embed what is said of %s and those after it: %w", batch[0].ID, err)
		}
		if len(vectors) != len(batch) {
			return nil, fmt.Errorf("embed what is said of %s and those after it: %d vectors for %d texts; check the model behind the role %s", batch[0].ID, len(vectors), len(batch), roleEmbedder)
		}
		for i, v := range vectors {
			if batch[i].Vector, err = pairing.Quantise(v); err != nil {
				return nil, fmt.Errorf("embed what is said of %s: %w; check the model behind the role %s", batch[i].ID, err, roleEmbedder)
			}
		}
	}
	return out, nil
}

func (s *pairStage) emitPairs(scope *pipeline.Scope, videos []videoEntry, links []pairing.Link, emit func(pipeline.Record) error) error {
	var pool pairing.Pool
	for _, e := range videos {
		pool.Add(e.video)
	}
	used := make([]bool, len(videos))
	for i, l := range links {
		used[l.A], used[l.B] = true, true
		p := schemas.Pair{A: videos[l.A].video, B: videos[l.B].video, Similarity: l.Similarity}
		if n := len(s.cfg.Turns); n > 0 {
			p.Types = s.cfg.Turns[i%n]
		}
		id := pairID(p)
		p.Pool = pool.Distractors(id, p.A, p.B, s.cfg.PoolPerKind)
		rec, err := pipeline.NewRecord(schemas.NamePair, id, p, normalisedBlobs(p.A, p.B)...)
		if err != nil {
			return err
		}
		if err := emit(rec); err != nil {
			return err
		}
	}
	for i, e := range videos {
		if !used[i] {
			scope.Reject(e.id, s.rejectUnpaired())
		}
	}
	return nil
}

func (s *pairStage) rejectUnpaired() *pipeline.Rejection {
	group := "its collection"
	if len(s.cfg.Within) > 0 {
		group = "its " + strings.Join(s.cfg.Within, " and ")
	}
	if len(s.cfg.Apart) > 0 {
		group += " with another " + strings.Join(s.cfg.Apart, " and another ")
	}
	if s.cfg.Clusters == pairing.Require {
		return pipeline.Reject("unpaired", "no other video of %s is left that shares a cluster, other footage and another title; add videos, raise max_use or let clusters be preferred", group)
	}
	return pipeline.Reject("unpaired", "no other video of %s is left that is alike (similarity %g or more), with other footage and another title; add videos, raise max_use, lower min_similarity or ask for less within", group, s.cfg.MinSimilarity)
}
