package testkit

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"net/http"
	"strings"
)

func (*ModelServer) embeddings(_ *http.Request, body []byte) (any, usageTokens, error) {
	var in struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, usageTokens{}, err
	}
	used := usageTokens{}
	data := make([]any, len(in.Input))
	for i, text := range in.Input {
		// Backwards: the order of a list is not what says whose vector it is.
		at := len(in.Input) - 1 - i
		data[at] = map[string]any{"object": "embedding", "index": i, "embedding": wordVector(text)}
		used.Input += int64(len(text))/4 + 1
	}
	return map[string]any{
		"object": "list", "data": data, "model": in.Model,
		"usage": map[string]any{"prompt_tokens": used.Input, "total_tokens": used.Input},
	}, used, nil
}

// wordVector is a unit vector of hashed words: texts that share words are near.
func wordVector(text string) []float32 {
	const size = 64
	v := make([]float32, size)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		h := fnv.New32a()
		h.Write([]byte(word))
		v[h.Sum32()%size]++
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		v[0], sum = 1, 1
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}
