package written

import (
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/stages/lifelong/question"
)

// chooseQuestions returns questions without words for checkpoints that end after these
// sessions: of each type so many at most, none that asks for the same fact as another, and
// none of a key of which readers do not agree.
func (l Life) chooseQuestions(rnd *rand.Rand, ends []int, perType int) []Question {
	var out []Question
	asked := map[string]bool{}
	disputed := l.disputed()
	begun := -1
	for _, end := range ends {
		here := map[Key]bool{} // a key is asked for once at a checkpoint
		for _, t := range question.Types() {
			n := 0
			for _, q := range l.rankCandidates(rnd, t, end, begun) {
				g, err := l.Plan.Gold(q)
				again := asked[t+g.Key.String()] && t != question.TTL // a rule has many cases
				if n == perType || err != nil || asked[g.Fact] || again || here[g.Key] || l.isDisputed(disputed, g) {
					continue
				}
				asked[g.Fact], asked[t+g.Key.String()], here[g.Key] = true, true, true
				out = append(out, q)
				n++
			}
		}
		begun = end
	}
	return out
}

// rankCandidates shuffles the candidates of a type, those first that rest on a session
// since the checkpoint before.
func (l Life) rankCandidates(rnd *rand.Rand, t string, end, begun int) []Question {
	all := l.candidates(rnd, t, end)
	rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	recent := func(q Question) int {
		for _, id := range q.Facts {
			if f, ok := l.Plan.FactByID(id); ok && f.Session > begun {
				return 0
			}
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b Question) int { return recent(a) - recent(b) })
	return all
}

// candidates returns what could be asked by type; Gold refuses what does not fit.
func (l Life) candidates(rnd *rand.Rand, t string, end int) (out []Question) {
	p := l.Plan
	live := p.Live(end)
	add := func(ids ...string) { out = append(out, Question{Type: t, End: end, Facts: ids}) }
	switch t {
	case question.FR, question.VFR, question.DU, question.VU:
		for _, f := range live {
			add(f.ID)
		}
	case question.TR:
		for _, a := range live {
			for _, b := range live {
				if a.Key() != b.Key() && (a.When != "" || a.Kind == Date) && (b.When != "" || b.Kind == Date) {
					add(a.ID, b.ID)
				}
			}
		}
	case question.TTL:
		for _, f := range live {
			if f.Rule != nil {
				for _, share := range []float64{0.3 + 0.5*rnd.Float64(), 1.2 + 0.8*rnd.Float64()} {
					q := Question{Type: t, End: end, Facts: []string{f.ID}, Amount: int(share * float64(f.Rule.Limit))}
					excepted := q
					excepted.Excepted = true
					out = append(out, q, excepted)
				}
			}
		}
	case question.CMR:
		for _, a := range live {
			for _, b := range live {
				add(a.ID, b.ID)
			}
		}
	case question.VS:
		out = searches(live, t, end)
	case question.MC:
		for _, i := range p.Interfering {
			add(i.ID)
		}
	case question.KR:
		for _, o := range p.Outside {
			add(o.ID)
		}
	case question.MB:
		for i := range p.Absent {
			out = append(out, Question{Type: t, End: end, Absent: i + 1})
		}
	}
	return out
}

// searches returns, for each fact that is shown, a question with three other things that
// are shown in the same aspect.
func searches(live []Fact, t string, end int) (out []Question) {
	for _, target := range live {
		ids := []string{target.ID}
		for _, f := range live {
			if searchable(target, f) && len(ids) < question.Options {
				ids = append(ids, f.ID)
			}
		}
		out = append(out, Question{Type: t, End: end, Facts: ids})
	}
	return out
}

// disputed returns the ids of facts and interferences on which readers do not agree.
func (l Life) disputed() map[string]bool {
	out := map[string]bool{}
	for n, s := range l.Sessions {
		for id, a := range l.Plan.Agreements(n, s) {
			if !a.Agreed() {
				out[id] = true
			}
		}
	}
	return out
}

// isDisputed reports whether a question rests on what readers dispute, or on a key of which
// they dispute a change.
func (l Life) isDisputed(disputed map[string]bool, g Gold) bool {
	keys := []Key{g.Key}
	for _, piece := range g.Pieces {
		if disputed[piece.ID] {
			return true
		}
		if f, ok := l.Plan.FactByID(piece.ID); ok {
			keys = append(keys, f.Key())
		}
	}
	return slices.ContainsFunc(l.Plan.Facts, func(f Fact) bool { return disputed[f.ID] && slices.Contains(keys, f.Key()) })
}
