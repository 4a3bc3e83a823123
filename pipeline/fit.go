package pipeline

// A Shower is a plugin whose requests to models have pictures.
type Shower interface {
	// Pictures is the most pictures of one request.
	Pictures() int
}

// A Fitter is a Shower that can do with fewer.
type Fitter interface {
	Shower
	// Fitted is the configuration under which no request has more than most, which
	// is at least 1.
	Fitted(most int) any
}
