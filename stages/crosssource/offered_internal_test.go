package crosssource

import (
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/oracle"
)

// TestOptionsAreHeld: options are what the sources tell of the like, each once, and what does
// not hold any more is one of them.
func TestOptionsAreHeld(t *testing.T) {
	t.Parallel()
	r := oracle.Result{Right: "270", Outdated: "261", Offered: []string{"261", "270", "274", "265", "300"}}
	for name, c := range map[string]struct {
		options []string
		fine    bool
	}{
		"as they are":       {[]string{"265", "270", "261", "274"}, true},
		"said of nothing":   {[]string{"265", "270", "261", "275"}, false},
		"twice":             {[]string{"265", "270", "261", "265"}, false},
		"without what was":  {[]string{"265", "270", "300", "274"}, false},
		"written otherwise": {[]string{"265", "270", "0261", "274"}, false},
	} {
		q := schemas.Question{}
		for _, o := range c.options {
			q.Options = append(q.Options, schemas.Option{Text: o})
		}
		if err := checkOffered(q, r); (err == nil) != c.fine {
			t.Errorf("%s: %v", name, err)
		}
	}
}
