package panel

import (
	"fmt"
	"math/rand/v2"

	"github.com/memforge/memforge/gates/protocol"
	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// What is assumed of an item before it is there.
const (
	// typicalParts is how many pieces of evidence, sources and modalities an
	// item has: most of SMMBench's rest on two or three (figure 8).
	typicalParts = 2
	// labelledShare is the share of items that a gate judges which judges one value of a label:
	// that of reasoning has three.
	labelledShare = 1.0 / 3
	// Tokens of question and options, of the text of a piece of evidence, and of
	// an answer with its reason.
	questionTokens = 120
	pieceTokens    = 60
	answerTokens   = 50
	// frameMegapixels is the size of a picture: 640x360.
	frameMegapixels = 0.23
	// judgeCPU is what one verdict takes, callCPU a call, in seconds.
	judgeCPU = 3e-4
	callCPU  = 4e-4
	// forecastItems is how many items the expected number of calls is the mean of.
	forecastItems = 400
)

// Forecast implements pipeline.Forecaster: all items are sound and of two
// pieces, and every call takes what the views show on average. Probes are counted
// one by one, as their table does.
func (g *gate) Forecast(in pipeline.Volume) pipeline.Forecast {
	items, each := in[g.Accepts], g.Form.Cost(g.Definition, g.cfg)
	judged := items.Records
	if len(g.Labels) > 0 {
		judged *= labelledShare
	}
	if g.Share > 0 {
		judged *= g.Share
	}
	made := judged * g.expectedCalls(each.Views)
	full := judged * float64(g.fullCalls(each.Views+len(g.Controls)))
	if g.grader != nil {
		made *= 2
	}
	f := pipeline.Forecast{
		Out:   pipeline.Volume{g.Accepts: items, schemas.NameVerdict: {Records: items.Records}, schemas.NameProbes: {Records: made}},
		CPU:   judgeCPU*items.Records + callCPU*made,
		Calls: made, CallsFull: full, TokensOut: made * each.TokensOut, Images: made * each.Images,
	}
	f.TokensIn = made*(g.jobs[0].PromptTokens()+each.TokensIn) + f.Images*model.ImageTokens(each.Megapixels)
	return f
}

// Cost implements Form.
func (f *questionForm) Cost(d Definition, c Config) Cost {
	pieces := typicalPieces(d.View)
	out := Cost{TokensIn: questionTokens + pieces*pieceTokens, TokensOut: f.tokens, Megapixels: frameMegapixels, Views: typicalViews(d.View)}
	if d.Labels[schemas.LabelReasoning] == schemas.ReasonSingle {
		out.Views = 1
	}
	if d.Pictures {
		out.Images = min(pieces*float64(c.Frames), float64(c.MaxPictures))
	}
	return out
}

func typicalViews(kind string) int {
	switch kind {
	case view.Only, view.Without, view.OnlySource, view.WithoutModality:
		return typicalParts
	}
	return 1
}

func typicalPieces(kind string) float64 {
	switch kind {
	case view.None, view.Labelling:
		return 0
	case view.Only, view.Without, view.OnlySource, view.WithoutModality, view.SingleFrame:
		return typicalParts - 1
	}
	return typicalParts
}

// expectedCalls is the mean number of calls that settle a valid item.
func (g *gate) expectedCalls(views int) float64 {
	rnd := rand.New(rand.NewPCG(1, uint64(views)))
	calls := g.calls(views + len(g.Controls))
	made := 0
	shown := make([]string, len(calls))
	for i := range forecastItems {
		for v := range shown {
			shown[v] = fmt.Sprint(i, v)
		}
		able := 0 // the view under which a valid item that needs one is solved
		if g.OneView {
			able = rnd.IntN(views)
		}
		_, _, err := protocol.Run(g.rule(calls), g.orderCalls(calls, shown), g.cfg.FullProtocol, func(c protocol.Call) (protocol.Mark, error) {
			made++
			chance := g.CleanRate
			if g.OneView && c.View != able {
				chance = blindRate
			}
			if rnd.Float64() < chance {
				return protocol.Right, nil
			}
			return protocol.Wrong, nil
		})
		if err != nil {
			return float64(len(calls) * g.callsPerView())
		}
	}
	return float64(made) / forecastItems
}
