package crosssource_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
	"github.com/memforge/memforge/stages/crosssource/oracle"
)

// goldCount is how much was worked out, by the tasks of questions.
type goldCount struct {
	asked, removed int
	tasks          map[string]int
}

// goldOf wants thirty questions of every seed to have been worked out.
func goldOf(t *testing.T, counts []goldCount) {
	t.Helper()
	all := goldCount{tasks: map[string]int{}}
	for _, c := range counts {
		all.asked, all.removed = all.asked+c.asked, all.removed+c.removed
		for name, n := range c.tasks {
			all.tasks[name] += n
		}
	}
	if want := 30 * len(counts); all.asked < want {
		t.Errorf("%d questions were worked out, want at least %d", all.asked, want)
	}
	t.Logf("%d questions, %d with a source removed: %v", all.asked, all.removed, all.tasks)
}

// checkGold: what reads the sources of a task merged by time, and what their pictures
// were noted to show, finds the same answer with the same evidence and no other option
// right. With any source of the evidence gone it finds none; of a number it may find what
// that comes to without the changes that are gone, which is not the gold.
func checkGold(t *testing.T, b built) goldCount {
	t.Helper()
	c := goldCount{tasks: map[string]int{}}
	if b.lost > 0 {
		t.Errorf("%d items were lost", b.lost)
	}
	for _, task := range b.tasks {
		k, without := b.read(t, b.of(task.TaskID, "")), map[string]*oracle.Task{}
		for _, q := range b.questions {
			if q.TaskID != task.TaskID {
				continue
			}
			c.asked++
			c.tasks[q.Labels["task"]+"/"+q.Labels["conflict"]+q.Labels["preference"]]++
			checkReplay(t, k, q)
			checkLinks(t, k, q, b.placements)
			for _, s := range sources(q) {
				c.removed++
				if without[s] == nil {
					without[s] = b.read(t, b.of(task.TaskID, s))
				}
				r, err := without[s].Answer(q.Question, q.Tools)
				if n := right(q, r); err == nil && n > 0 && !(short(q, r) && r.Right != q.AnswerText) {
					t.Errorf("%s: %q is answered %q%s without %s", q.QuestionID, q.Question, r.Right, r.Call, s)
				}
			}
		}
	}
	return c
}

// short reports a number that was changed more often than the sources still tell: what it
// comes to then is another number, and may be a wrong option.
func short(q schemas.Question, r oracle.Result) bool {
	updates := func(list []schemas.Evidence) (n int) {
		for _, e := range list {
			if e.Role == schemas.RoleUpdate {
				n++
			}
		}
		return n
	}
	return q.Labels["conflict"] == "total" && updates(r.Evidence) < updates(q.Evidence)
}

// checkReplay: a replay of all sources answers as the gold says, for the same reasons.
func checkReplay(t *testing.T, k *oracle.Task, q schemas.Question) {
	t.Helper()
	r, err := k.Answer(q.Question, q.Tools)
	if err != nil {
		t.Errorf("%s: %v\n%v", q.QuestionID, err, q.Evidence)
		return
	}
	if right(q, r) != 1 || q.AnswerText != r.Right {
		t.Errorf("%s: %q is answered %q%s, gold %q%s of %v", q.QuestionID, q.Question, r.Right, r.Call, q.AnswerText, q.AnswerCall, q.Options)
	}
	var beside []string
	for _, e := range q.Evidence {
		if e.Role == schemas.RoleDistractor {
			beside = append(beside, e.Ref)
		}
	}
	if cites, err := k.EvidenceWithMisleading(r, beside); err != nil || !reflect.DeepEqual(cites, q.Evidence) || len(r.Evidence) != len(q.Needed()) {
		t.Errorf("%s: %q rests on\n%+v, %v\nand cites\n%+v", q.QuestionID, q.Question, cites, err, q.Evidence)
	}
}

// checkLinks: a replay tells what each update takes the place of, from whom pieces count
// and what form they had, as their placement says; and the sources tell every wrong
// option of something else.
func checkLinks(t *testing.T, k *oracle.Task, q schemas.Question, placements []crosssource.Placement) {
	t.Helper()
	r, err := k.Answer(q.Question, q.Tools)
	at := slices.IndexFunc(placements, func(p crosssource.Placement) bool { return p.QuestionID == q.QuestionID })
	if err != nil || at < 0 {
		t.Errorf("%s: %v, its placement is the row %d", q.QuestionID, err, at)
		return
	}
	for i, p := range placements[at].Pieces {
		revises := []string{}
		if of := r.Revised(i); of >= 0 {
			revises = append(revises, placements[at].Pieces[of].UnitID)
		}
		if !slices.Equal(p.Revises, revises) || p.Wanted != r.Teller(i) || p.Modality != r.Modality(i) {
			t.Errorf("%s: piece %s is a %s, revises %q, wanted of %q; the replay says %s, %q, %q", q.QuestionID, p.UnitID, p.Modality, p.Revises, p.Wanted, r.Modality(i), revises, r.Teller(i))
		}
	}
	for _, o := range q.Options {
		if !slices.Contains(r.Offered, o.Text) {
			t.Errorf("%s: the option %q is none of %q, which the sources tell", q.QuestionID, o.Text, r.Offered)
		}
	}
	stale := slices.ContainsFunc(q.Options, func(o schemas.Option) bool { return o.Text == r.Outdated && o.Role != schemas.RoleCorrect })
	if conflict := q.Labels["task"] == schemas.TaskConflict; stale != conflict {
		t.Errorf("%s: what does not hold, %q, is no wrong option of %v", q.QuestionID, r.Outdated, q.Options)
	}
}
