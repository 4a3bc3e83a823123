package video

import (
	"math"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// forecasts follows an amount through stages, each built from its defaults and
// an edit, and gives what the last one takes.
func forecasts[C any](t *testing.T, in pipeline.Volume, build func(C) (pipeline.Stage, error), edit func(*C)) pipeline.Forecast {
	t.Helper()
	var c C
	any(&c).(pipeline.Defaulter).SetDefaults()
	if edit != nil {
		edit(&c)
	}
	s, err := build(c)
	if err != nil {
		t.Fatal(err)
	}
	return s.(pipeline.Forecaster).Forecast(in)
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6*math.Abs(want)+1e-9 {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

// TestForecastOfDescribing follows four videos of 100 s to their questions.
func TestForecastOfDescribing(t *testing.T) {
	in := pipeline.Volume{schemas.NameVideo: media.PlayingAmount(4, 100, 640, 360, 25)}
	cut := forecasts(t, in, newSegment, nil)
	near(t, "sections", cut.Out[volumeSection].Records, 40)
	near(t, "pictures", cut.Out[volumeStill].Records, 320)
	near(t, "size of the pictures", cut.Out[volumeStill].Megapixels, 320*512*288/1e6)
	if bare := forecasts(t, in, newSegment, func(c *SegmentConfig) { c.Frames = 0 }); bare.CPU >= cut.CPU || bare.Bytes != 0 || cut.Bytes == 0 {
		t.Errorf("without pictures %+v, with them %+v", bare, cut)
	}
	near(t, "sections of 5 s", forecasts(t, in, newSegment, func(c *SegmentConfig) { c.By, c.Seconds = bySeconds, 5 }).Out[volumeSection].Records, 80)

	told := forecasts(t, cut.Out, newDescribe, nil)
	near(t, "requests to describe", told.Calls, 4*11)
	near(t, "images", told.Images, 160)
	blind := forecasts(t, cut.Out, newDescribe, func(c *DescribeConfig) { c.Frames = 0 })
	near(t, "tokens of images", told.TokensIn-blind.TokensIn, 160*512*288/784.)
	if blind.Images != 0 || told.TokensOut < 40*100 {
		t.Errorf("without pictures %+v, with them %+v", blind, told)
	}
	near(t, "requests to label", forecasts(t, cut.Out, newAnnotate, func(c *AnnotateConfig) { c.Attempts = 1 }).Calls, 40)
	if again := forecasts(t, cut.Out, newAnnotate, nil); again.Calls <= 40 || again.Images <= 320 {
		t.Errorf("a second attempt costs nothing: %+v", again)
	}

	pairs := forecasts(t, told.Out, newPair, nil)
	if pairs.Calls != 0 || pairs.Out[volumeSection].Records != 40 {
		t.Errorf("pairs %+v", pairs)
	}
	near(t, "requests for vectors", forecasts(t, told.Out, newPair, func(c *PairConfig) { c.By = byEmbeddings }).Calls, 1)
}

// TestForecastOfAuthoring holds that a pair is asked about once for each layout,
// however often that shows it.
func TestForecastOfAuthoring(t *testing.T) {
	in := pipeline.Volume{
		schemas.NamePair: media.PlayingAmount(3, 200, 640, 360, 25), volumeSection: {Records: 60},
	}
	once := func(c *AuthorConfig) { c.Attempts = 1 }
	one := forecasts(t, in, newConcat, func(c *ConcatConfig) { c.Orders = []string{"AB"} })
	both := forecasts(t, in, newConcat, func(c *ConcatConfig) { c.Orders = []string{"AB", "BA"} })
	a, b := forecasts(t, one.Out, newAuthor, once), forecasts(t, both.Out, newAuthor, once)
	near(t, "requests, two names and two questions a pair", a.Calls, 3*4)
	near(t, "requests over both orders", b.Calls, a.Calls)
	near(t, "tokens over both orders", b.TokensIn, a.TokensIn)
	near(t, "questions", a.Out[schemas.NameQuestion].Records, 6)
	near(t, "questions over both orders", b.Out[schemas.NameQuestion].Records, 12)

	turns := forecasts(t, in, newInterleave, nil)
	c := forecasts(t, turns.Out, newAuthor, once)
	near(t, "requests over interleaved videos, two events among them", c.Calls, 3*(2+4*2+1+2))
	near(t, "questions over both orders of interleaved videos", c.Out[schemas.NameQuestion].Records, 3*2*11)
	sides := func(c *AuthorConfig) { c.Attempts, c.Types = 1, []string{schemas.TypeSpatialGrounding} }
	split := forecasts(t, forecasts(t, in, newSplit, nil).Out, newAuthor, sides)
	near(t, "requests for events over both variants of split screens", split.Calls, 3*(2+3))
	near(t, "questions over both variants of split screens", split.Out[schemas.NameQuestion].Records, 3*2*2)
	whole := forecasts(t, both.Out.Plus(turns.Out), newAuthor, once)
	near(t, "requests over both layouts", whole.Calls, b.Calls+c.Calls)
	near(t, "tokens over both layouts", whole.TokensIn, b.TokensIn+c.TokensIn)
	more := forecasts(t, one.Out, newAuthor, nil)
	if more.Calls <= a.Calls || more.TokensIn/more.Calls <= a.TokensIn/a.Calls {
		t.Errorf("a refused answer costs nothing: %+v", more)
	}
	few := forecasts(t, one.Out, newAuthor, func(c *AuthorConfig) { c.Types = []string{schemas.TypeFalseMemory} })
	if few.Calls != 0 || few.Out[schemas.NameQuestion].Records != 0 {
		t.Errorf("a type of another layout is asked: %+v", few)
	}
	if told := a.TokensIn / a.Calls; told < 20*describedTokens {
		t.Errorf("%g tokens a request do not hold 20 descriptions", told)
	}
}

// TestForecastOfTurns: pairs that take turns are asked only the types of theirs.
func TestForecastOfTurns(t *testing.T) {
	in := pipeline.Volume{schemas.NameVideo: media.PlayingAmount(24, 32, 640, 360, 25)}
	turns := [][]string{{schemas.TypeSourceMemory, schemas.TypeFalseMemory}, {schemas.TypeTemporalGrounding}, {schemas.TypeTemporalGrounding}, {schemas.TypeSpatialGrounding}}
	pairs := forecasts(t, in, newPair, func(c *PairConfig) { c.Turns = turns })
	composed := forecasts(t, forecasts(t, pairs.Out, newSeparability, nil).Out, newInterleave, nil)
	asked := forecasts(t, composed.Out, newAsk, func(c *AskConfig) { c.QuestionsPerTarget = 3 })
	near(t, "questions of 12 pairs in both orders", asked.Out[schemas.NameQuestion].Records, 2*3*2*(3*2+6))
}
