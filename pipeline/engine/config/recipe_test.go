package config_test

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
)

const askFamily = `stages:
  ask: {use: video.ask, from: [probe]}
sources: {films: {use: procedural, with: {count: 12, styles: [noir]}}}
gates:
  roles: {use: interference-roles, from: [ask], on_fail: keep}
`

// TestRecipeBuildsTheSame: whatever a file, its includes and overrides say, the plan of its
// recipe is the same, and texts that look like something else stay texts.
func TestRecipeBuildsTheSame(t *testing.T) {
	for _, title := range []string{
		`A demo`, `"yes"`, `"1e3"`, `"0x1F"`, `"null"`, `"~"`, `"a: b"`, `"# c"`, `"'"`, `"\"\\"`, `"two\nlines\n"`, `" lead"`, `"trail "`, `"é\u2028"`, `"- x"`, `"{{"`, `"*a"`, `"2026-01-31"`, `""`, `"%"`, `"@x"`, `"!x"`,
	} {
		text := strings.Replace(included, "title: A demo", "title: "+title+", about: {cite: \"@misc{x, y = {z: 1}}\"}", 1)
		c, why := load(t, map[string]string{"pipeline.yaml": text, "families/ask.yaml": askFamily}, "sources.films.with.count=3")
		if why != "" {
			t.Fatal(why)
		}
		steps, err := c.Plan.Resolve(t.Context(), registry())
		if err != nil {
			t.Fatal(err)
		}
		recipe, err := c.Recipe(steps)
		if err != nil {
			t.Fatalf("%s: %v", title, err)
		}
		again, err := config.Parse("recipe", recipe, registry(), nil)
		if err != nil {
			t.Fatalf("%s: %v\n%s", title, err, recipe)
		}
		if digest(t, again.Plan) != digest(t, c.Plan) || strings.Contains(string(recipe), "cpu: 2") {
			t.Errorf("%s gives\n%s", title, recipe)
		}
	}
}

func digest(t *testing.T, p engine.Plan) string {
	t.Helper()
	d, err := p.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return string(d)
}

// TestRecipeHoldsNoPrivateAddress: the path of a server may name a team or hold a token.
func TestRecipeHoldsNoPrivateAddress(t *testing.T) {
	for written, want := range map[string]string{
		"https://api.openai.com/v1": "https://api.openai.com/v1", "https://openrouter.ai/api/v1": "https://openrouter.ai/api/v1",
		"https://generativelanguage.googleapis.com/v1beta/openai/": "https://generativelanguage.googleapis.com/v1beta/openai/",
		"http://10.0.0.5:8000/teams/secret-token/v1":               "http://10.0.0.5:8000/v1", "https://h.example": "https://h.example/v1",
	} {
		c, why := load(t, map[string]string{"families/ask.yaml": askFamily, "pipeline.yaml": included + `  out: /private/out
models: {m: {base_url: "` + written + `", model: x}, spare: {base_url: "https://spare.example/v1", model: y}}
roles: {judge: m}
`})
		if why != "" {
			t.Fatal(why)
		}
		steps, err := c.Plan.Resolve(t.Context(), registry())
		if err != nil {
			t.Fatal(err)
		}
		recipe, err := c.Recipe(steps)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(recipe); !strings.Contains(text, "base_url: "+want+"\n") || strings.Contains(text, "secret-token") || strings.Contains(text, "spare") || strings.Contains(text, "/private") {
			t.Errorf("%s gives\n%s", written, text)
		}
	}
}
