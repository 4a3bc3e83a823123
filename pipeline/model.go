package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Request is one question to a model, from the plugin that asks to the server that
// answers: all that can change the answer. Two equal requests may be answered by one
// recorded reply. The plugin states what is asked, from Task to Sample, and whom it asks,
// from Role on; the client of the models adds who answers, and the turns of a repair. The
// JSON form is what a ledger records.
type Request struct {
	// Host of the server, and Model, the id it knows the model by.
	Host  string `json:"host"`
	Model string `json:"model"`
	// Task names what is asked, the prompt file it is worded in and, on the wire, the
	// schema of the answer.
	Task string `json:"task"`
	// Messages are the turns: the system and the user part of the rendered prompt, then
	// those of a repair.
	Messages []Message `json:"messages,omitempty"`
	// Schema is the JSON Schema of the answer.
	Schema json.RawMessage `json:"schema,omitempty"`
	// Sampling and Form are those of ModelIdentity.
	Sampling json.RawMessage `json:"sampling,omitempty"`
	Form     json.RawMessage `json:"form,omitempty"`
	// Sample counts independent samples of the same question from 0.
	Sample int `json:"sample"`
	// Text to embed, for EmbedTask.
	Text string `json:"text,omitempty"`

	// Role in pipeline.yaml's roles block: author, captioner, judge, ...
	Role string `json:"-"`
	// Prompt is the digest of the prompt file.
	Prompt Digest `json:"-"`
	// Input is the typed input in canonical JSON: what the built-in model reads.
	Input json.RawMessage `json:"-"`
}

// Message is one turn of a chat. Images are PNG or JPEG blobs, in order.
type Message struct {
	Role   string   `json:"role"`
	Text   string   `json:"text"`
	Images []Digest `json:"images,omitempty"`
}

// ChatMessages returns the turns of a rendered prompt.
func ChatMessages(system, user string, images []Digest) []Message {
	return []Message{{Role: "system", Text: system}, {Role: "user", Text: user, Images: images}}
}

// System returns the system part of the prompt, or "".
func (r Request) System() string { return r.message(0).Text }

// User returns the user part of the prompt, or "".
func (r Request) User() string { return r.message(1).Text }

// Images returns the images of the prompt, in order.
func (r Request) Images() []Digest { return r.message(1).Images }

func (r Request) message(i int) Message {
	if i >= len(r.Messages) {
		return Message{}
	}
	return r.Messages[i]
}

// ReplyOutcome is what came of a request that was answered, or refused for what it holds.
// Package model lists the outcomes.
type ReplyOutcome string

// ReplyOK is the outcome of an answer that can be used.
const ReplyOK ReplyOutcome = "ok"

// Code returns the rejection code of an outcome: model-invalid, ...
func (o ReplyOutcome) Code() string { return "model-" + string(o) }

