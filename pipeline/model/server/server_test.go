package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/model/server"
	"github.com/memforge/memforge/pipeline/testkit/golden"
)

func small() server.Model {
	two, one, seed, cached := 2.0, 1.0, 7, 0.5
	m := server.Model{BaseURL: "https://API.example:8443/v1", KeyEnv: "API_KEY", Model: "m", Sampling: server.Sampling{Temperature: &two, TopP: &one, Seed: &seed}, Price: &server.Price{Input: 1, CachedInput: &cached, Output: 2, Currency: "USD"}}
	m.SetDefaults()
	m.Limits.Tries, m.Limits.Timeout, m.Media.MaxLongSide, m.Media.MaxBytes = 1, time.Nanosecond, 64, 4096
	return m
}

// TestGoldenSpoiled pins what is wrong with a model, and what changes its answers, for one
// at every bound and for each with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	golden.CheckSpoiled(t, "spoiled", small(), func(doc []byte) string {
		var m server.Model
		if json.Unmarshal(doc, &m) != nil {
			return ""
		}
		id, err := m.Identity("name")
		return fmt.Sprintf("problems %+v\n%s %s %s\nsampling %s\nform %s %v", m.Check(), id.Name, id.Model, id.Host, id.Sampling, id.Form, err)
	})
	defaults := server.Model{BaseURL: "http://h/v1", Model: "m"}
	defaults.SetDefaults()
	if got := golden.JSON(t, defaults); len(defaults.Check()) > 0 || !strings.Contains(got, `"limits":{"requests_per_minute":0,"tokens_per_minute":0,"concurrency":0,"timeout":300000000000,"tries":12},"media":{"max_images":64,"max_long_side":2048,"max_bytes":5242880,"detail":""},"capabilities":{"json_schema":true,"seed":true,"images":true,"embeddings":false,"stream":false,"max_completion_tokens":false}`) {
		t.Errorf("defaults %s: %v", got, defaults.Check())
	}
}

// TestBounds wants one problem of each value beyond a bound, and none of others.
func TestBounds(t *testing.T) {
	below := -0.1
	for _, c := range []struct {
		name   string
		change func(m *server.Model)
		path   string
	}{
		{"as it is", func(m *server.Model) {}, ""},
		{"http", func(m *server.Model) { m.BaseURL = "http://h" }, ""},
		{"another scheme", func(m *server.Model) { m.BaseURL = "ftp://h/v1" }, "base_url"},
		{"no host", func(m *server.Model) { m.BaseURL = "https:///v1" }, "base_url"},
		{"a user", func(m *server.Model) { m.BaseURL = "https://u:p@h/v1" }, "base_url"},
		{"a query", func(m *server.Model) { m.BaseURL = "https://h/v1?a=b" }, "base_url"},
		{"Azure's version", func(m *server.Model) { m.BaseURL = "https://h/openai/deployments/d?api-version=2024-10-21" }, ""},
		{"a key beside it", func(m *server.Model) { m.BaseURL = "https://h/v1?api-version=1&key=k" }, "base_url"},
		{"a further field", func(m *server.Model) { m.Sampling.ExtraBody = map[string]any{"top_k": 5} }, ""},
		{"a field of memforge's", func(m *server.Model) { m.Sampling.ExtraBody = map[string]any{"top_k": 5, "stream": true} }, "sampling.extra_body"},
		{"a fragment", func(m *server.Model) { m.BaseURL = "https://h/v1#a" }, "base_url"},
		{"no address", func(m *server.Model) { m.BaseURL = "https://h\x7f/" }, "base_url"},
		{"the endpoint", func(m *server.Model) { m.BaseURL = "https://h/v1/chat/completions//" }, "base_url"},
		{"a key", func(m *server.Model) { m.KeyEnv = "sk-1" }, "key_env"},
		{"a long name", func(m *server.Model) { m.KeyEnv = strings.Repeat("A", 128) }, ""},
		{"too long a name", func(m *server.Model) { m.KeyEnv = strings.Repeat("A", 129) }, "key_env"},
		{"a low temperature", func(m *server.Model) { m.Sampling.Temperature = &below }, "sampling.temperature"},
		{"a low top_p", func(m *server.Model) { m.Sampling.TopP = &below }, "sampling.top_p"},
		{"a small side", func(m *server.Model) { m.Media.MaxLongSide = 63 }, "media"},
		{"few bytes", func(m *server.Model) { m.Media.MaxBytes = 4095 }, "media"},
		{"a free output", func(m *server.Model) { m.Price.Output = 0 }, ""},
		{"a low price", func(m *server.Model) { m.Price.CachedInput = &below }, "price"},
		{"no price", func(m *server.Model) { m.Price = nil }, ""},
	} {
		m := small()
		c.change(&m)
		paths := ""
		for _, p := range m.Check() {
			paths += p.Path
		}
		if paths != c.path {
			t.Errorf("%s: %v, want %q", c.name, m.Check(), c.path)
		}
	}
	if h := (server.Model{BaseURL: "https://h\x7f/"}).Host(); h != "" {
		t.Errorf("host %q", h)
	}
}
