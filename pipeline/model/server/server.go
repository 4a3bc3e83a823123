// Package server says which server a model is asked at and what it takes: one entry of
// the models block of a configuration.
package server

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline"
)

// Model is one entry of the models block: an OpenAI-compatible server and a
// model on it. What can change an answer goes to the plan (see Identity); the
// address below its host, the key, the price and the limits never enter a key.
type Model struct {
	BaseURL      string       `json:"base_url" required:"true" doc:"address up to and with the version, for example https://api.openai.com/v1; Azure's may end with ?api-version=..."`
	KeyEnv       string       `json:"key_env" doc:"name of the environment variable that holds the key; none is sent without it"`
	Model        string       `json:"model" required:"true" doc:"what the server calls the model"`
	Sampling     Sampling     `json:"sampling" doc:"how answers are drawn"`
	Price        *Price       `json:"price" doc:"what a million tokens cost; needed for a budget"`
	Limits       Limits       `json:"limits" doc:"what the server may be asked; 0 means no limit but what the server says"`
	Media        Media        `json:"media" doc:"what images may be sent"`
	Capabilities Capabilities `json:"capabilities" doc:"what the server understands; memforge doctor finds out"`
}

// Sampling says how answers are drawn. What is not set is the server's choice.
type Sampling struct {
	Temperature *float64 `json:"temperature,omitempty" doc:"0 to 2"`
	TopP        *float64 `json:"top_p,omitempty" doc:"above 0, at most 1"`
	MaxTokens   int      `json:"max_tokens,omitempty" doc:"longest answer in tokens"`
	Seed        *int     `json:"seed,omitempty" doc:"seed of sample 0; later samples count up from it"`
	// ExtraBody never replaces what memforge writes itself.
	ExtraBody map[string]any `json:"extra_body,omitempty" doc:"further fields of every request, for example {chat_template_kwargs: {enable_thinking: false}}"`
}

// Price of a million tokens.
type Price struct {
	Input       float64  `json:"input" doc:"per million input tokens"`
	CachedInput *float64 `json:"cached_input" doc:"per million input tokens that the server had cached; as input if not set"`
	Output      float64  `json:"output" doc:"per million output tokens"`
	Currency    string   `json:"currency" required:"true" doc:"for example USD"`
}

// Limits bound what a server is asked.
type Limits struct {
	RequestsPerMinute int           `json:"requests_per_minute" doc:"requests a minute"`
	TokensPerMinute   int           `json:"tokens_per_minute" doc:"tokens a minute, in and out"`
	Concurrency       int           `json:"concurrency" doc:"requests at once; run.limits.model bounds the tasks that ask"`
	Timeout           time.Duration `json:"timeout" doc:"for one request"`
	Tries             int           `json:"tries" doc:"how often a request is tried when the server fails; waiting for a rate limit is no try, and where nobody listens three are enough"`
}

// Media bounds the images of a request.
type Media struct {
	MaxImages   int    `json:"max_images" doc:"most images in one request, 0 for no bound: gates show no more, for all else more are an item too large"`
	MaxLongSide int    `json:"max_long_side" doc:"pixels of the longer side; larger images are scaled down"`
	MaxBytes    int    `json:"max_bytes" doc:"bytes of one encoded image; larger ones are sent as JPEG or refused"`
	Detail      string `json:"detail" enum:"low,high,auto," doc:"OpenAI's detail of an image"`
}

// Capabilities are what a server understands.
type Capabilities struct {
	JSONSchema          bool `json:"json_schema" doc:"response_format json_schema; without it the schema stands in the prompt"`
	Seed                bool `json:"seed" doc:"the seed parameter"`
	Images              bool `json:"images" doc:"images in messages"`
	Embeddings          bool `json:"embeddings" doc:"the embeddings endpoint, for roles that embed"`
	Stream              bool `json:"stream" doc:"ask for answers in pieces, for models that give no others"`
	MaxCompletionTokens bool `json:"max_completion_tokens" doc:"call sampling.max_tokens max_completion_tokens, as OpenAI's reasoning models want"`
}

// SetDefaults implements pipeline.Defaulter: it gives what an OpenAI-compatible server usually takes.
func (m *Model) SetDefaults() {
	m.Limits = Limits{Timeout: 5 * time.Minute, Tries: 12}
	m.Media = Media{MaxImages: 64, MaxLongSide: 2048, MaxBytes: 5 << 20}
	m.Capabilities = Capabilities{JSONSchema: true, Seed: true, Images: true}
}

