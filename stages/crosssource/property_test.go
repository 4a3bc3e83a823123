package crosssource_test

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// TestFamiliesOfManySeeds builds the family of each seed once and holds everything
// against it that must be so whatever the seed: where evidence stands, what twins
// differ in and, for the first seeds, the gold.
func TestFamiliesOfManySeeds(t *testing.T) {
	t.Parallel()
	seeds, worked := testsize.Choose(3, 10), testsize.Choose(3, 6)
	placed, gold := make([]spreadCount, seeds), make([]goldCount, worked)
	t.Run("seed", func(t *testing.T) {
		for seed := range seeds {
			t.Run(strconv.Itoa(seed), func(t *testing.T) {
				t.Parallel()
				b := family(t, seed)
				placed[seed] = checkSpread(t, b)
				checkOrder(t, b)
				checkTwins(t, b)
				if seed < worked {
					gold[seed] = checkGold(t, b)
				}
			})
		}
	})
	spreadOf(t, placed)
	goldOf(t, gold)
}

// spreadCount is what the questions of a family rest on.
type spreadCount struct{ asked, pieces, clustered int }

// spreadOf allows no piece of any seed that stands close to the last.
func spreadOf(t *testing.T, counts []spreadCount) {
	t.Helper()
	var all spreadCount
	for _, c := range counts {
		all.asked, all.pieces, all.clustered = all.asked+c.asked, all.pieces+c.pieces, all.clustered+c.clustered
	}
	if want := 30 * len(counts); all.asked < want {
		t.Errorf("%d questions were looked at, want at least %d", all.asked, want)
	}
	if all.clustered > 0 {
		t.Errorf("%d of %d pieces stand too close to the last: the gate placement would drop their questions", all.clustered, all.pieces)
	}
	t.Logf("%d questions rest on %d pieces, of which %d stand close to the last", all.asked, all.pieces, all.clustered)
}

// checkSpread: each question's evidence stands in two sources or more, what revises
// comes later and apart, whoever speaks takes part, and every reference leads to the
// turn that it quotes.
func checkSpread(t *testing.T, b built) (c spreadCount) {
	t.Helper()
	turns := turnsOf(t, b)
	for _, q := range b.questions {
		c.asked++
		c.pieces += len(q.Needed())
		spread := len(sources(q))
		if twin := q.Labels["arrangement"] == "concentrated"; twin && spread != 1 || !twin && spread < 2 {
			t.Errorf("%s: its evidence stands in %d sources and it is %s", q.QuestionID, spread, q.Labels["arrangement"])
		}
		at, before := int64(0), int64(0)
		for i, e := range q.Evidence {
			u, ok := turns[e.Ref]
			if !ok || u.SessionID != e.SessionID || !strings.HasPrefix(e.Text, u.Line()) || e.Order != int32(i+1) {
				t.Errorf("%s: evidence %+v is not the turn %+v", q.QuestionID, e, u)
			}
			if e.Media != "" && (len(u.Attachments) != 1 || u.Attachments[0].MediaID != e.Media || !strings.Contains(q.Question, u.Attachments[0].AttachmentID)) {
				t.Errorf("%s: %q does not name the picture of %+v", q.QuestionID, q.Question, u)
			}
			if u.Position <= at {
				t.Errorf("%s: evidence %d stands at %d, after %d", q.QuestionID, i+1, u.Position, at)
			}
			at = u.Position
			if e.Role == schemas.RoleDistractor {
				continue
			}
			if u.Position-before < 4 && before > 0 {
				c.clustered++
			}
			before = u.Position
		}
	}
	return c
}

