package forecast

import (
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// ModelCalls is what a language model is asked in a build, and what that costs.
type ModelCalls struct {
	// Model is its name in the configuration.
	Model string  `json:"model"`
	Calls float64 `json:"model_calls"`
	// CallsFull is how many there would be if every gate asked its full protocol.
	CallsFull float64 `json:"model_calls_full"`
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

// addAnswerers notes what a node asks of the models behind its roles, which share its
// calls equally. What the built-in model is asked takes neither calls nor tokens.
func (f *forecaster) addAnswerers(plugin any, out *pipeline.Forecast) {
	live, roles := f.answerers(plugin)
	whole := *out
	scale := func(share float64) pipeline.Forecast {
		return pipeline.Forecast{
			Calls: share * whole.Calls, CallsFull: share * whole.CallsFull, Images: share * whole.Images,
			TokensIn: share * whole.TokensIn, TokensOut: share * whole.TokensOut,
		}
	}
	for _, name := range live {
		a, part := f.asked[name], scale(1/float64(roles))
		a.Model = name
		a.Calls, a.CallsFull, a.Images = a.Calls+part.Calls, a.CallsFull+fullCalls(part), a.Images+part.Images
		a.TokensIn, a.TokensOut = a.TokensIn+part.TokensIn, a.TokensOut+part.TokensOut
		f.asked[name] = a
	}
	part := scale(float64(len(live)) / float64(max(roles, 1)))
	out.Calls, out.CallsFull, out.Images, out.TokensIn, out.TokensOut = part.Calls, part.CallsFull, part.Images, part.TokensIn, part.TokensOut
}

// answerers names the language model behind each of a plugin's roles that has
// one, and counts the roles.
func (f *forecaster) answerers(plugin any) (live []string, roles int) {
	does, ok := plugin.(interface{ Spec() pipeline.Spec })
	if !ok {
		return nil, 0
	}
	seen := map[string]bool{}
	for _, a := range does.Spec().Asks {
		if seen[a.Role] {
			continue
		}
		seen[a.Role] = true
		if m, ok := f.models[a.Role]; ok {
			live = append(live, m.Name)
		}
	}
	return live, len(seen)
}

// ask lists what was noted, by name.
func (f *forecaster) ask() []ModelCalls {
	out := []ModelCalls{}
	for _, name := range slices.Sorted(maps.Keys(f.asked)) {
		if a := f.asked[name]; a.Calls > 0 {
			out = append(out, a)
		}
	}
	return out
}
