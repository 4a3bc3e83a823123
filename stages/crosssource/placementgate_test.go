package crosssource_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
)

// clone is a copy that can be spoilt.
func clone[T any](t *testing.T, p T) (out T) {
	t.Helper()
	b, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// find is a placement of the first family of which something holds.
func find(t *testing.T, holds func(crosssource.Placement) bool) crosssource.Placement {
	t.Helper()
	list := family(t, 0).placements
	i := slices.IndexFunc(list, holds)
	if i < 0 {
		t.Fatal("no placement of the family has what the test spoils")
	}
	return clone(t, list[i])
}

func compareReading(t *testing.T, p crosssource.Placement) pipeline.Judgement {
	t.Helper()
	reg := pipeline.NewRegistry()
	crosssource.Register(reg)
	gate, err := reg.Gate(pipeline.Identity{Use: "placement", Version: "2", Config: pipeline.RawConfig("{}")})
	if err != nil {
		t.Fatal(err)
	}
	r, err := pipeline.NewRecord("crosssource.placement", p.PlacementID, p)
	if err != nil {
		t.Fatal(err)
	}
	out, err := gate.Judge(t.Context(), nil, []pipeline.Record{r})
	if err != nil || len(out) != 1 {
		t.Fatal(out, err)
	}
	return out[0]
}

// chats are pieces in chats.
func chats(u crosssource.PlacedPiece) bool {
	return strings.HasSuffix(u.Kind, "_chat") && len(u.Around) > 0
}

// piece is the first of a placement of which something holds.
func piece(p *crosssource.Placement, is func(crosssource.PlacedPiece) bool) *crosssource.PlacedPiece {
	return &p.Pieces[max(slices.IndexFunc(p.Pieces, is), 0)]
}

// TestPlacementFindsWhatIsPlanted: each defect by its code, and nothing in what is
// sound.
func TestPlacementFindsWhatIsPlanted(t *testing.T) {
	t.Parallel()
	spread := func(p crosssource.Placement) bool { return p.Arrangement == "distributed" }
	updates := func(p crosssource.Placement) bool {
		return spread(p) && slices.ContainsFunc(p.Pieces, func(u crosssource.PlacedPiece) bool { return len(u.Revises) > 0 })
	}
	misled := func(p crosssource.Placement) bool {
		return slices.ContainsFunc(p.Misleading, func(o crosssource.MisleadingText) bool { return len(o.Revises) > 0 })
	}
	for name, c := range map[string]struct {
		of    func(crosssource.Placement) bool
		spoil func(*crosssource.Placement)
	}{
		"one-source": {spread, func(p *crosssource.Placement) {
			for i := range p.Pieces {
				p.Pieces[i].SessionID = p.Pieces[0].SessionID
			}
		}},
		"one-piece": {spread, func(p *crosssource.Placement) { p.Pieces = p.Pieces[:1] }},
		"not-concentrated": {func(p crosssource.Placement) bool { return !spread(p) }, func(p *crosssource.Placement) {
			p.Pieces[0].SessionID = "elsewhere"
		}},
		"early-update": {updates, func(p *crosssource.Placement) {
			i := slices.IndexFunc(p.Pieces, func(u crosssource.PlacedPiece) bool { return len(u.Revises) > 0 })
			p.Pieces[0].Revises, p.Pieces[i].Revises = []string{p.Pieces[i].UnitID}, []string{}
		}},
		"dangling-update": {updates, func(p *crosssource.Placement) { p.Pieces[0].Revises = []string{"nowhere"} }},
		"early-update of what misleads": {misled, func(p *crosssource.Placement) {
			i := slices.IndexFunc(p.Misleading, func(o crosssource.MisleadingText) bool { return len(o.Revises) > 0 })
			p.Misleading[0].Revises, p.Misleading[i].Revises = []string{p.Misleading[i].UnitID}, []string{}
		}},
		"dangling-update of what misleads": {misled, func(p *crosssource.Placement) { p.Misleading[0].Revises = []string{"nowhere"} }},
		"clustered": {spread, func(p *crosssource.Placement) {
			last := p.Pieces[0].Turns[len(p.Pieces[0].Turns)-1].Position
			for i := range p.Pieces[1].Turns {
				p.Pieces[1].Turns[i].Position = last + 2 + int64(i)
			}
		}},
		"time": {spread, func(p *crosssource.Placement) { p.Pieces[1].Turns[0].Timestamp = "2001-01-01T00:00:00Z" }},
		"stranger": {func(p crosssource.Placement) bool { return spread(p) && slices.ContainsFunc(p.Pieces, chats) }, func(p *crosssource.Placement) {
			piece(p, chats).Participants = []string{"Somebody Else"}
		}},
		"wrong-speaker": {func(p crosssource.Placement) bool { return spread(p) && p.Task == schemas.TaskPreference }, func(p *crosssource.Placement) {
			u := piece(p, func(u crosssource.PlacedPiece) bool { return u.Wanted != "" })
			u.Wanted = "Somebody Else"
		}},
		"no-handle": {spread, func(p *crosssource.Placement) {
			u := piece(p, func(u crosssource.PlacedPiece) bool { return u.Turns[0].Media != "" })
			u.Handle = "a picture"
		}},
		"answer-around": {func(p crosssource.Placement) bool { return spread(p) && slices.ContainsFunc(p.Pieces, chats) }, func(p *crosssource.Placement) {
			u := piece(p, chats)
			u.Around[0] = "It was " + p.Answer[0] + " in the end."
		}},
		"piece-around": {func(p crosssource.Placement) bool {
			return spread(p) && slices.ContainsFunc(p.Pieces, func(u crosssource.PlacedPiece) bool {
				return chats(u) && u.Turns[0].Media == "" && len(u.Turns) == 1 && len(p.Answer[0]) > 3 && !strings.Contains(u.Turns[0].Text, p.Answer[0])
			})
		}, func(p *crosssource.Placement) {
			u := piece(p, func(u crosssource.PlacedPiece) bool {
				return chats(u) && u.Turns[0].Media == "" && !strings.Contains(u.Turns[0].Text, p.Answer[0])
			})
			u.Around[0] = "Once more: " + u.Turns[0].Text
		}},
		"torn-piece": {func(p crosssource.Placement) bool {
			return spread(p) && slices.ContainsFunc(p.Pieces, func(u crosssource.PlacedPiece) bool { return len(u.Turns) > 1 })
		}, func(p *crosssource.Placement) {
			u := piece(p, func(u crosssource.PlacedPiece) bool { return len(u.Turns) > 1 })
			u.Turns[1].Order += 3
		}},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, _ := strings.Cut(name, " ")
			sound := find(t, c.of)
			if j := compareReading(t, sound); j.Outcome != pipeline.Pass {
				t.Fatalf("what is sound is judged %s: %s", j.Outcome, j.Reason)
			}
			bad := clone(t, sound)
			c.spoil(&bad)
			if j := compareReading(t, bad); j.Outcome != pipeline.Fail || j.Code != code {
				t.Errorf("it is judged %s as %q: %s", j.Outcome, j.Code, j.Reason)
			}
		})
	}
}

// TestPlacementsPass: what the plan places, the gate lets through.
func TestPlacementsPass(t *testing.T) {
	t.Parallel()
	for _, p := range family(t, 0).placements {
		if j := compareReading(t, p); j.Outcome != pipeline.Pass {
			t.Errorf("%s is judged %s: %s", p.PlacementID, j.Code, j.Reason)
		}
	}
}
