package lifelong_test

import (
	"regexp"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/pipelinetest"
	"github.com/memforge/memforge/pipeline/pipelinetest/size"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/lifelong/replay"
)

// askedOf is a task that is not drawn, with what is asked about it.
type askedOf struct {
	life      lifelong.Life
	all       []schemas.Session
	shown     map[string]replay.Picture
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
	lives.Count, runs.Count = size.Of(2, 10), size.Of(2, 10)
	for use, c := range map[string]any{"lifelong.worlds": lives, "lifelong.simulators": runs} {
		records, _, err := pipelinetest.Subject{Register: lifelong.Register, Use: use, Seed: 41, Config: c}.Read(t)
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
	album, shown := undrawn(t, life)
	given := run(t, "lifelong.sessions", 41, nil, album)
	out := askedOf{shown: shown, ends: map[string]int{}, all: pipelinetest.Decoded[schemas.Session](t, schemas.NameSession, given)}
	for _, c := range pipelinetest.Decoded[schemas.Checkpoint](t, schemas.NameCheckpoint, given) {
		out.ends[c.CheckpointID] = len(c.Sessions) - 1
	}
	out.life = pipelinetest.Decoded[lifelong.Life](t, "lifelong.life", []pipeline.Record{life})[0]
	out.questions = pipelinetest.Decoded[schemas.Question](t, schemas.NameQuestion, run(t, "lifelong.ask", 41, nil, album))
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

// TestMarksLast: what is stamped into a thing is the same on all its pictures, and a
// bearing is one of 360 degrees.
func TestMarksLast(t *testing.T) {
	marks := regexp.MustCompile(`^(stamped code|tag print|rune|plate number|parcel number|reference code|file number|ledger code|course code|deal code|member number)$`)
	circle := regexp.MustCompile(`^([12]?\d?\d|3[0-5]\d) degrees$`)
	seen, changed := 0, 0
	for _, k := range manyTasks(t) {
		first := map[string]string{}
		for _, x := range k.life.World.Exhibits {
			for _, r := range x.Rows {
				of := x.Thing + "/" + r[0]
				was, again := first[of]
				first[of] = r[1]
				switch {
				case r[0] == "bearing" && !circle.MatchString(r[1]):
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
