package video

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// ConcatConfig configures video.concat.
type ConcatConfig struct {
	Orders []string `json:"orders" doc:"orders to play each pair in, one video each: AB, BA, and with one video repeated AAB, ABB, BAA, BBA; keep all orders of a pair in one stage"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *ConcatConfig) SetDefaults() { c.Orders = []string{orderAB, orderBA} }

// Orders of the two videos of a composition.
const (
	orderAB = "AB"
	orderBA = "BA"
)

// repeatOrders are the orders that play one video twice (M3Eval 4.2).
var repeatOrders = []string{"AAB", "ABB", "BAA", "BBA"}

// concatStage plays the videos of a pair one after the other (M3Eval 3.1.2),
// without encoding the picture again.
type concatStage struct {
	orders []string
	tools  *media.Tools
}

func newConcat(c ConcatConfig) (pipeline.Stage, error) {
	if err := checkOrders(c.Orders, append([]string{orderAB, orderBA}, repeatOrders...)); err != nil {
		return nil, err
	}
	return &concatStage{c.Orders, media.Lazy()}, nil
}

// checkOrders wants different orders of those allowed, at least one.
func checkOrders(orders, allowed []string) error {
	if len(orders) == 0 {
		return fmt.Errorf("orders is empty; want one or more of %s", strings.Join(allowed, ", "))
	}
	for i, o := range orders {
		if !slices.Contains(allowed, o) {
			return fmt.Errorf("orders holds %q; want some of %s", o, strings.Join(allowed, ", "))
		}
		if slices.Contains(orders[:i], o) {
			return fmt.Errorf("orders holds %s twice; name each order once", o)
		}
	}
	return nil
}

func (*concatStage) Spec() pipeline.Spec { return composeSpec() }

// composeSpec is that of a stage that composes pairs.
func composeSpec() pipeline.Spec {
	return pipeline.Spec{
		Accepts:  []string{schemas.NamePair},
		Emits:    []string{schemas.NameComposition, schemas.NameMedia, schemas.NameTask, schemas.NameStatements},
		Resource: pipeline.FFmpeg, Tools: []string{ffmpeg},
	}
}

func (s *concatStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	p, err := pipeline.Decode[schemas.Pair](in)
	if err != nil {
		return nil, err
	}
	if why := checkSameFormat(p.A, p.B); why != nil {
		return nil, why
	}
	var cs []schemas.Composition
	for _, order := range s.orders {
		m, err := joinPieces(ctx, scope, s.tools, schemas.LayoutConcat, namePieces(wholePieces(videosInOrder(p, order)...), strings.Split(order, ""))...)
		if err != nil {
			return nil, err
		}
		cs = append(cs, schemas.Composition{Pair: p, Media: m, Order: order})
	}
	return pairRecords(p, schemas.LayoutConcat, "Two similar videos one after the other"+describeOrders(s.orders)+".", cs)
}

// videosInOrder lists the videos of a pair as an order names them.
func videosInOrder(p schemas.Pair, order string) []schemas.Video {
	var out []schemas.Video
	for _, side := range order {
		if side == 'A' {
			out = append(out, p.A)
		} else {
			out = append(out, p.B)
		}
	}
	return out
}

// describeOrders says in a summary which orders there are.
func describeOrders(orders []string) string {
	var said []string
	if slices.Contains(orders, orderAB) && slices.Contains(orders, orderBA) {
		said = append(said, "in both orders")
	}
	if slices.ContainsFunc(orders, func(o string) bool { return slices.Contains(repeatOrders, o) }) {
		said = append(said, "with one of them repeated")
	}
	if len(said) == 0 {
		return ""
	}
	return ", " + strings.Join(said, " and ")
}
