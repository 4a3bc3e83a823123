package model

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
)

// AddEmbedder registers the built-in model's rule for embeddings; see BuiltInVector.
func AddEmbedder(r *pipeline.Registry) {
	r.AddRule(pipeline.EmbedTask, "1", func(ctx context.Context, _ *pipeline.Scope, req pipeline.Request) (json.RawMessage, error) {
		var in struct {
			Texts []string `json:"texts"`
		}
		if err := json.Unmarshal(req.Input, &in); err != nil {
			return nil, fmt.Errorf("input of %s: %w", req.Task, err)
		}
		vectors := make([][]float32, len(in.Texts))
		for i, text := range in.Texts {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			vectors[i] = BuiltInVector(text)
		}
		return pipeline.Canonical(vectors)
	})
}

// builtInDimensions is the length of the built-in embedder's vectors.
const builtInDimensions = 512

// BuiltInVector embeds a text without a language model: it hashes the words and
// the triples of characters of the text (NFKC, lower case, anything but letters,
// marks and numbers a blank) into 512 signed sums of 1 + floor(log2 count), and
// makes the whole a unit vector. It knows spelling and no meaning: texts are near
// that share words, or forms of words. A text without any word gives zeros.
func BuiltInVector(text string) []float32 {
	counts := map[uint64]int{}
	rule := words.Rule{Compatible: true}
	for word := range rule.Each(text) {
		counts[hash64(word)]++
		runes := []rune(" " + word + " ")
		for i := range len(runes) - 2 {
			counts[hash64(string(runes[i:i+3])+"\x00")]++
		}
	}
	var sums [builtInDimensions]int
	for h, n := range counts {
		weight := bits.Len(uint(n))
		if h>>63 == 1 {
			weight = -weight
		}
		sums[h%builtInDimensions] += weight
	}
	var square int
	for _, s := range sums {
		square += s * s
	}
	v := make([]float32, builtInDimensions)
	for i, s := range sums {
		v[i] = float32(float64(s) / math.Sqrt(float64(max(square, 1))))
	}
	return v
}

func hash64(s string) uint64 {
	h := words.Hash(s)
	h = (h ^ h>>32) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}
