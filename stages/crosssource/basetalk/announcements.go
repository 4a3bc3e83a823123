package basetalk

import (
	"strings"

	"github.com/memforge/memforge/stages/crosssource/weights"
)

// tellOf is in how many turns somebody tells something, leadOf in how many of those only a
// few words lead up to it.
const (
	tellOf = 16
	leadOf = 3
)

// tellUnasked is what somebody tells of names that no question is about: led up to, told and
// answered by somebody else, as pieces are, so that who looks for what is announced finds
// more than these.
func (v *Voice) tellUnasked(last string) ([]Line, error) {
	who := v.pickOther(last)
	lead, err := v.leadIn(who, last)
	if err != nil {
		return nil, err
	}
	told, err := v.sentence("told", who, last)
	if err != nil {
		return nil, err
	}
	by := v.pickOther(who.Name)
	reply, err := v.fillRule("announce", "after", by, who.Name, nil)
	if err != nil {
		return nil, err
	}
	more, err := v.sentence(weights.Pick(v.rnd, []string{"elaborate", "claim", "example", "reason", "counter"}), by, who.Name)
	return []Line{{Speaker: who.Name, Act: "tell", Text: lead}, {Speaker: who.Name, Act: "tell", Text: told}, {Speaker: by.Name, Act: "tell", Text: reply + " " + more}}, err
}

// leadIn is what leads up to something; it asks nothing, for nobody answers it.
func (v *Voice) leadIn(who Person, last string) (string, error) {
	said := ""
	if v.rnd.IntN(leadOf) > 0 {
		s, err := v.sentence("elaborate", who, last)
		if err != nil {
			return "", err
		}
		said = s + " "
	}
	for {
		s, err := v.fillRule("announce", "before", who, last, nil)
		if err != nil || !strings.HasSuffix(s, "?") {
			return said + s, err
		}
	}
}
