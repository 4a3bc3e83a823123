package planted_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/config"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/pipelinetest"
	"github.com/memforge/memforge/pipeline/pipelinetest/planted"
)

// asked is a request as any of the two ways brings it: a task, the user part of
// the prompt, the bytes of the pictures, and which sample it is.
type asked struct {
	model, task, user string
	pictures          [][]byte
	sample            int
}

// slips are the chances of one model to do wrong what it could do right.
type slips struct {
	// nothing, text and picture are the chances to take another option than the
	// one that follows, by what is shown.
	nothing, text, picture float64
	// guess is the chance to draw an option by lot where nothing follows.
	guess float64
	// judge is the chance to say no for yes and yes for no, with and without
	// pictures alike.
	judge float64
}

// chance to take another option.
func (s slips) chance(shown planted.Shown) float64 {
	switch {
	case len(shown.Pictures) > 0:
		return s.picture
	case len(shown.Passages) > 0:
		return s.text
	}
	return s.nothing
}

// brain answers as far as what is shown suffices, with the slips of each model.
type brain map[string]slips

// answer is a function of the request alone.
func (b brain) answer(a asked) (any, error) {
	shown, err := planted.ReadPrompt(a.user, a.pictures)
	if err != nil {
		return nil, err
	}
	s, luck := b[a.model], a.luck()
	if strings.HasSuffix(a.task, "support") {
		yes, err := planted.Supported(shown)
		if luck.Float64() < s.judge {
			yes = !yes
		}
		return map[string]string{"why": "As shown.", "supported": map[bool]string{true: "yes", false: "no"}[yes]}, err
	}
	letter, err := planted.Solve(shown)
	slip, n := luck.Float64(), luck.IntN(len(shown.Options)-1)
	switch {
	case letter == planted.Unknown && slip < s.guess:
		letter = shown.Options[luck.IntN(len(shown.Options))].Letter
	case letter != planted.Unknown && slip < s.chance(shown):
		at := (int(letter[0]-'A') + 1 + n) % len(shown.Options)
		letter = shown.Options[at].Letter
	}
	return map[string]string{"why": "As shown.", "answer": letter}, err
}

// luck is drawn from all that a model is sent, so that two placements of the
// options and two samples are independent.
func (a asked) luck() *rand.Rand {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%s\x00%d", a.model, a.task, a.user, a.sample)
	for _, p := range a.pictures {
		h.Write(p)
	}
	sum := h.Sum(nil)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])))
}

// seed of a model's first sample, by which a server tells samples apart.
const seed = 100

// players are the models behind the roles of the panel.
func players(url string) string {
	var models, roles strings.Builder
	for role, model := range map[string]string{"panel_a": "alpha", "panel_b": "beta", "judge": "gamma"} {
		fmt.Fprintf(&models, "  %s:\n    base_url: %s\n    model: %s\n    sampling: {seed: %d}\n", model, url, model, seed)
		fmt.Fprintf(&roles, "  %s: %s\n", role, model)
	}
	return "models:\n" + models.String() + "roles:\n" + roles.String()
}

func playersOf(t testing.TB, url string) *config.Config {
	t.Helper()
	cfg, err := config.ParseAsking("players.yaml", []byte(players(url)))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// serve gives the roles of a house to a brain behind a real HTTP server, asked
// through the live client.
func (b brain) serve(t testing.TB, h *house) *pipelinetest.ModelServer {
	t.Helper()
	server := pipelinetest.NewModelServer(t, func(a pipelinetest.Asked) pipelinetest.Said {
		if a.Seed == nil {
			return pipelinetest.Said{Refusal: "Which sample is this?"}
		}
		said, err := b.answer(asked{a.Model, a.Task, a.User, a.Images, *a.Seed - seed})
		if err != nil {
			return pipelinetest.Said{Refusal: err.Error()}
		}
		return pipelinetest.Say(said)
	})
	book, err := ledger.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := book.Close(); err != nil {
			t.Error(err)
		}
	})
	cfg := playersOf(t, server.URL)
	c, err := client.New(client.Options{Models: cfg.Models, Roles: cfg.Roles, Ledger: book, FirstPause: time.Millisecond}, cfg.Plan.Models)
	if err != nil {
		t.Fatal(err)
	}
	h.roles, h.models = cfg.Plan.Models, c
	return server
}

// direct is a brain without a server between: the same requests, much cheaper.
type direct struct {
	brain
	roles    map[string]pipeline.ModelIdentity
	mu       sync.Mutex
	pictures map[pipeline.Digest][]byte
}

// sit gives the roles of a house to a brain. Two brains have two hosts, so that
// none is taken for the other in what the house remembers.
func (b brain) sit(t testing.TB, h *house, host string) {
	t.Helper()
	h.roles = playersOf(t, "http://"+host+"/v1").Plan.Models
	h.models = &direct{brain: b, roles: h.roles, pictures: map[pipeline.Digest][]byte{}}
}

// Ask implements pipeline.Models.
func (d *direct) Ask(ctx context.Context, s *pipeline.Scope, r pipeline.Request) (pipeline.Reply, error) {
	a := asked{model: d.roles[r.Role].Model, task: r.Task, user: r.User, sample: r.Sample}
	for _, digest := range r.Images {
		b, err := d.picture(ctx, s, digest)
		if err != nil {
			return pipeline.Reply{}, err
		}
		a.pictures = append(a.pictures, b)
	}
	said, err := d.answer(a)
	if err != nil {
		return pipeline.Reply{}, err
	}
	raw, err := pipeline.Canonical(said)
	return pipeline.Reply{Answer: raw, Model: a.model}, err
}

func (d *direct) picture(ctx context.Context, s *pipeline.Scope, digest pipeline.Digest) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b, ok := d.pictures[digest]; ok {
		return b, nil
	}
	f, err := s.OpenBlob(ctx, digest)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	d.pictures[digest] = b
	return b, nil
}

// Embed implements pipeline.Models.
func (d *direct) Embed(context.Context, *pipeline.Scope, string, []string) ([][]float32, error) {
	return nil, errors.New("nobody embeds here")
}
