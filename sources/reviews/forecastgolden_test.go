package reviews_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline/testkit"
	goldenfile "github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/sources/reviews"
)

// TestGoldenForecasts pins what is forecast in default configurations.
func TestGoldenForecasts(t *testing.T) {
	goldenfile.Check(t, "forecasts", testkit.Forecasts(t, reviews.Register))
}
