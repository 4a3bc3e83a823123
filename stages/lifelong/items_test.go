package lifelong_test

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/lifelong/oracle"
	"github.com/memforge/memforge/stages/lifelong/question"
)

// askedOf is a task that is not drawn, with what is asked about it.
type askedOf struct {
	life      lifelong.Simulation
	all       []schemas.Session
	shown     map[string]oracle.Picture
	ends      map[string]int
	questions []schemas.Question
}

var many struct {
	sync.Mutex
	tasks []askedOf
}

// manyTasks are lives and runs of every domain, made once: two of each in the small size.
func manyTasks(t *testing.T) []askedOf {
	t.Helper()
	many.Lock()
	defer many.Unlock()
	if many.tasks != nil {
		return many.tasks
	}
	lives, runs := config(), simulators()
	lives.Count, runs.Count = testsize.Choose(2, 5), testsize.Choose(2, 5)
	for use, c := range map[string]any{"lifelong.worlds": lives, "lifelong.simulators": runs} {
		records, _, err := testkit.Subject{Register: lifelong.Register, Use: use, Seed: 41, Config: c}.Read(t)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			many.tasks = append(many.tasks, asked(t, r))
		}
	}
	return many.tasks
}

func asked(t *testing.T, life pipeline.Record) askedOf {
	t.Helper()
	album, shown := renderWithoutPixels(t, life)
	given := run(t, "lifelong.sessions", 41, nil, album)
	out := askedOf{shown: shown, ends: map[string]int{}, all: testkit.DecodeAll[schemas.Session](t, schemas.NameSession, given)}
	for _, c := range testkit.DecodeAll[schemas.Checkpoint](t, schemas.NameCheckpoint, given) {
		out.ends[c.CheckpointID] = len(c.Sessions) - 1
	}
	out.life = testkit.DecodeAll[lifelong.Simulation](t, "lifelong.life", []pipeline.Record{life})[0]
	out.questions = testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, run(t, "lifelong.ask", 41, nil, album))
	return out
}

// each hands the questions of some types on, and wants some of each.
func each(t *testing.T, do func(askedOf, schemas.Question, int), types ...string) {
	t.Helper()
	n := map[string]int{}
	for _, task := range manyTasks(t) {
		for _, q := range task.questions {
			if of := strings.TrimPrefix(q.Type, "lifelong_"); slices.Contains(types, of) {
				n[of]++
				do(task, q, task.ends[q.CheckpointID])
			}
		}
	}
	for _, of := range types {
		if n[of] < 40 {
			t.Errorf("%d questions of type %s", n[of], of)
		}
	}
	t.Logf("%v in %d tasks", n, len(manyTasks(t)))
}

// fact are the parts of what a question asks for: thing, aspect and so on.
func fact(q schemas.Question) []string { return strings.Split(q.Labels[schemas.LabelFact], "/")[1:] }

// sightings are the values that pictures up to a session show of an aspect, by thing, in
// the order of time.
func (k askedOf) sightings(aspect string, upto int) map[string][]string {
	out := map[string][]string{}
	for _, s := range k.all[:upto+1] {
		for _, turn := range s.Turns {
			for _, a := range turn.Attachments {
				p := k.shown[a.MediaID]
				for _, r := range p.Rows {
					if r[0] == aspect {
						out["the "+p.Title] = append(out["the "+p.Title], r[1])
					}
				}
			}
		}
	}
	return out
}

// words are what is said in some sessions, without pictures and what assistants answer.
func words(sessions ...schemas.Session) []string {
	var out []string
	for _, s := range sessions {
		for _, turn := range s.Turns {
			if turn.Role != schemas.TurnAssistant {
				out = append(out, turn.Text+" "+turn.Feedback)
			}
		}
	}
	return out
}

// names reports whether a text stands in lines as words of its own.
func names(lines []string, text string) bool {
	whole := regexp.MustCompile(`(^|[^\w,-])` + regexp.QuoteMeta(text) + `,?($|[^\w,-])`)
	return slices.ContainsFunc(lines, whole.MatchString)
}

// toldOn is what words and pictures of a session tell.
func (k askedOf) toldOn(session int) []string {
	out := words(k.all[session])
	for _, turn := range k.all[session].Turns {
		for _, a := range turn.Attachments {
			for _, r := range k.shown[a.MediaID].Rows {
				out = append(out, r[1])
			}
		}
	}
	return out
}

func wrongOf(q schemas.Question) []string {
	var out []string
	for _, o := range q.Options {
		if o.Role == schemas.RoleDistractor {
			out = append(out, o.Text)
		}
	}
	return out
}