// Reply is what a model answered to a request. The JSON form is what a ledger records.
type Reply struct {
	Outcome ReplyOutcome `json:"outcome"`
	// Text is what the model said. Scope.Ask returns the JSON value in it; the plugin that
	// asks validates it against the schema, unless it is Checked.
	Text string `json:"text,omitempty"`
	// Detail is what the server said of an outcome other than OK.
	Detail string `json:"detail,omitempty"`
	// Served and Fingerprint are what the server stated of its model.
	Served      string `json:"model,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
	// Usage is recorded as it was paid. Scope.Ask returns what a release may state: the
	// input of the request as first put, the output of the answer that was taken. Attempts
	// that failed and turns that ask for a repair are left out, or a release would depend
	// on a server's bad moments; they stand in the ledger and in the account.
	Usage Usage `json:"usage"`
	// Vector holds an embedding as little-endian float32.
	Vector []byte `json:"vector,omitempty"`

	// Model is the model's name as a release states it.
	Model string `json:"-"`
	// Checked says that Text fits the schema of this very request.
	Checked bool `json:"-"`
}

// Usage counts tokens; all zero for the built-in model.
type Usage struct {
	Input  int64 `json:"input"` // tokens, cached ones included
	Cached int64 `json:"cached"`
	Output int64 `json:"output"`
}

// Models answers requests on behalf of the roles that a plan gives to
// other models than the built-in one. It is safe for concurrent use.
type Models interface {
	// Ask answers one request. The scope gives access to the images. A refusal
	// and whatever else concerns this request alone has a *Rejection in its
	// chain; any other error ends the build.
	Ask(ctx context.Context, s *Scope, r Request) (Reply, error)
	// Embed returns one vector per text, all of one length.
	Embed(ctx context.Context, s *Scope, role string, texts []string) ([][]float32, error)
}

// ModelIdentity is what of a model can change its answers.
type ModelIdentity struct {
	// Name of the model in pipeline.yaml. It does not enter keys.
	Name string `json:"-"`
	// Model is the id its server knows it by, Host the host of its base URL.
	Model string `json:"model"`
	Host  string `json:"host"`
	// Sampling is the canonical JSON of temperature, top_p, seed and the like.
	Sampling RawConfig `json:"sampling,omitempty"`
	// Form is the canonical JSON of how requests are put to it: the bounds of
	// images, and what its server understands.
	Form RawConfig `json:"form,omitempty"`
}

// Ask declares one kind of request that a plugin makes.
type Ask struct {
	Role string
	// Task is the name of the prompt, or EmbedTask.
	Task string
	// Prompt is the digest of the prompt file and Version what it calls itself;
	// empty for EmbedTask.
	Prompt  Digest
	Version string
	// Otherwise says what a user without a model for the role can do instead.
	Otherwise string
	// Optional says that the plugin decides by itself where the built-in model plays the role,
	// and asks nothing.
	Optional bool
}

// EmbedTask is the task of Scope.Embed.
const EmbedTask = "embed"

// BuiltInModel is what a release calls the built-in model: what it wrote can
// never pass for a language model's.
const BuiltInModel = "memforge-built-in"

// Rule answers requests of one task without a language model: by measurement,
// template or search, deterministically and offline. It may read the request's
// images through the scope, and must draw chance from scope.Rand only.
type Rule func(ctx context.Context, s *Scope, r Request) (json.RawMessage, error)

type builtIn struct {
	version string
	answer  Rule
}

// AddRule registers how the built-in model answers a task. The rule of
// EmbedTask gets {"texts": [...]} as its input and answers with a list of
// vectors.
func (r *Registry) AddRule(task, version string, answer Rule) {
	if _, taken := r.rules[task]; taken {
		r.errs = append(r.errs, fmt.Errorf("register rule %q: the task has one", task))
		return
	}
	if task == "" || version == "" || answer == nil {
		r.errs = append(r.errs, fmt.Errorf("register rule %q version %q: a rule needs a task, a version and a function", task, version))
		return
	}
	r.rules[task] = builtIn{version, answer}
}

// HasRule reports whether the built-in model has a rule for a task.
func (r *Registry) HasRule(task string) bool {
	_, ok := r.rules[task]
	return ok
}

func otherwiseText(a Ask) string {
	if a.Otherwise == "" {
		return ""
	}
	return ", or " + a.Otherwise
}

func setEntry[V any](m map[string]V, key string, v V) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	m[key] = v
	return m
}

// Origin says on whose behalf something is asked: a step, and the item it is at
// work on (empty where it sees the whole collection). It is for messages and
// accounts and must shape no output.
type Origin struct{ Step, Item string }

// Origin of the scope's task.
func (s *Scope) Origin() Origin { return Origin{Step: s.options.Step, Item: s.options.Item} }

// IsBuiltIn reports whether the built-in model plays a role.
func (s *Scope) IsBuiltIn(role string) bool {
	_, live := s.options.Identity.Models[role]
	return !live
}

// Ask puts a request to the model behind its role.
func (s *Scope) Ask(ctx context.Context, r Request) (Reply, error) {
	if s.options.OnRequest != nil {
		s.options.OnRequest(s.Origin(), r)
	}
	if !s.IsBuiltIn(r.Role) {
		if s.options.Models == nil {
			return Reply{}, fmt.Errorf("ask %s for %s: no model client was started for this run", r.Role, r.Task)
		}
		return s.options.Models.Ask(ctx, s, r)
	}
	answer, err := s.builtIn(ctx, r)
	if err != nil {
		return Reply{}, fmt.Errorf("ask the built-in model for %s: %w", r.Task, err)
	}
	return Reply{Outcome: ReplyOK, Text: string(answer), Model: BuiltInModel}, nil
}

// Embed returns one vector per text from the model behind a role.
func (s *Scope) Embed(ctx context.Context, role string, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	if _, ok := s.options.Identity.Models[role]; ok {
		if s.options.Models == nil {
			return nil, fmt.Errorf("embed for %s: no model client was started for this run", role)
		}
		return s.options.Models.Embed(ctx, s, role, texts)
	}
	input, err := Canonical(map[string]any{"texts": texts})
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	answer, err := s.builtIn(ctx, Request{Role: role, Task: EmbedTask, Input: input})
	if err != nil {
		return nil, fmt.Errorf("embed with the built-in model: %w", err)
	}
	var vectors [][]float32
	if err := json.Unmarshal(answer, &vectors); err != nil {
		return nil, fmt.Errorf("embed with the built-in model: %w", err)
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("embed with the built-in model: %d vectors for %d texts", len(vectors), len(texts))
	}
	return vectors, nil
}

func (s *Scope) builtIn(ctx context.Context, r Request) (json.RawMessage, error) {
	if s.options.Registry == nil {
		return nil, fmt.Errorf("no registry to find a rule in")
	}
	rule, ok := s.options.Registry.rules[r.Task]
	if !ok {
		return nil, fmt.Errorf("there is no rule for it; give the role %q to a model", r.Role)
	}
	return rule.answer(ctx, s, r)
}

// A PictureSender is a plugin whose requests to models have pictures.
type PictureSender interface {
	// MaxPictures is the most pictures of one request.
	MaxPictures() int
}

// A PictureLimiter is a Shower that can do with fewer.
type PictureLimiter interface {
	PictureSender
	// LimitPictures is the configuration under which no request has more than most, which
	// is at least 1.
	LimitPictures(most int) any
}

// SharedModel is a model that holds several seats of one panel: that these agree says no
// more than that it agrees with itself.
type SharedModel struct {
	Model string   `json:"model"`
	Host  string   `json:"host"`
	Roles []string `json:"roles"` // sorted
}

// String says which seats were one model.
func (o SharedModel) String() string {
	return fmt.Sprintf("%s were one model, %s at %s", strings.Join(o.Roles, " and "), o.Model, o.Host)
}

// SharedModels lists the models that hold several seats of a panel, by role. Seats are
// roles called alike but for what follows the last underscore, as panel_a and panel_b;
// how a model is sampled makes no other of it.
func SharedModels(models map[string]ModelIdentity) []SharedModel {
	type seat struct{ panel, model, host string }
	by := map[seat][]string{}
	for _, role := range slices.Sorted(maps.Keys(models)) {
		if at := strings.LastIndex(role, "_"); at > 0 {
			s := seat{role[:at], models[role].Model, models[role].Host}
			by[s] = append(by[s], role)
		}
	}
	var out []SharedModel
	for s, roles := range by {
		if len(roles) > 1 {
			out = append(out, SharedModel{s.model, s.host, roles})
		}
	}
	slices.SortFunc(out, func(a, b SharedModel) int { return cmp.Compare(a.Roles[0], b.Roles[0]) })
	return out
}
