package format

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/schemas"
)

// valuedTask returns a task whose points have values: in each session four new ones, an update of
// an earlier one, and interference.
func valuedTask(n int, rnd *rand.Rand) (out []schemas.Session) {
	task := fmt.Sprintf("lives/%02d", n)
	value := func(aspect string) string {
		if aspect == "room" {
			return pick(rnd, "attic", "cellar", "green room", "old barn")
		}
		return fmt.Sprintf("%s %s", pick(rnd, "Ada", "Ilya", "Mara", "Tom"), pick(rnd, "Dorn", "Novak", "Quist", "Rye"))
	}
	latest := map[string]schemas.MemoryPoint{}
	var keys []string
	for s := range 7 {
		one := schemas.Session{SessionID: schemas.SessionIDOf(task, s), TaskID: task, Order: int32(s), Turns: []schemas.Turn{{}}}
		point := func(thing, aspect, value string) schemas.MemoryPoint {
			return schemas.MemoryPoint{
				MemoryID: schemas.PointIDOf(one.SessionID, len(one.Points)+1), SessionID: one.SessionID, Subject: thing + "/" + aspect,
				Content:    fmt.Sprintf("The %s of %s is %s", aspect, thing, value),
				Attributes: map[string]string{schemas.PointThing: thing, schemas.PointAspect: aspect, schemas.PointValue: value},
			}
		}
		for k := range 4 {
			thing, aspect := fmt.Sprintf("the %s fair %d%d", pick(rnd, "Larkspur", "Harbour", "Juniper"), s, k), pick(rnd, "lead", "room")
			p := point(thing, aspect, value(aspect))
			one.Points, latest[p.Subject] = append(one.Points, p), p
			keys = append(keys, p.Subject)
		}
		if s > 0 {
			old := latest[keys[rnd.IntN(len(keys)-4)]]
			p := point(old.Attributes[schemas.PointThing], old.Attributes[schemas.PointAspect], old.Attributes[schemas.PointValue]+" junior")
			if rnd.IntN(2) == 0 {
				p = point(old.Attributes[schemas.PointThing], old.Attributes[schemas.PointAspect], fmt.Sprint(rnd.IntN(1000))+".5 euros")
			}
			p.Content = fmt.Sprintf("%s took the place of %s as the %s of %s", p.Attributes["value"], old.Attributes["value"], p.Attributes["aspect"], p.Attributes["thing"])
			p.IsUpdate, p.Supersedes = true, []string{old.MemoryID}
			one.Points, latest[p.Subject] = append(one.Points, p), p
			joke := point(p.Attributes["thing"], p.Attributes["aspect"], "a parrot")
			joke.IsInterference, joke.Resembles = true, p.MemoryID
			one.Points = append(one.Points, joke)
		}
		for _, p := range one.Points {
			one.Turns = append(one.Turns, schemas.Turn{Text: tell(rnd, p, p.Attributes[schemas.PointValue])})
		}
		out = append(out, one)
	}
	return out
}

// falseValue returns another value of the aspect than the subject ever had, or one that was
// never said. A third of them contain the right one.
func falseValue(rnd *rand.Rand, right string, held, ever []string) string {
	for {
		v := pick(rnd, "Zed Quill", "18", "Ada Vane", "bluegreen")
		if rnd.IntN(2) == 0 {
			v = pick(rnd, held...)
		}
		meets := func(value string) bool {
			return containsWords(normalise(v), normalise(value)) || containsWords(normalise(value), normalise(v))
		}
		if slices.ContainsFunc(ever, meets) {
			continue
		}
		return pick(rnd, v, v, v, v, right+" or "+v, "not "+right+" but "+v)
	}
}

func pick(rnd *rand.Rand, of ...string) string { return of[rnd.IntN(len(of))] }

// tell words a value as a memory might.
func tell(rnd *rand.Rand, p schemas.MemoryPoint, value string) string {
	thing, aspect := p.Attributes[schemas.PointThing], p.Attributes[schemas.PointAspect]
	return pick(rnd,
		fmt.Sprintf("The %s of %s is %s", aspect, thing, value),
		fmt.Sprintf("%s: %s = %s.", strings.TrimPrefix(thing, "the "), aspect, value),
		fmt.Sprintf("User asked for a note. %s is the %s of %s now! Shall I remind them?", value, aspect, thing))
}

