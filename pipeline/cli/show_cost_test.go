package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/engine/forecast"
	"github.com/memforge/memforge/pipeline/model/server"
)

// TestPlanNamesMissingPrices shows a model with a price beside one without.
func TestPlanNamesMissingPrices(t *testing.T) {
	b := forecast.Build{Models: []forecast.ModelCalls{
		{Model: "free", Calls: 3, TokensIn: 900, TokensOut: 30},
		{Model: "hosted", Calls: 200, Images: 800, TokensIn: 2e6, TokensOut: 5e5},
	}}
	b.Charge(prices(map[string]server.Model{
		"hosted": {Price: &server.Price{Input: 0.4, Output: 1.6, Currency: "USD"}}, "free": {}, "idle": {Price: &server.Price{Input: 9, Currency: "EUR"}},
	}))
	var out bytes.Buffer
	if err := printModelCosts(&env{out: &out}, b.Models); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for l := range strings.Lines(out.String()) {
		lines = append(lines, strings.Join(strings.Fields(l), " "))
	}
	got := strings.Join(lines, "\n")
	want := `
MODEL CALLS IMAGES TOKENS IN, OUT COST
free 3 0 900, 30 unknown, because it has no price
hosted 200 800 2.0 M, 500000 1.60 USD
all with a price 1.60 USD`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	out.Reset()
	if err := printModelCosts(&env{out: &out}, nil); err != nil || out.Len() > 0 {
		t.Errorf("the built-in model is shown: %q, %v", out.String(), err)
	}
}
