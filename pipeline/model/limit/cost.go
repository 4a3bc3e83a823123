package limit

// How it is found out what a server counts. Where it counts requests, those that
// it refuses are as large as any; where it counts tokens, they are larger, for a
// small one still fits when a large one does not. Where they stand among all is
// averaged: one half means that size says nothing.
const (
	leanLarge = 0.65 // above, tokens are counted
	leanSmall = 0.40 // below, requests are
	leanStep  = 0.05
	// Each change of mind makes the next take more.
	leanMore, leanMost = 0.05, 0.9
	// remembered sizes; few say nothing.
	maxSizes = 128
	minSizes = 20
	// minCost keeps requests about which nothing is known from being free.
	minCost = 0.02
)

// costGauge measures what requests cost a server.
type costGauge struct {
	Mean  float64 // tokens a request takes, on average
	Ratio float64 // of tokens taken to tokens guessed, on average
	// Unit is how many tokens cost as much as a request; 0 while requests are
	// counted. It stays as it was found, for the pace is in units.
	Unit  float64
	Lean  float64
	Minds int       // changes
	Sizes []float64 // of the latest requests that were answered, round and round
	Next  int
}

// size is how many tokens a request will take.
func (g *costGauge) size(guess int) float64 {
	switch {
	case guess <= 0 && g.Mean > 0:
		return g.Mean
	case g.Ratio > 0:
		return max(1, g.Ratio*float64(guess))
	}
	return float64(max(1, guess))
}

// cost of a request in units: those of the pace.
func (g *costGauge) cost(size float64) float64 {
	if g.Unit == 0 {
		return 1
	}
	return max(minCost, size/g.Unit)
}

// addAnswered takes in what a request took.
func (g *costGauge) addAnswered(guess int, tokens float64) {
	if tokens <= 0 {
		return
	}
	g.Mean = average(g.Mean, tokens)
	if guess > 0 {
		g.Ratio = average(g.Ratio, tokens/float64(guess))
	}
	if len(g.Sizes) < maxSizes {
		g.Sizes = append(g.Sizes, tokens)
		return
	}
	g.Sizes[g.Next] = tokens
	g.Next = (g.Next + 1) % maxSizes
}

// addRefused takes in the size of a request that was refused. It reports whether
// something else is counted from now on.
func (g *costGauge) addRefused(size float64) bool {
	if len(g.Sizes) < minSizes {
		return false
	}
	smaller, alike := 0, 0
	for _, s := range g.Sizes {
		switch {
		case s < 0.95*size:
			smaller++
		case s <= size/0.95:
			alike++
		}
	}
	if g.Lean == 0 {
		g.Lean = 0.5
	}
	g.Lean += leanStep * ((float64(smaller)+float64(alike)/2)/float64(len(g.Sizes)) - g.Lean)
	switch {
	case g.Unit == 0 && g.Lean > min(leanMost, leanLarge+leanMore*float64(g.Minds)):
		g.setUnit(true)
	case g.Unit > 0 && g.Lean < leanSmall:
		g.setUnit(false)
	default:
		return false
	}
	return true
}

// setUnit changes what is counted.
func (g *costGauge) setUnit(tokens bool) {
	g.Lean, g.Unit = 0.5, 0
	g.Minds++
	if !tokens {
		return
	}
	for _, s := range g.Sizes {
		g.Unit += s / float64(len(g.Sizes))
	}
	g.Unit = max(1, g.Unit)
}
