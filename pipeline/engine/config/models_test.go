package config_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline/engine/config"
)

const withModels = good + `models:
  big:
    base_url: https://Models.Example:8443/v1/
    model: big-1
    key_env: BIG_KEY
    sampling: {temperature: 0, seed: 3}
    price: {input: 2, output: 8, currency: USD}
roles: {author: big, judge: built-in}
`

func TestRolesEnterThePlan(t *testing.T) {
	c := parse(t, withModels)
	id, ok := c.Plan.Models["author"]
	if !ok || len(c.Plan.Models) != 1 || len(c.Roles) != 1 || c.Roles["author"] != "big" {
		t.Fatalf("roles %v, models of the plan %v", c.Roles, c.Plan.Models)
	}
	if id.Name != "big" || id.Model != "big-1" || id.Host != "models.example:8443" || string(id.Sampling) != `{"seed":3,"temperature":0}` {
		t.Errorf("identity %+v", id)
	}
	if m := c.Models["big"]; !m.Capabilities.JSONSchema || m.Limits.Tries == 0 || m.Price.Output != 8 {
		t.Errorf("defaults are missing: %+v", m)
	}
}

func TestOnlyWhatCanChangeAnswersEntersThePlan(t *testing.T) {
	digest := func(sets ...string) string {
		t.Helper()
		d, err := parse(t, withModels, sets...).Plan.Digest()
		if err != nil {
			t.Fatal(err)
		}
		return string(d)
	}
	base := digest()
	for set, changes := range map[string]bool{
		"models.big.key_env=OTHER_KEY": false, "models.big.price.input=3": false, "models.big.limits.tries=2": false,
		"models.big.base_url=https://models.example:8443/other": false, "models.big.capabilities.seed=true": false,
		"run.max_cost=4": false,
		"models.big.base_url=https://models.example/v1": true,
		"models.big.model=big-2":                        true,
		"models.big.sampling.temperature=0.5":           true,
		"models.big.sampling.max_tokens=5":              true,
		"models.big.media.max_long_side=512":            true,
		"models.big.media.detail=low":                   true,
		"models.big.capabilities.json_schema=false":     true,
		"roles.author=built-in":                         true,
	} {
		if got := digest(set) != base; got != changes {
			t.Errorf("%s: changes the plan's digest: %t, want %t", set, got, changes)
		}
	}
}

func TestParseAsking(t *testing.T) {
	c, err := config.ParseModels("m.yaml", []byte("models:\n  a: {base_url: http://127.0.0.1:1/v1, model: x}\nroles: {judge: a}\n"))
	if err != nil || c.Plan.Models["judge"].Host != "127.0.0.1:1" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := config.ParseModels("m.yaml", []byte("stages: {}\n")); err == nil {
		t.Error("another block was accepted")
	}
}