// turnsOf are the turns of all sources by id. Those of a source are in order of time,
// said by who takes part, and those of a task have each a place of their own.
func turnsOf(t *testing.T, b built) map[string]schemas.Turn {
	t.Helper()
	out := map[string]schemas.Turn{}
	places := map[string]map[int64]bool{}
	for _, s := range b.sessions {
		if places[s.TaskID] == nil {
			places[s.TaskID] = map[int64]bool{}
		}
		for i, u := range s.Turns {
			if i > 0 && (u.Position <= s.Turns[i-1].Position || u.Timestamp <= s.Turns[i-1].Timestamp) {
				t.Errorf("turn %s is not after %s", u.TurnID, s.Turns[i-1].TurnID)
			}
			if u.Speaker != "" && !slices.Contains(s.Participants, u.Speaker) {
				t.Errorf("turn %s is said by %s, who is none of %q", u.TurnID, u.Speaker, s.Participants)
			}
			if places[s.TaskID][u.Position] {
				t.Errorf("turn %s has the place %d of another", u.TurnID, u.Position)
			}
			places[s.TaskID][u.Position] = true
			out[u.TurnID] = u
		}
		if private := s.Kind == schemas.KindPrivateChat; private && len(s.Participants) != 2 {
			t.Errorf("%s is private and has %d participants", s.SessionID, len(s.Participants))
		}
	}
	for task, taken := range places { // dense: 1 to the number of turns
		for i := range len(taken) {
			if !taken[int64(i+1)] {
				t.Errorf("no turn of %s has the place %d of %d", task, i+1, len(taken))
				break
			}
		}
	}
	return out
}

// checkOrder: what revises stands after what it revises, in both arrangements.
func checkOrder(t *testing.T, b built) {
	t.Helper()
	for _, p := range b.placements {
		at := map[string]int64{}
		for _, u := range p.Pieces {
			for _, id := range u.Revises {
				before, ok := at[id]
				if !ok || u.Turns[0].Position <= before {
					t.Errorf("%s: %s stands at %d, before what it revises", p.QuestionID, u.UnitID, u.Turns[0].Position)
				}
			}
			at[u.UnitID] = u.Turns[len(u.Turns)-1].Position
		}
		for _, o := range p.Misleading {
			for _, id := range o.Revises {
				before, ok := at[id]
				if !ok || o.Turns[0].Position <= before {
					t.Errorf("%s: %s, which misleads, stands at %d, before what it revises", p.QuestionID, o.UnitID, o.Turns[0].Position)
				}
			}
			at[o.UnitID] = o.Turns[0].Position
		}
	}
}

// checkTwins: a question and its twin have the same words, options, gold and pieces,
// and their environments as many turns and pictures.
func checkTwins(t *testing.T, b built) {
	t.Helper()
	twins := map[string][]schemas.Question{}
	for _, q := range b.questions {
		twins[q.Labels["twin"]] = append(twins[q.Labels["twin"]], q)
	}
	if len(twins) != len(b.items)-b.lost || len(twins[""]) > 0 {
		t.Errorf("%d items of %d have twins", len(twins), len(b.items))
	}
	for item, pair := range twins {
		if len(pair) != 2 {
			t.Errorf("%s has %d questions", item, len(pair))
			continue
		}
		x, y := pair[0], pair[1]
		if x.Question != y.Question || x.QuestionMCQ != y.QuestionMCQ || x.AnswerKey != y.AnswerKey || x.AnswerCall != y.AnswerCall || !reflect.DeepEqual(x.Options, y.Options) || !reflect.DeepEqual(x.Tools, y.Tools) {
			t.Errorf("%s and %s differ in what is asked", x.QuestionID, y.QuestionID)
		}
		if !reflect.DeepEqual(said(x), said(y)) {
			t.Errorf("%s and %s differ in their evidence:\n%q\n%q", x.QuestionID, y.QuestionID, said(x), said(y))
		}
	}
	for _, q := range b.questions {
		n := len(sources(q))
		if q.Labels["sources"] != strconv.Itoa(n) || (n == 1) != (q.Labels["arrangement"] == "concentrated") {
			t.Errorf("%s is %s, has its evidence in %d sources and says %q", q.QuestionID, q.Labels["arrangement"], n, q.Labels["sources"])
		}
	}
	one, two := b.measure(b.tasks[0].TaskID), b.measure(b.tasks[1].TaskID)
	if one.turns != two.turns || one.pictures != two.pictures || one.sources != two.sources || one.bytes*100 < two.bytes*97 || two.bytes*100 < one.bytes*97 {
		t.Errorf("the arrangements differ in size: %+v and %+v", one, two)
	}
}

