package schemas

import "math"

// rampShare is the share of a walk's time in which the walker gains speed, and at
// its end loses it.
const rampShare = 0.18

// WalkProgress is the share of the way that is behind a walker of a FilmEvent after a
// share of its time: from rest to rest. Scripts reckon with it and films are
// drawn by it, so that both know who is where.
func WalkProgress(time float64) float64 {
	switch {
	case time < rampShare:
		return time * time / (2 * rampShare * (1 - rampShare))
	case time > 1-rampShare:
		return 1 - WalkProgress(1-time)
	}
	return (time - rampShare/2) / (1 - rampShare)
}

// WalkTime is the share of the time after which a share of the way is Walked.
func WalkTime(way float64) float64 {
	switch {
	case way > 0.5:
		return 1 - WalkTime(1-way)
	case way < WalkProgress(rampShare):
		return math.Sqrt(2 * rampShare * (1 - rampShare) * way)
	}
	return way*(1-rampShare) + rampShare/2
}
