package schemas

import "math"

// gather is the share of a walk's time in which the walker gains speed, and at
// its end loses it.
const gather = 0.18

// Walked is the share of the way that is behind a walker of a FilmEvent after a
// share of its time: from rest to rest. Scripts reckon with it and films are
// drawn by it, so that both know who is where.
func Walked(time float64) float64 {
	switch {
	case time < gather:
		return time * time / (2 * gather * (1 - gather))
	case time > 1-gather:
		return 1 - Walked(1-time)
	}
	return (time - gather/2) / (1 - gather)
}

// Walking is the share of the time after which a share of the way is Walked.
func Walking(way float64) float64 {
	switch {
	case way > 0.5:
		return 1 - Walking(1-way)
	case way < Walked(gather):
		return math.Sqrt(2 * gather * (1 - gather) * way)
	}
	return way*(1-gather) + gather/2
}
