package structural

import "gonum.org/v1/gonum/stat/distuv"

// Suspicion is the chance below which a deviation is flagged, shared out over
// all that is tested at once.
const Suspicion = 0.001

// AtLeast is the chance of k or more successes in n tries of chance p each.
func AtLeast(k, n int, p float64) float64 {
	if k <= 0 {
		return 1
	}
	return distuv.Binomial{N: float64(n), P: p}.Survival(float64(k - 1))
}
