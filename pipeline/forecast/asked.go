package forecast

import (
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// Asked is what a language model is asked in a build, and what that costs.
type Asked struct {
	// Model is its name in the configuration; of a node that asks several, all
	// their names.
	Model     string  `json:"model"`
	Calls     float64 `json:"model_calls"`
	Images    float64 `json:"images"`
	TokensIn  float64 `json:"tokens_in"`
	TokensOut float64 `json:"tokens_out"`
	// Cost in Currency; nil without a price.
	Cost     *float64 `json:"cost"`
	Currency string   `json:"currency,omitempty"`
}

// Price of a million tokens.
type Price struct {
	Input, Output float64
	Currency      string
}

// Charge sets what the models cost, by name. Nothing is taken to be cached.
func (b *Build) Charge(prices map[string]Price) {
	for i := range b.Models {
		a := &b.Models[i]
		p, ok := prices[a.Model]
		if !ok {
			continue
		}
		cost := (a.TokensIn*p.Input + a.TokensOut*p.Output) / 1e6
		a.Cost, a.Currency = &cost, p.Currency
	}
}

// book notes what a node asks of the model behind its roles. The built-in model
// takes neither calls nor tokens.
func (f *forecaster) book(plugin any, out *pipeline.Forecast) {
	name := f.answerer(plugin)
	if name == "" {
		out.Calls, out.Images, out.TokensIn, out.TokensOut = 0, 0, 0, 0
		return
	}
	a := f.asked[name]
	a.Model = name
	a.Calls, a.Images = a.Calls+out.Calls, a.Images+out.Images
	a.TokensIn, a.TokensOut = a.TokensIn+out.TokensIn, a.TokensOut+out.TokensOut
	f.asked[name] = a
}

// answerer names the language models behind a plugin's roles, or is empty.
func (f *forecaster) answerer(plugin any) string {
	does, ok := plugin.(interface{ Spec() pipeline.Spec })
	if !ok {
		return ""
	}
	var names []string
	for _, a := range does.Spec().Asks {
		if m, ok := f.models[a.Role]; ok {
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// ask lists what was noted, by name.
func (f *forecaster) ask() []Asked {
	out := []Asked{}
	for _, name := range slices.Sorted(maps.Keys(f.asked)) {
		if a := f.asked[name]; a.Calls > 0 {
			out = append(out, a)
		}
	}
	return out
}