// spoiledMemory holds the points of a task after each session, a share of them spoiled in one of
// these ways. It returns how many points were spoiled in each, of how many.
func spoiledMemory(rnd *rand.Rand, sessions []schemas.Session, share float64, ways ...claim) (lines map[string]memoryState, spoiled map[claim]int, all int) {
	spoiled = map[claim]int{}
	held, bySubject, isFalse := map[string]memory{}, map[string][]string{}, map[string]bool{}
	lines, byAspect := map[string]memoryState{}, valuesByAspect([]instance{{sessions: sessions}})
	for _, s := range sessions {
		for _, p := range s.Points {
			if p.IsInterference {
				continue
			}
			all++
			bySubject[p.Subject] = append(bySubject[p.Subject], p.Attributes[schemas.PointValue])
			text := tell(rnd, p, p.Attributes[schemas.PointValue])
			way := ways[rnd.IntN(len(ways))]
			wasFalse := isFalse[p.Subject]
			isFalse[p.Subject] = false
			if rnd.Float64() < share && (way != claimsStale || p.IsUpdate) {
				counts := way
				if way == claimsStale && wasFalse {
					counts = claimsFalse // what is held was false before
				}
				isFalse[p.Subject] = counts == claimsFalse
				spoiled[counts]++
				switch way {
				case claimsFalse:
					text = tell(rnd, p, falseValue(rnd, p.Attributes[schemas.PointValue], byAspect[p.Attributes[schemas.PointAspect]], bySubject[p.Subject]))
				case claimsStale:
					continue // what it held stays
				default:
					delete(held, p.Subject)
					continue
				}
			}
			held[p.Subject] = memory{p.Subject, text}
		}
		var line memoryState
		line.Session = s.SessionID
		for _, m := range held {
			line.Memories = append(line.Memories, m)
		}
		lines[s.SessionID] = line
	}
	return lines, spoiled, all
}

// TestValuesShowWhatMemoriesSpoil: of memories with known shares of false, missing and stale
// values, at ten levels, the figures are within two points, and so is each end of their
// interval over tasks.
func TestValuesShowWhatMemoriesSpoil(t *testing.T) {
	const tasks = 16
	for seed, ways := range [][]claim{{claimsFalse}, {claimsNothing}, {claimsFalse, claimsStale}} {
		for level := range 10 {
			rnd := rand.New(rand.NewPCG(uint64(seed), uint64(level)))
			var m memoryScores
			differences := map[claim][]float64{}
			for n := range tasks {
				sessions := valuedTask(n, rnd)
				lines, spoiled, all := spoiledMemory(rnd, sessions, float64(level+1)/10, ways...)
				m.byAspect = valuesByAspect([]instance{{sessions: sessions}})
				m.addInstance(instance{sessions: sessions}, lines)
				for _, way := range ways {
					reported, _ := m.values.points[way].per[n].mean()
					differences[way] = append(differences[way], reported-float64(spoiled[way])/float64(all))
				}
			}
			for way, all := range differences {
				mean, spread := 0.0, 0.0
				for _, d := range all {
					mean += d / tasks
				}
				for _, d := range all {
					spread += (d - mean) * (d - mean)
				}
				half := 2.13 * math.Sqrt(spread/(tasks-1)/tasks) // Student's t of 15 degrees
				if math.Abs(mean)+half > 0.02 {
					t.Errorf("ways %v, level %d: reported %d less known is %.4f +- %.4f", ways, level, way, mean, half)
				}
			}
		}
	}
}

// TestMemoriesOfFalsehood: a memory with all values but one false is not taken for a good one,
// and keeps the figures of the paper empty.
func TestMemoriesOfFalsehood(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	sessions := valuedTask(1, rnd)
	lines, _, _ := spoiledMemory(rnd, sessions, 1, claimsFalse)
	answers := map[string]string{}
	for id, l := range lines {
		data, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		answers[id] = string(data)
	}
	got, err := memoryScorer{[]instance{{sessions: sessions}}}.Score(answers, score.Options{Variant: VariantPaper})
	if err != nil {
		t.Fatal(err)
	}
	check(t, got, map[string]figure{"values right": {Value: 0, Count: 34}, "values false": {Value: 1, Count: 34}})
	if l := line(t, got, "stored texts false"); l.Value != 1 {
		t.Errorf("of the stored texts %v are false", l)
	}
	if empty := got.(figures).Empty; len(empty) != 6 || empty[1].Name != "Corr" {
		t.Errorf("without a judge these stay empty: %v", empty)
	}
}

// TestClaims of one statement about the lead of a fair, which is Ada Dorn and was Tom Rye.
func TestClaims(t *testing.T) {
	point := func(id, value string, old ...string) schemas.MemoryPoint {
		return schemas.MemoryPoint{MemoryID: id, Content: "The lead of the Larkspur fair is " + value, Supersedes: old, Attributes: map[string]string{schemas.PointThing: "the Larkspur fair", schemas.PointAspect: "lead", schemas.PointValue: value}}
	}
	v := newValueState(map[string][]string{"lead": {"ada dorn", "tom rye", "someone else"}})
	v.add(schemas.Session{Turns: []schemas.Turn{{Text: "On Monday we met about the lead of the Larkspur fair."}}, Points: []schemas.MemoryPoint{point("1", "Tom Rye"), point("2", "Ada Dorn", "1")}})
	for text, want := range map[string]claim{
		"The lead of the Larkspur fair: Ada Dorn":                        claimsRight,
		"Ada Dorn, not Tom Rye, is lead of the Larkspur fair":            claimsRight,
		"lead of Larkspur fair = Tom Rye.":                               claimsStale,
		"The lead of the Larkspur fair is Zed Quill.":                    claimsFalse,
		"The lead of the Larkspur fair is someone else.":                 claimsFalse,
		"The lead of the Larkspur fair is number 7.":                     claimsFalse,
		"On Monday we met about the lead of the Larkspur fair":           claimsNothing,
		"Who is the lead of the Larkspur fair, Zed Quill?":               claimsNothing,
		"The lead of the Harbour fair is Zed Quill.":                     claimsNothing,
		"The Larkspur fair is fun. The lead is Zed Quill.":               claimsNothing,
		"The lead of the Larkspur fair is Ada Dorn or Zed.":              claimsFalse,
		"Ada Dorn is no longer the lead of the Larkspur fair":            claimsFalse,
		"The lead of the Larkspur fair isn't Ada Dorn":                   claimsFalse,
		"The lead of the Larkspur fair is not Ada Dorn":                  claimsFalse,
		"The lead of the Larkspur fair is Ada Dornfeld":                  claimsFalse,
		"The lead of the Larkspur fair is not Tom Rye":                   claimsNothing,
		"The lead of the Larkspur fair is unknown":                       claimsNothing,
		"Zed Quill took over the lead of the Larkspur fair from Tom Rye": claimsFalse,
		"Tom Rye handed the lead of the Larkspur fair to Ada Dorn":       claimsRight,
	} {
		checkClaim(t, v, text, want)
	}
}