// Host of the base URL, with the port where one is written.
func (m Model) Host() string {
	u, err := url.Parse(m.BaseURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// Identity is what of a model can change its answers. How many images it takes
// is no part of it: what is shown stands in the requests.
func (m Model) Identity(name string) (pipeline.ModelIdentity, error) {
	sampling, err := pipeline.Canonical(m.Sampling)
	if err != nil {
		return pipeline.ModelIdentity{}, err
	}
	form, err := pipeline.Canonical(struct {
		Media      imageBounds `json:"media"`
		JSONSchema bool        `json:"json_schema"`
	}{imageBounds{m.Media.MaxLongSide, m.Media.MaxBytes, m.Media.Detail}, m.Capabilities.JSONSchema})
	return pipeline.ModelIdentity{Name: name, Model: m.Model, Host: m.Host(), Sampling: sampling, Form: form}, err
}

type imageBounds struct {
	MaxLongSide int    `json:"max_long_side"`
	MaxBytes    int    `json:"max_bytes"`
	Detail      string `json:"detail"`
}

var envName = regexp.MustCompile(`^[A-Z_][A-Z0-9_]{0,127}$`)

// Problem is something wrong with an entry. Path leads to it, as in "limits.tries".
type Problem struct{ Path, Text string }

type checker struct {
	Model
	problems []Problem
}

func (c *checker) addProblem(path, format string, args ...any) {
	c.problems = append(c.problems, Problem{path, fmt.Sprintf(format, args...)})
}

// Check lists what is wrong with an entry.
func (m Model) Check() []Problem {
	c := checker{Model: m}
	c.checkAddress()
	if c.Model.Model == "" {
		c.addProblem("model", "it needs model: the name its server knows it by")
	}
	if c.KeyEnv != "" && !envName.MatchString(c.KeyEnv) {
		// The value is not shown: it may be the key itself.
		c.addProblem("key_env", "key_env must be the name of an environment variable (A-Z, 0-9, _), never the key itself")
	}
	c.checkSampling()
	c.checkPrice()
	for _, x := range []struct {
		path  string
		value int
	}{
		{"limits.requests_per_minute", c.Limits.RequestsPerMinute}, {"limits.tokens_per_minute", c.Limits.TokensPerMinute},
		{"limits.concurrency", c.Limits.Concurrency}, {"media.max_images", c.Media.MaxImages},
	} {
		if x.value < 0 {
			c.addProblem(x.path, "%s is %d: want at least 0", x.path, x.value)
		}
	}
	if c.Limits.Tries < 1 || c.Limits.Timeout <= 0 {
		c.addProblem("limits", "limits need tries of at least 1 and a timeout above 0s")
	}
	if c.Media.MaxLongSide < 64 || c.Media.MaxBytes < 4096 {
		c.addProblem("media", "media need a max_long_side of at least 64 and max_bytes of at least 4096")
	}
	return c.problems
}

func (c *checker) checkAddress() {
	if c.BaseURL == "" {
		c.addProblem("base_url", "it needs base_url, for example https://api.openai.com/v1")
		return
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Fragment != "" || !hasOnlyVersion(u) {
		c.addProblem("base_url", "want an http or https address without credentials, up to and with the version (https://host/v1), and no query but Azure's api-version")
		return
	}
	if strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions") {
		c.addProblem("base_url", "leave /chat/completions out: memforge adds it")
	}
}

// hasOnlyVersion reports whether the query of an address can hold no key.
func hasOnlyVersion(u *url.URL) bool {
	query := u.Query()
	query.Del("api-version")
	return len(query) == 0
}

func (c *checker) checkSampling() {
	s := c.Sampling
	for _, field := range slices.Sorted(maps.Keys(s.ExtraBody)) {
		if slices.Contains([]string{"model", "messages", "temperature", "top_p", "max_tokens", "max_completion_tokens", "seed", "response_format", "stream"}, field) {
			c.addProblem("sampling.extra_body", "extra_body has %q, which memforge sets itself: by model, sampling and capabilities", field)
		}
	}
	if s.Temperature != nil && (*s.Temperature < 0 || *s.Temperature > 2) {
		c.addProblem("sampling.temperature", "temperature %g: want 0 to 2", *s.Temperature)
	}
	if s.TopP != nil && (*s.TopP <= 0 || *s.TopP > 1) {
		c.addProblem("sampling.top_p", "top_p %g: want above 0 and at most 1", *s.TopP)
	}
	if s.MaxTokens < 0 {
		c.addProblem("sampling.max_tokens", "max_tokens %d: want at least 1, or 0 for the server's own", s.MaxTokens)
	}
	if s.Seed != nil && !c.Capabilities.Seed {
		c.addProblem("sampling.seed", "a seed is set but capabilities.seed is false; remove one of them")
	}
}

func (c *checker) checkPrice() {
	p := c.Price
	if p == nil {
		return
	}
	if p.Input < 0 || p.Output < 0 || p.CachedInput != nil && *p.CachedInput < 0 {
		c.addProblem("price", "a price below 0")
	}
	if p.Currency == "" {
		c.addProblem("price", "a price needs its currency, for example USD")
	}
}
