package config_test

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
)

// TestRecipeBuildsTheSame: whatever a file, its includes and overrides say, the plan of its
// recipe is the same, and texts that look like something else stay texts.
func TestRecipeBuildsTheSame(t *testing.T) {
	for _, title := range []string{
		`A demo`, `"yes"`, `"1e3"`, `"0x1F"`, `"null"`, `"~"`, `"a: b"`, `"# c"`, `"'"`, `"\"\\"`, `"two\nlines\n"`, `" lead"`, `"trail "`, `"é\u2028"`, `"- x"`, `"{{"`, `"*a"`, `"2026-01-31"`, `""`, `"%"`, `"@x"`, `"!x"`,
	} {
		text := strings.Replace(included, "title: A demo", "title: "+title+", about: {cite: \"@misc{x, y = {z: 1}}\"}", 1)
		c, why := load(t, map[string]string{"pipeline.yaml": text, "families/ask.yaml": `stages:
  ask: {use: video.ask, from: [probe]}
sources: {films: {use: procedural, with: {count: 12, styles: [noir]}}}
gates:
  roles: {use: interference-roles, from: [ask], on_fail: keep}
`}, "sources.films.with.count=3")
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
