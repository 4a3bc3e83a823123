package written

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/schemas"
)

// Vote is how many readers of a source found a fact there, and in which turns most did.
type Vote struct {
	For, Of int
	Turns   []int
}

// Check returns what is wrong with an environment: with its plan, with what readers found, or
// with what a question rests on.
func (e Environment) Check() (why []string) {
	bad := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	if e.Origin.Kind != OriginWritten || e.Origin.Author == "" || len(e.Origin.Readers) == 0 {
		bad("it does not say who wrote it, and who read it")
	}
	if len(e.Sources) != len(e.Plan.Sources) {
		bad("%d sources are written, and the plan has %d", len(e.Sources), len(e.Plan.Sources))
		return why
	}
	if why = append(why, e.Plan.check()...); len(why) > 0 {
		return why
	}
	for n, s := range e.Sources {
		why = append(why, e.checkSource(n, s)...)
	}
	if len(why) > 0 {
		return why
	}
	for i, q := range e.Questions {
		if _, err := e.Plan.Gold(q); err != nil {
			bad("question %d: %v", i+1, err)
		} else if err := e.checkEvidence(q); err != nil {
			bad("question %d: %v", i+1, err)
		}
	}
	return why
}

// check returns what is wrong with a plan by itself.
func (p Plan) check() (why []string) {
	bad := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	var people, sources []string
	for _, x := range p.People {
		if x.Name == "" || slices.Contains(people, x.Name) {
			bad("two people are called %q", x.Name)
		}
		people = append(people, x.Name)
	}
	for _, x := range p.People {
		for _, r := range x.Relations {
			if r.With == x.Name || !slices.Contains(people, r.With) {
				bad("%s is related to %q, who is none of the others", x.Name, r.With)
			}
		}
	}
	for _, s := range p.Sources {
		if s.ID == "" || slices.Contains(sources, s.ID) || !slices.Contains(kinds(), s.Kind) {
			bad("source %q is there twice, or of kind %q", s.ID, s.Kind)
		}
		sources = append(sources, s.ID)
		for _, m := range s.Members {
			if !slices.Contains(people, m) {
				bad("%q, a member of %s, is none of the people", m, s.ID)
			}
		}
	}
	for i, f := range p.Facts {
		if err := p.checkFact(i, f); err != nil {
			bad("fact %q: %v", f.ID, err)
		}
	}
	for i, x := range p.Pictures {
		twice := slices.ContainsFunc(p.Pictures[:i], func(o Picture) bool { return o.ID == x.ID })
		ragged := slices.ContainsFunc(x.Rows, func(r []string) bool { return len(r) != len(x.Columns) })
		if x.ID == "" || twice || !slices.Contains(sources, x.Source) || len(x.Columns) == 0 || len(x.Rows) == 0 || ragged {
			bad("picture %q is there twice, in no source, or has rows of other lengths than its %d columns", x.ID, len(x.Columns))
		}
	}
	return why
}

func kinds() []string {
	return []string{schemas.KindGroupChat, schemas.KindPrivateChat, schemas.KindDocument, schemas.KindTable, schemas.KindProfile, schemas.KindImage}
}

func isChat(kind string) bool {
	return kind == schemas.KindGroupChat || kind == schemas.KindPrivateChat
}

func (p Plan) checkFact(i int, f Fact) error {
	at := slices.IndexFunc(p.Sources, func(s PlanSource) bool { return s.ID == f.Source })
	switch {
	case f.ID == "" || f.Thing == "" || f.Aspect == "" || f.Value == "" || at < 0:
		return fmt.Errorf("it lacks an id, thing, aspect, value or source")
	case slices.ContainsFunc(p.Facts[:i], func(o Fact) bool { return o.ID == f.ID }):
		return fmt.Errorf("two have this id")
	case f.Op != Append && f.Op != Revise || (f.Op == Revise) != (len(f.Supersedes) > 0):
		return fmt.Errorf("its operation is %q, and it supersedes %d", f.Op, len(f.Supersedes))
	case f.By != "" && !slices.Contains(p.Sources[at].Members, f.By):
		return fmt.Errorf("%s, who says it, is no member of %s", f.By, f.Source)
	}
	for _, id := range f.Supersedes {
		old, there := p.FactByID(id)
		if !there || old.Key() != f.Key() || slices.Contains(old.Supersedes, f.ID) || sameText(old.Value, f.Value) {
			return fmt.Errorf("it supersedes %q, which is not there, of another key, or has its value", id)
		}
	}
	shown := slices.IndexFunc(p.Pictures, func(x Picture) bool { return x.ID == f.Picture })
	switch {
	case f.Mode == Told && f.Picture == "":
	case f.Mode != Shown || shown < 0 || p.Pictures[shown].Source != f.Source:
		return fmt.Errorf("its mode is %q and its picture %q", f.Mode, f.Picture)
	case !slices.ContainsFunc(p.Pictures[shown].Rows, func(r []string) bool {
		return slices.ContainsFunc(r, func(c string) bool { return sameText(c, f.Value) || strings.Contains(c, f.Value) })
	}):
		return fmt.Errorf("picture %s does not show %q", f.Picture, f.Value)
	}
	return nil
}

