package simulate

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// small is a size of worlds that many of are made of.
func small() Size { return Size{Sessions: 10, Facts: 5, Pictures: 2, Interference: 1} }

// everywhere simulates some worlds of each domain.
func everywhere(t *testing.T, each func(w World)) {
	t.Helper()
	for _, d := range append(Domains(), Agentic()...) {
		for seed := range uint64(6) {
			w, err := Simulate(rand.New(rand.NewPCG(4, seed)), d, small())
			if err != nil {
				t.Fatal(err)
			}
			each(w)
		}
	}
}

// TestValuesFitTheirAspects: what something is called, where it stands and what it is of
// are values of a kind that such a thing has.
func TestValuesFitTheirAspects(t *testing.T) {
	seen := map[string]int{}
	forms := map[string]string{
		"styles/line width": `\d{3,4} px`, "navigation/parking bay": `(north|south|east|west) bay [1-9]`,
		"crafting/metal": `[a-z]+ (iron|copper|brass|bronze|steel|silver|tin|nickel)`, "crafting/stowage": `[a-z]+ (chest|barrel|crate|locker|hopper|bin)`,
		"shop/amount due": `\d{2,3} euros`, "shop/chosen colour": `[a-z]+ [a-z]+`, "workshop/label colour": `[a-z]+ [a-z]+`, "life/planned cost": `\d{2,3} euros`,
	}
	everywhere(t, func(w World) {
		for _, e := range w.Events {
			of := w.Domain + "/" + e.Key.Aspect
			if form := forms[of]; form != "" && e.Value != "" {
				seen[of]++
				if !regexp.MustCompile("^" + form + "$").MatchString(e.Value) {
					t.Errorf("the %s is %q", of, e.Value)
				}
			}
		}
	})
	if len(seen) != len(forms) {
		t.Errorf("values of %d aspects of %d were seen: %v", len(seen), len(forms), seen)
	}
}

// TestPeopleHaveNamesOfTheirOwn: no two people of a world share a given name or a surname.
func TestPeopleHaveNamesOfTheirOwn(t *testing.T) {
	people := 0
	everywhere(t, func(w World) {
		all := []string{w.Person}
		for _, e := range w.Events {
			for _, name := range []string{e.Value, e.Also, e.Who} {
				if name != "" && (name == e.Who || IsPerson(w.Domain, e.Key.Aspect)) && !slices.Contains(all, name) {
					all = append(all, name)
				}
			}
		}
		parts := map[string]string{}
		for _, name := range all {
			for _, part := range strings.Fields(name) {
				if other := parts[part]; other != "" {
					t.Errorf("%s: %s and %s", w.Domain, other, name)
				}
				parts[part] = name
			}
		}
		people += len(all)
	})
	if people < 500 {
		t.Errorf("%d people", people)
	}
}

// TestChartsEndBeforeTheirDay: charts of a world show the four months before that of its
// first chart, in which every one of them is over.
func TestChartsEndBeforeTheirDay(t *testing.T) {
	charts, corrected := 0, 0
	everywhere(t, func(w World) {
		var want []string
		for i, x := range w.Pictures {
			if x.Kind != Chart {
				continue
			}
			if want == nil {
				want = map[string][]string{
					"01": {"September", "October", "November", "December"}, "02": {"October", "November", "December", "January"}, "03": {"November", "December", "January", "February"},
					"04": {"December", "January", "February", "March"}, "05": {"January", "February", "March", "April"}, "06": {"February", "March", "April", "May"},
					"07": {"March", "April", "May", "June"}, "08": {"April", "May", "June", "July"}, "09": {"May", "June", "July", "August"},
					"10": {"June", "July", "August", "September"}, "11": {"July", "August", "September", "October"}, "12": {"August", "September", "October", "November"},
				}[w.Sessions[x.Session].Date[5:7]]
			}
			charts++
			for m, r := range x.Rows {
				if len(x.Rows) != len(want) || r[0] != "hours of work in "+want[m] {
					t.Errorf("%s: a chart of %s shows %s; want %v", w.Domain, w.Sessions[x.Session].Date, r[0], want)
				}
			}
			again := slices.ContainsFunc(w.Pictures[:i], func(o Picture) bool { return o.Thing == x.Thing })
			if w.CorrectsChart(Event{Picture: i}) != again {
				t.Errorf("%s: picture %d, shown again: %v, corrects: %v", w.Domain, i, again, !again)
			}
			if again {
				corrected++
			}
		}
	})
	if charts < 50 || corrected < 20 {
		t.Errorf("%d charts, of which %d correct others", charts, corrected)
	}
}
