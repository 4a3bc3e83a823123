package pipeline

// ReviewSample says which records people decide about, and how many people.
type ReviewSample struct {
	// Name is what decisions name it by.
	Name string `json:"draw"`
	// Schema is that of the records, By what those of a stratum have in common: columns
	// or labels.
	Schema string   `json:"of"`
	By     []string `json:"by"`
	// Share of each stratum that is drawn, rounded up; at least Least.
	Share float64 `json:"share"`
	Least int     `json:"least"`
	// Seed decides which.
	Seed uint64 `json:"seed"`
	// Annotators is how many must decide about each that is drawn.
	Annotators int `json:"annotators"`
}