func checkClaim(t *testing.T, v *valueState, text string, want claim) {
	t.Helper()
	got := claimsNothing
	for _, made := range statementsOf(text) {
		got = max(got, v.judge(made, v.subjects[0]))
	}
	if got != want {
		t.Errorf("%q claims %d, want %d", text, got, want)
	}
}

// TestValuesAreComparedAsValues: one that only contains the right one is another.
func TestValuesAreComparedAsValues(t *testing.T) {
	for value, texts := range map[string]map[claim][]string{
		"blue": {
			claimsRight: {"The paint of the Heron is blue.", "Heron paint: Blue", "The paint of the Heron is blue, not bluegreen", "blue is the paint of the Heron"},
			claimsFalse: {"The paint of the Heron is not blue but bluegreen.", "The paint of the Heron is bluegreen", "The paint of the Heron is blue-green", "bluegreen is the paint of the Heron", "The paint of the Heron is green or blue", "The paint of the Heron is green instead of blue"},
		},
		"12": {
			claimsRight: {"The paint of the Heron is 12.", "Paint of the Heron = 12.0", "On 3 May the paint of the Heron became 12"},
			claimsFalse: {"The paint of the Heron is 12 and 13.", "The paint of the Heron is 12/13", "The paint of the Heron is 12.5", "The paint of the Heron is between 3 and 12", "The paint of the Heron is 112", "The paint of the Heron is 12,000"},
		},
		"1,200 euros": {
			claimsRight: {"The paint of the Heron is 1200 euros", "the paint of the Heron: 1,200.00 euros"},
			claimsFalse: {"The paint of the Heron is 200 euros", "The paint of the Heron is 11,200 euros", "The paint of the Heron is 1,200 to 1,300 euros"},
		},
	} {
		v := newValueState(map[string][]string{"paint": {value, "green"}})
		v.add(schemas.Session{Turns: []schemas.Turn{{Text: "The Heron has new paint, said Ada on 3 May."}}, Points: []schemas.MemoryPoint{{
			MemoryID: "1", Content: "The paint of the Heron is " + value, Attributes: map[string]string{schemas.PointThing: "the Heron", schemas.PointAspect: "paint", schemas.PointValue: value},
		}}})
		for want, all := range texts {
			for _, text := range all {
				checkClaim(t, v, text, want)
			}
		}
	}
}

// TestMemoryLabelsOfAJudge give the figures of the paper.
func TestMemoryLabelsOfAJudge(t *testing.T) {
	q, s := budget()
	all := groupInstances(q, s)
	answers, err := readMemories(strings.NewReader(runOf(t, map[string][]string{"t/S01": {"a", "b"}, "t/S02": {"b", "c"}}) + `
{"id":"mp_S01_001#judge","prediction":"Covered"}
{"id":"mp_S01_002#judge","prediction":"Missing"}
{"id":"mp_S01_003#judge","prediction":"Rejected"}
{"id":"mp_S02_001#update#judge","prediction":"Both"}
{"id":"t/S01#1#judge","prediction":"Correct"}
{"id":"t/S01#2#judge","prediction":"Hallucination"}
`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := memoryScorer{all}.Score(answers, score.Options{Variant: VariantPaper})
	if err != nil {
		t.Fatal(err)
	}
	check(t, got, map[string]figure{
		"Recall": {Value: 0.75, Count: 1}, "Corr": {Value: 0.5, Count: 1}, "Hallu": {Value: 0.5, Count: 1}, "Irrel": {Value: 0, Count: 1},
		"Update": {Value: 0.5, Count: 1}, "Update, both": {Value: 1, Count: 1}, "IntRej": {Value: 1, Count: 1},
	})
	answers["mp_S01_001#judge"] = "perhaps"
	if _, err := (memoryScorer{all}).Score(answers, score.Options{}); err == nil || !strings.Contains(err.Error(), "Covered") {
		t.Errorf("a label that is none: %v", err)
	}
}