// checkSource returns what is wrong with the turns of a source, and with what readers found.
func (e Environment) checkSource(n int, s Source) (why []string) {
	of := e.Plan.Sources[n]
	bad := func(format string, args ...any) {
		why = append(why, "source "+of.ID+": "+fmt.Sprintf(format, args...))
	}
	if len(s.Turns) == 0 || len(s.Turns) > 5000 || len(s.Readings) == 0 {
		bad("it has %d turns and %d readings", len(s.Turns), len(s.Readings))
		return why
	}
	var last time.Time
	for i, t := range s.Turns {
		at, err := time.Parse(time.RFC3339, t.At)
		if err != nil || at.Before(last) || !strings.HasSuffix(t.At, "Z") {
			bad("turn %d is of %q, after %v; want a time like 2026-02-11T07:35:00Z", i+1, t.At, last)
		}
		last = at
		if isChat(of.Kind) && !slices.Contains(of.Members, t.By) || t.Text == "" && t.Picture == "" {
			bad("turn %d is by %q, who is no member, or says nothing", i+1, t.By)
		}
	}
	for _, x := range e.Plan.Pictures {
		if x.Source == of.ID && s.turnOfPicture(x.ID) == 0 {
			bad("it does not share picture %s", x.ID)
		}
	}
	for _, r := range s.Readings {
		for _, f := range r.Found {
			if f.Number < 1 || f.Number > len(r.Form) || slices.ContainsFunc(f.Turns, func(t int) bool { return t < 1 || t > len(s.Turns) }) {
				bad("a reading names a key or a turn that is not there")
			}
		}
	}
	return why
}

// turnOfPicture returns the number of the turn that shares a picture, 0 if none does.
func (s Source) turnOfPicture(id string) int {
	return 1 + slices.IndexFunc(s.Turns, func(t Turn) bool { return t.Picture == id })
}

// vote counts the readers of a source who found that it says a fact, as holding or as having
// held.
func (s Source) vote(f Fact) Vote {
	out, turns := Vote{Of: len(s.Readings)}, map[int]int{}
	for _, r := range s.Readings {
		found := false
		for _, x := range r.Found {
			if x.Number < 1 || x.Number > len(r.Form) || r.Form[x.Number-1] != f.Key() || x.Status == NotReal || !sameText(x.Value, f.Value) && !slices.Contains(x.Same, f.ID) {
				continue
			}
			for _, t := range x.Turns {
				turns[t]++
			}
			found = found || len(x.Turns) > 0
		}
		if found {
			out.For++
		}
	}
	for t := range turns {
		if turns[t]*2 > out.Of {
			out.Turns = append(out.Turns, t)
		}
	}
	slices.Sort(out.Turns)
	return out
}

// Piece is where a fact stands: its source, from 0, and one turn, from 1.
type Piece struct {
	Source, Turn int
	Vote         Vote
}

// Place returns where a fact stands. A shown fact stands where its picture is shared; of a
// told one most readers name the turn.
func (e Environment) Place(f Fact) (Piece, error) {
	at := slices.IndexFunc(e.Plan.Sources, func(s PlanSource) bool { return s.ID == f.Source })
	s := e.Sources[at]
	v := s.vote(f)
	if f.Mode == Shown {
		if v.For > 0 {
			return Piece{}, fmt.Errorf("fact %s is shown, and %d of %d readers found it in words", f.ID, v.For, v.Of)
		}
		return Piece{at, s.turnOfPicture(f.Picture), Vote{For: v.Of, Of: v.Of}}, nil
	}
	if v.For*2 <= v.Of || len(v.Turns) == 0 {
		return Piece{}, fmt.Errorf("%d of %d readers found fact %s in %s, in the turns %v", v.For, v.Of, f.ID, f.Source, v.Turns)
	}
	if by := s.Turns[v.Turns[0]-1].By; f.By != "" && by != f.By {
		return Piece{}, fmt.Errorf("fact %s is said by %s, and the plan wants %s", f.ID, by, f.By)
	}
	return Piece{at, v.Turns[0], v}, nil
}

// checkEvidence checks that each fact of a question stands in its source alone, that no
// source has all of them, and that what supersedes comes later.
func (e Environment) checkEvidence(q Question) error {
	var facts []Fact
	at := map[string]Piece{}
	for _, id := range q.Facts {
		f, _ := e.Plan.FactByID(id)
		p, err := e.Place(f)
		if err != nil {
			return err
		}
		facts, at[id] = append(facts, f), p
		for n, s := range e.Sources {
			if v := s.vote(f); n != p.Source && v.For > 0 {
				return fmt.Errorf("%d of %d readers found fact %s in %s, too", v.For, v.Of, id, e.Plan.Sources[n].ID)
			}
		}
	}
	for _, f := range facts {
		for _, id := range f.Supersedes {
			if old, asked := at[id]; asked && e.time(old) >= e.time(at[f.ID]) {
				return fmt.Errorf("fact %s stands before %s, which it supersedes", f.ID, id)
			}
		}
	}
	return nil
}

func (e Environment) time(p Piece) string { return e.Sources[p.Source].Turns[p.Turn-1].At }
