package hourvideo_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/sources/hourvideo"
)

// TestGoldenForecasts pins what is forecast in default configurations.
func TestGoldenForecasts(t *testing.T) {
	golden.Check(t, "forecasts", testkit.Forecasts(t, hourvideo.Register))
}
