package defects

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

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/config"
)

// ModelRequest is a request as any way brings it: a task, the user part of the prompt, the
// bytes of the pictures, and which sample it is.
type ModelRequest struct {
	Model, Task, User string
	Pictures          [][]byte
	Sample            int
}

// Rand is drawn from all that a model is sent, so that two placements of the options
// and two samples are independent.
func (a ModelRequest) Rand() *rand.Rand {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%s\x00%d", a.Model, a.Task, a.User, a.Sample)
	for _, p := range a.Pictures {
		h.Write(p)
	}
	sum := h.Sum(nil)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])))
}

// Seed of a model's first sample, by which a server tells samples apart.
const Seed = 100

// PanelConfig is a configuration in which the models alpha and beta are a panel and gamma
// is a judge, all behind one address.
func PanelConfig(t testing.TB, url string) *config.Config {
	t.Helper()
	var models, roles strings.Builder
	for role, model := range map[string]string{"panel_a": "alpha", "panel_b": "beta", "judge": "gamma"} {
		fmt.Fprintf(&models, "  %s:\n    base_url: %s\n    model: %s\n    sampling: {seed: %d}\n", model, url, model, Seed)
		fmt.Fprintf(&roles, "  %s: %s\n", role, model)
	}
	cfg, err := config.ParseModels("players.yaml", []byte("models:\n"+models.String()+"roles:\n"+roles.String()))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// DirectModels gives the roles of a panel and of a judge to who answers, without a server
// between: the same requests, much cheaper. Two who answer have two hosts, so that none
// is taken for the other in what a store remembers.
func DirectModels(t testing.TB, host string, answer func(ModelRequest) (any, error)) (map[string]pipeline.ModelIdentity, pipeline.Models) {
	t.Helper()
	roles := PanelConfig(t, "http://"+host+"/v1").Plan.Models
	return roles, &directModels{answer: answer, roles: roles, pictures: map[pipeline.Digest][]byte{}}
}

type directModels struct {
	answer   func(ModelRequest) (any, error)
	roles    map[string]pipeline.ModelIdentity
	mu       sync.Mutex
	pictures map[pipeline.Digest][]byte
}

// Ask implements pipeline.Models.
func (d *directModels) Ask(ctx context.Context, s *pipeline.Scope, r pipeline.Request) (pipeline.Reply, error) {
	a := ModelRequest{Model: d.roles[r.Role].Model, Task: r.Task, User: r.User(), Sample: r.Sample}
	for _, digest := range r.Images() {
		b, err := d.picture(ctx, s, digest)
		if err != nil {
			return pipeline.Reply{}, err
		}
		a.Pictures = append(a.Pictures, b)
	}
	said, err := d.answer(a)
	if err != nil {
		return pipeline.Reply{}, err
	}
	raw, err := pipeline.Canonical(said)
	return pipeline.Reply{Text: string(raw), Model: a.Model}, err
}

func (d *directModels) picture(ctx context.Context, s *pipeline.Scope, digest pipeline.Digest) ([]byte, error) {
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
func (d *directModels) Embed(context.Context, *pipeline.Scope, string, []string) ([][]float32, error) {
	return nil, errors.New("nobody embeds here")
}