// TestSearchesAskForWhatHolds: of the four things that are offered, pictures show the
// aspect of each, and of the right one alone the latest picture shows the value.
func TestSearchesAskForWhatHolds(t *testing.T) {
	t.Parallel()
	each(t, func(k askedOf, q schemas.Question, end int) {
		of := fact(q)
		seen := k.sightings(of[1], end)
		for _, o := range q.Options {
			values := seen[o.Text]
			if len(values) == 0 {
				t.Errorf("%s: no picture shows the %s of %s", q.QuestionID, of[1], o.Text)
				continue
			}
			if has := values[len(values)-1] == of[2]; has != (o.Role == schemas.RoleCorrect) {
				t.Errorf("%s: the latest of %q of %s, asked for is %s", q.QuestionID, values, o.Text, of[2])
			}
		}
	}, "vs")
}

// TestCrossingsNeedBoth: no picture shows what words tell of the thing, no words tell what
// its picture shows, and other things have pictures of the same aspect, which the wrong
// values are from.
func TestCrossingsNeedBoth(t *testing.T) {
	t.Parallel()
	each(t, func(k askedOf, q schemas.Question, end int) {
		of := fact(q)
		right := q.AnswerText
		for _, s := range k.all[:end+1] {
			for _, turn := range s.Turns {
				for _, a := range turn.Attachments {
					for _, r := range k.shown[a.MediaID].Rows {
						if r[0] != of[1] && "the "+k.shown[a.MediaID].Title == of[0] && strings.Contains(q.Question, r[0]) && strings.Contains(q.Question, r[1]) {
							t.Errorf("%s: a picture shows the %s of %s, %s", q.QuestionID, r[0], of[0], r[1])
						}
					}
				}
			}
		}
		for _, line := range words(k.all[:end+1]...) {
			if strings.Contains(line, of[1]) && names([]string{line}, right) {
				t.Errorf("%s: %q tells what the picture shows", q.QuestionID, line)
			}
		}
		seen := k.sightings(of[1], end)
		var values []string
		for _, v := range seen {
			values = append(values, v...)
		}
		for _, w := range wrongOf(q) {
			if !slices.Contains(values, w) {
				t.Errorf("%s: no picture shows %s as %s", q.QuestionID, w, of[1])
			}
		}
		if len(seen) < 3 {
			t.Errorf("%s: %d things have pictures of their %s", q.QuestionID, len(seen), of[3])
		}
	}, "cmr")
}

// TestDaysNameTheValueOnce: of the days that are offered, one alone has the value in its
// words or pictures, and the question asks for the first.
func TestDaysNameTheValueOnce(t *testing.T) {
	t.Parallel()
	each(t, func(k askedOf, q schemas.Question, _ int) {
		value := fact(q)[2]
		if !strings.Contains(q.Question, " first ") {
			t.Errorf("%s does not ask for the first day: %q", q.QuestionID, q.Question)
		}
		for _, s := range k.all[1:] {
			day := question.Day(s.Date)
			at := slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Text == day })
			if at < 0 {
				continue
			}
			lines := k.toldOn(int(s.Order))
			if named := names(lines, value); named != (q.Options[at].Role == schemas.RoleCorrect) {
				t.Errorf("%s: %s is named on %s: %v, %q", q.QuestionID, value, day, named, slices.DeleteFunc(lines, func(l string) bool { return !names([]string{l}, value) }))
			}
		}
	}, "tr")
}

// TestMarksLast: what is stamped into a thing is the same on all its pictures, and a
// bearing is one of 360 degrees.
func TestMarksLast(t *testing.T) {
	t.Parallel()
	marks := regexp.MustCompile(`^(stamped code|tag print|rune|plate number|parcel number|reference code|file number|ledger code|course code|deal code|member number)$`)
	circle := regexp.MustCompile(`^([12]?\d?\d|3[0-5]\d) degrees$`)
	seen, changed := 0, 0
	for _, k := range manyTasks(t) {
		first := map[string]string{}
		for _, x := range k.life.World.Pictures {
			for _, r := range x.Rows {
				of := x.Thing + "/" + r[0]
				was, again := first[of]
				first[of] = r[1]
				switch {
				case strings.HasSuffix(r[1], " degrees") && !circle.MatchString(r[1]):
					t.Errorf("a bearing of %s", r[1])
				case again && marks.MatchString(r[0]):
					seen++
					if r[1] != was {
						t.Errorf("%s: the %s is %s, and was %s", k.life.ID, of, r[1], was)
					}
				case again && r[1] != was:
					changed++
				}
			}
		}
	}
	if seen < 50 || changed < 50 {
		t.Errorf("%d marks were seen again, %d values changed", seen, changed)
	}
}
