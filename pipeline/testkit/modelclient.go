package testkit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
)

// YAML is a models block with one model, "scripted", and a roles block that
// gives it the roles. What is added to the model comes indented by four spaces.
func (m *ModelServer) YAML(add string, roles ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "models:\n  scripted:\n    base_url: %s\n    model: scripted-1\n    capabilities: {embeddings: true}\n%s", m.URL, add)
	b.WriteString("roles:\n")
	for _, r := range roles {
		fmt.Fprintf(&b, "  %s: scripted\n", r)
	}
	return b.String()
}

// Live returns a live client that leads the roles to the server, with a ledger
// of its own, and the identities that a plan gives them: Subject.Roles and
// Subject.Models of a conformance test.
func (m *ModelServer) Live(t testing.TB, roles ...string) (map[string]pipeline.ModelIdentity, *client.Client) {
	t.Helper()
	book, err := ledger.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := book.Close(); err != nil {
			t.Error(err)
		}
	})
	return m.LiveWith(t, client.Options{Ledger: book}, "", roles...)
}

// LiveWith is Live with options and with more in the model's block, see
// YAML.
func (m *ModelServer) LiveWith(t testing.TB, o client.Options, add string, roles ...string) (map[string]pipeline.ModelIdentity, *client.Client) {
	t.Helper()
	cfg, err := config.ParseModels("scripted.yaml", []byte(m.YAML(add, roles...)))
	if err != nil {
		t.Fatal(err)
	}
	o.Models, o.Roles = cfg.Models, cfg.Roles
	if o.FirstPause == 0 {
		o.FirstPause = time.Millisecond
	}
	c, err := client.New(o, cfg.Plan.Models)
	if err != nil {
		t.Fatal(err)
	}
	return cfg.Plan.Models, c
}
