package audit

import "github.com/memforge/memforge/pipeline/release"

// checkReviewed holds the mark that people decided about all that was drawn against the
// tables, draw by draw; a release without one has no such part.
func checkReviewed(c release.Contents) []Part {
	if len(c.Manifest.Reviewed) == 0 {
		return nil
	}
	found, err := release.Unreviewed(c)
	p := part("reviewed", found)
	for _, m := range c.Manifest.Reviewed {
		p.Checked += m.Items
	}
	if err != nil {
		p.State, p.Why = Errored, err.Error()
	}
	return []Part{p}
}
