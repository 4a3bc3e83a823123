package structural

import "math"

// Suspicion is the chance below which a deviation is flagged, shared out over
// all that is tested at once.
const Suspicion = 0.001

// AtLeast is the chance of k or more successes in n tries of chance p each.
func AtLeast(k, n int, p float64) float64 {
	if k <= 0 {
		return 1
	}
	sum := 0.0
	for i := k; i <= n; i++ {
		sum += math.Exp(logChoose(n, i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return min(sum, 1)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
