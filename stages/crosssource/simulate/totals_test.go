package simulate

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// moved is what is told of the number of a thing.
type moved struct{ base, total, changes int }

var (
	aNumber = regexp.MustCompile(`\d+`)
	aThing  = regexp.MustCompile(`[A-Z][a-z]+ Choir`)
	lower   = regexp.MustCompile(`gone down|taken|lower`)
)

// numbersOf are what the texts of an item tell of numbers, and the thing that it is about.
func numbersOf(t *testing.T, item Item) (told map[string]moved, own string) {
	t.Helper()
	told = map[string]moved{}
	for _, u := range item.Units {
		if u.Text == "" {
			continue
		}
		of := aThing.FindString(u.Text)
		n, err := strconv.Atoi(aNumber.FindString(u.Text))
		if err != nil {
			t.Fatalf("%q has no number", u.Text)
		}
		m := told[of]
		switch {
		case len(u.Revises) == 0:
			m.base, m.total = m.base+n, m.total+n
		case lower.MatchString(u.Text):
			m.total, m.changes = m.total-n, m.changes+1
		default:
			m.total, m.changes = m.total+n, m.changes+1
		}
		if told[of] = m; u.Role != schemas.RoleDistractor {
			own = of
		}
	}
	return told, own
}

// TestNumbersAreThoseOfLikeThings: of a number that was changed the options are what it comes
// to, what it was at first, and two that other things have or had. Whoever knows that and
// takes one of a rank, or one that a text has, is right as often as by chance; who takes the one
// that no text has, in one of three, as each of three things is asked about as often; who takes
// what the thing that changes most often comes to, up to eight changes, in one of two at most;
// and who knows the changes alone finds two options that fit.
func TestNumbersAreThoseOfLikeThings(t *testing.T) {
	t.Parallel()
	ranks, n, apart := [4]float64{}, 0.0, 0.0
	rules := map[string]float64{}
	for seed := range testsize.Choose(uint64(60), 200) {
		s := &simulator{namer: newNamer(rand.New(rand.NewPCG(seed, 4))), field: fieldOf("music")}
		s.people = []Person{s.person(), s.person()}
		for changes := 1; changes <= mostMixed; changes++ {
			s.loose = nil
			item, err := s.total(changes + 1 + btoi(changes > 1))
			if err != nil {
				t.Fatal(err)
			}
			item.Units = append(item.Units, s.loose...)
			told, own := numbersOf(t, item)
			n++
			checkNumbers(t, item, told, told[own])
			sorted := slices.Sorted(slices.Values(item.Options))
			rank := slices.Index(sorted, item.Options[0])
			ranks[rank]++
			if away := rank - slices.Index(sorted, item.Options[1]); away != 1 && away != -1 {
				apart++
			}
			for rule, open := range guesses(item, told) {
				if slices.Contains(open, item.Options[0]) {
					rules[rule] += 1 / float64(len(open))
				}
			}
		}
	}
	off := 3.3 * math.Sqrt(0.25*0.75/n)
	for rank, c := range ranks {
		if math.Abs(c/n-0.25) > off {
			t.Errorf("the right one has rank %d in %.3f of %.0f, want 0.25 within %.3f", rank, c/n, n, off)
		}
	}
	for rule, most := range map[string]float64{"said": 0.25 + off, "not said": 1.0/3 + off, "changed most": 0.5} {
		if rules[rule]/n > most || rules[rule] == 0 {
			t.Errorf("by %s %.3f of %.0f are right, want at most %.3f", rule, rules[rule]/n, n, most)
		}
	}
	if apart/n < 0.38 || apart/n > 0.62 {
		t.Errorf("the right one and the first value are not next to each other in %.3f, want half", apart/n)
	}
	t.Logf("not next to the first value in %.3f, ranks %v of %.0f, right by rule %v", apart/n, ranks, n, rules)
}

// checkNumbers holds the options of an item against what is told.
func checkNumbers(t *testing.T, item Item, told map[string]moved, own moved) {
	t.Helper()
	if item.Options[0] != strconv.Itoa(own.total) || item.Options[1] != strconv.Itoa(own.base) {
		t.Errorf("%q begin with other numbers than %+v", item.Options, own)
	}
	for _, o := range item.Options {
		like := false
		for _, m := range told {
			like = like || o == strconv.Itoa(m.base) || o == strconv.Itoa(m.total)
		}
		if !like {
			t.Errorf("%s of %q is a number of nothing in %+v", o, item.Options, told)
		}
	}
	fit := 0
	for _, o := range item.Options {
		v, _ := strconv.Atoi(o)
		fit += btoi(slices.Contains(item.Options, strconv.Itoa(v-own.total+own.base)))
	}
	if fit != 2 {
		t.Errorf("%d of %q are another and the changes of %+v", fit, item.Options, own)
	}
}

// guesses are the options that rules leave open to who knows not what is asked about.
func guesses(item Item, told map[string]moved) map[string][]string {
	saidOf := func(times int) (out []string) {
		for _, o := range item.Options {
			n := 0
			for _, m := range told {
				n += btoi(o == strconv.Itoa(m.base))
			}
			if n == times {
				out = append(out, o)
			}
		}
		if len(out) == 0 {
			return item.Options
		}
		return out
	}
	most, out := 0, map[string][]string{"said": saidOf(1), "not said": saidOf(0)}
	for _, m := range told {
		most = max(most, m.changes)
	}
	for _, m := range told {
		if m.changes == most {
			out["changed most"] = append(out["changed most"], strconv.Itoa(m.total))
		}
	}
	return out
}
