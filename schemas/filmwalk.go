package schemas

import "math"

// rampShare is the share of a walk's time in which the walker gains speed, and at its
// end loses it.
const rampShare = 0.18

// WalkProgress returns the share of the way that the walker of a FilmEvent has covered
// after a share of its time, from rest to rest. Scripts and the renderer share it, so
// that both know where everybody is.
func WalkProgress(time float64) float64 {
	switch {
	case time < rampShare:
		return time * time / (2 * rampShare * (1 - rampShare))
	case time > 1-rampShare:
		return 1 - WalkProgress(1-time)
	}
	return (time - rampShare/2) / (1 - rampShare)
}

// WalkTime returns the share of the time after which WalkProgress is a share of the
// way.
func WalkTime(way float64) float64 {
	switch {
	case way > 0.5:
		return 1 - WalkTime(1-way)
	case way < WalkProgress(rampShare):
		return math.Sqrt(2 * rampShare * (1 - rampShare) * way)
	}
	return way*(1-rampShare) + rampShare/2
}
