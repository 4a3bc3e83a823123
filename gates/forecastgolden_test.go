package gates_test

import (
	"testing"

	"github.com/memforge/memforge/gates"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/golden"
)

// TestGoldenForecasts pins what is forecast in default configurations.
func TestGoldenForecasts(t *testing.T) {
	golden.Check(t, "forecasts", testkit.Forecasts(t, gates.Register))
}
