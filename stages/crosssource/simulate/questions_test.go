package simulate

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// TestQuestionsReadWell: over many worlds no question strings more than three links
// together, none tells of changes or disputes, nothing is said with the wrong article, and whoever is asked for is somebody,
// wherever is a place, and which firm is a firm, among the options and in every table.
func TestQuestionsReadWell(t *testing.T) {
	long, asked := 0, map[string]int{}
	tells := regexp.MustCompile(`\b(now|after|chang\w+|disagree|really|still|latest|\d+)\b`)
	article := regexp.MustCompile(`\b([Aa] [aeiou]|[Aa]n [^aeiou ])`)
	for seed := range uint64(200) {
		w, err := Simulate(rand.New(rand.NewPCG(seed, 3)), Themes()[int(seed)%len(Themes())], Size{
			People: 12, Documents: 0.7, Pages: 0.3, Images: 0.3, Decoys: 0.5, Pieces: []weights.Range{{From: 2, To: 9, Weight: 1}},
			Items: map[string]int{schemas.TaskSingleHop: 2, schemas.TaskMultiHop: 6, schemas.TaskConflict: 4, schemas.TaskPreference: 2, schemas.TaskFunctionCall: 2},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range w.Items {
			if n := strings.Count(item.Ask, " of the "); n > 3 {
				t.Errorf("seed %d: %q has %d links in a row", seed, item.Ask, n)
			}
			if told := tells.FindString(item.Ask); told != "" {
				t.Errorf("seed %d: %q tells by %q that something changed, or is disputed", seed, item.Ask, told)
			}
			long += btoi(strings.Contains(item.Ask, ". "))
			for _, word := range []string{"Who", "Where", "Which firm"} {
				if strings.Contains(" "+strings.ToLower(item.Ask), " "+strings.ToLower(word)+" is ") {
					asked[word]++
					fitting(t, item.Ask, strings.ToLower(word), item.Options...)
				}
			}
			for _, u := range item.Units {
				if bad := article.FindString(u.Text); bad != "" {
					t.Errorf("seed %d: %q says %q", seed, u.Text, bad)
				}
				told(t, u)
			}
		}
	}
	if long < 200 || asked["Who"] < 100 || asked["Where"] < 100 || asked["Which firm"] < 100 {
		t.Errorf("%d questions of several sentences, and %v: too few to tell", long, asked)
	}
}

// TestNoChangesMakeUpForThemselves: whatever changes of a number somebody misses, one or
// several, the number comes to something else.
func TestNoChangesMakeUpForThemselves(t *testing.T) {
	s := &simulator{namer: newNamer(rand.New(rand.NewPCG(1, 2)))}
	down := 0
	for n := 1; n <= mostPieces; n++ {
		for range 40 {
			sums := []int{}
			for _, by := range s.pickSteps(n) {
				down += btoi(by < 0)
				sums = append(sums, by)
				for _, sum := range sums[:len(sums)-1] {
					sums = append(sums, sum+by)
				}
				slices.Sort(sums)
				sums = slices.Compact(sums)
			}
			if slices.Contains(sums, 0) {
				t.Errorf("of %d changes some come to nothing", n)
			}
		}
	}
	if down < 200 {
		t.Errorf("%d changes go down", down)
	}
}

// fitting wants values to be of the kind that a question asks for.
func fitting(t *testing.T, where, ask string, values ...string) {
	t.Helper()
	for _, v := range values {
		first, last, _ := strings.Cut(v, " ")
		got := map[string]bool{askPerson: slices.Contains(firstNames(), first), askPlace: slices.Contains(placeKinds(), last), askFirm: slices.Contains(firmKinds(), last)}
		if !got[ask] {
			t.Errorf("%q asks %s, and %q is none", where, ask, v)
		}
	}
}

// told wants each row of a table, and each fact of a chain, to have a value of the kind
// that its relation leads to.
func told(t *testing.T, u Unit) {
	t.Helper()
	rows := u.Rows
	if u.Picture != nil && u.Picture.Kind == Sheet {
		rows = append([][]string{u.Picture.Columns}, u.Picture.Rows...)
	}
	for _, a := range slices.Concat(relations(), ends()) {
		for i, r := range rows {
			if i > 0 && rows[0][1] == a.name {
				fitting(t, u.Title, a.ask, r[1])
			}
		}
		if _, v, ok := strings.Cut(strings.TrimSuffix(u.Text, "."), "The "+a.name+" of "); ok {
			_, v, _ = strings.Cut(v, " is ")
			fitting(t, u.Text, a.ask, v)
		}
	}
}