// said is what the evidence of a question says and shows, whoever says it and in
// whatever order.
func said(q schemas.Question) []string {
	var out []string
	for _, e := range q.Evidence {
		var lines []string
		for _, l := range strings.Split(e.Text, "\n") {
			_, text, _ := strings.Cut(l, ": ")
			if e.Media != "" {
				text = "" // how a picture is announced is scaffold
			}
			lines = append(lines, text)
		}
		out = append(out, strings.Join(append(lines, e.Media, e.Role), "|"))
	}
	slices.Sort(out)
	return out
}

// measured is how large the sources of a task are.
type measured struct{ sources, turns, pictures, bytes int }

func (b built) measure(task string) (m measured) {
	for _, s := range b.of(task, "") {
		m.sources++
		for _, u := range s.Turns {
			m.turns++
			m.bytes += len(u.Text)
			m.pictures += len(u.Attachments)
		}
	}
	return m
}

// TestMasksRemove: a piece, a source or a modality that is masked is gone from what a
// solver is shown, and nothing else is.
func TestMasksRemove(t *testing.T) {
	t.Parallel()
	b := family(t, 0)
	for _, q := range b.questions {
		whole := shown(t, q, view.Oracle)
		others := len(q.Evidence) - len(q.Needed())
		for i := range q.Needed() {
			rest := shown(t, q, view.Without+":"+strconv.Itoa(i+1))
			if len(rest) != len(whole)-1+others {
				t.Errorf("%s without piece %d: %d passages of %d, and %d beside", q.QuestionID, i+1, len(rest), len(whole), others)
			}
		}
		for _, s := range sources(q) {
			own := others
			for _, e := range q.Needed() {
				if e.SessionID == s {
					own++
				}
			}
			if got := shown(t, q, view.OnlySource+":"+s); len(got) != own {
				t.Errorf("%s: of source %s %d passages are shown, want %d", q.QuestionID, s, len(got), own)
			}
		}
		for _, m := range view.Modalities(&q) {
			for _, x := range shown(t, q, view.WithoutModality+":"+m) {
				if m == schemas.ModalityImage && x.Picture != nil || m == schemas.ModalityText && x.Text != "" && !strings.Contains(x.Text, " | ") {
					t.Errorf("%s without %s shows %+v", q.QuestionID, m, x)
				}
			}
		}
	}
}

func shown(t *testing.T, q schemas.Question, name string) []view.Passage {
	t.Helper()
	s, err := view.Show(&q, name, view.Settings{Frames: 1, Most: 40})
	if err != nil {
		t.Fatalf("%s: %s: %v", q.QuestionID, name, err)
	}
	return s.Passages
}

// TestTurnsAreWrittenWithoutEvidence: the turns of a source that are no part of an
// insertion are the same in both arrangements, byte for byte, though evidence stands
// elsewhere: what wrote them has not seen it.
func TestTurnsAreWrittenWithoutEvidence(t *testing.T) {
	t.Parallel()
	b := family(t, 0)
	if len(b.tasks) != 2 {
		t.Fatalf("%d tasks", len(b.tasks))
	}
	one, two := b.of(b.tasks[0].TaskID, ""), b.of(b.tasks[1].TaskID, "")
	byOrder := func(a, b schemas.Session) int { return cmp.Compare(a.Order, b.Order) }
	slices.SortFunc(one, byOrder)
	slices.SortFunc(two, byOrder)
	same, all := 0, 0
	for i := range one {
		if one[i].Title != two[i].Title || len(one[i].Turns) != len(two[i].Turns) || !reflect.DeepEqual(one[i].Participants, two[i].Participants) {
			t.Errorf("sources %s and %s are not alike", one[i].SessionID, two[i].SessionID)
			continue
		}
		for n, u := range one[i].Turns {
			v := two[i].Turns[n]
			all++
			if u.Text == v.Text && u.Speaker == v.Speaker {
				same++
			}
			if u.Timestamp != v.Timestamp || u.Position != v.Position {
				t.Errorf("turns %s and %s are said at different times", u.TurnID, v.TurnID)
			}
		}
	}
	// What moves: a piece and what is around it, in the source that it leaves and in the
	// one that it goes to.
	moved := 0
	for _, x := range b.placements {
		for _, u := range x.Pieces {
			moved += 2 * (len(u.Turns) + 5)
		}
	}
	if all-same > moved {
		t.Errorf("%d of %d turns differ, and at most %d can have moved", all-same, all, moved)
	}
}
