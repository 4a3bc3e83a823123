package crosssource_test

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
	"github.com/memforge/memforge/stages/crosssource/oracle"
)

// small is a family of one world in tests.
func small() (crosssource.WorldsConfig, crosssource.PlanConfig) {
	var w crosssource.WorldsConfig
	w.SetDefaults()
	w.Count = 1
	w.Size.Items = map[string]int{
		schemas.TaskSingleHop: 4, schemas.TaskMultiHop: 4, schemas.TaskConflict: 4, schemas.TaskPreference: 4, schemas.TaskFunctionCall: 4,
	}
	var p crosssource.PlanConfig
	p.SetDefaults()
	return w, p
}

// built is all that is made of some worlds.
type built struct {
	items      []schemas.EvidenceItem
	profiles   []schemas.Profile
	exhibits   map[string]crosssource.RenderedPicture
	tasks      []schemas.Task
	sessions   []schemas.Session
	placements []crosssource.Placement
	questions  []schemas.Question
	lost       int
}

func run(t *testing.T, use string, seed uint64, config any, in ...pipeline.Record) ([]pipeline.Record, int) {
	t.Helper()
	out, lost, err := testkit.Subject{Register: crosssource.Register, Use: use, Seed: seed, Config: config, Inputs: in}.Run(t)
	if err != nil {
		t.Fatalf("%s: %v", use, err)
	}
	return out, len(lost)
}

func of(schema string, from []pipeline.Record) []pipeline.Record {
	return slices.DeleteFunc(slices.Clone(from), func(r pipeline.Record) bool { return r.Schema != schema })
}

// build makes the family of a seed, without the pixels of its pictures: what is read from
// these, other tests say.
func build(t *testing.T, seed uint64, w crosssource.WorldsConfig, p crosssource.PlanConfig) built {
	t.Helper()
	worlds, _, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.worlds", Seed: seed, Config: w}.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	drawn, rejected, err := testkit.Subject{Register: crosssource.RegisterUndrawn, Use: "crosssource.draw", Seed: seed, Inputs: worlds}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	lost := len(rejected)
	items := of(schemas.NameEvidenceItem, drawn)
	for i := range items {
		items[i].Blobs = nil // no stage after this looks at pictures
	}
	planned, n := run(t, "crosssource.plan", seed, p, append(of(schemas.NameProfile, drawn), items...)...)
	lost += n
	written, n := run(t, "crosssource.write", seed, nil, of("crosssource.channel", planned)...)
	lost += n
	placements, _ := run(t, "crosssource.place", seed, nil, append(of("crosssource.placed", written), items...)...)
	asked, n := run(t, "crosssource.ask", seed, nil, append(placements, items...)...)
	out := built{exhibits: map[string]crosssource.RenderedPicture{}, lost: lost + n}
	out.items = testkit.DecodeAll[schemas.EvidenceItem](t, schemas.NameEvidenceItem, items)
	out.profiles = testkit.DecodeAll[schemas.Profile](t, schemas.NameProfile, drawn)
	for _, x := range testkit.DecodeAll[crosssource.RenderedPicture](t, "crosssource.exhibit", drawn) {
		out.exhibits[x.MediaID] = x
	}
	out.tasks = testkit.DecodeAll[schemas.Task](t, schemas.NameTask, written)
	out.sessions = testkit.DecodeAll[schemas.Session](t, schemas.NameSession, written)
	out.placements = testkit.DecodeAll[crosssource.Placement](t, "crosssource.placement", placements)
	out.questions = testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, asked)
	return out
}

// kept are the families of the first seeds, which several tests look at.
var kept [3]struct {
	once sync.Once
	b    built
}

// family is the small one of a seed, from 0.
func family(t *testing.T, seed int) built {
	t.Helper()
	make := func() built {
		w, p := small()
		return build(t, uint64(seed+1), w, p)
	}
	if seed >= len(kept) {
		return make()
	}
	kept[seed].once.Do(func() { kept[seed].b = make() })
	if kept[seed].b.tasks == nil {
		t.Fatal("the family could not be built; another test says why")
	}
	return kept[seed].b
}

// of gives the sources of a task, without one where it is named.
func (b built) of(task, without string) []schemas.Session {
	return slices.DeleteFunc(slices.Clone(b.sessions), func(s schemas.Session) bool { return s.TaskID != task || s.SessionID == without })
}

// read is a task as the replay takes it.
func (b built) read(t *testing.T, sessions []schemas.Session) *oracle.Task {
	t.Helper()
	pictures := map[string]oracle.Picture{}
	for id, x := range b.exhibits {
		p := oracle.Picture{Kind: x.Kind, Title: x.Title, Columns: x.Columns}
		for _, r := range x.Rows {
			p.Rows = append(p.Rows, r.Cells)
		}
		pictures[id] = p
	}
	k, err := oracle.New(sessions, pictures)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// right counts the options that are what a replay says, or whether the call is.
func right(q schemas.Question, r oracle.Result) (n int) {
	if q.AnswerCall != "" {
		if r.Call == q.AnswerCall {
			return 1
		}
		return 0
	}
	for _, o := range q.Options {
		if o.Text == r.Right {
			n++
		}
	}
	return n
}

// sources are those that a question's evidence stands in.
func sources(q schemas.Question) []string {
	seen := map[string]bool{}
	for _, e := range q.Needed() {
		seen[e.SessionID] = true
	}
	return slices.Sorted(maps.Keys(seen))
}
