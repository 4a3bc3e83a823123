package oracle_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
	"github.com/memforge/memforge/stages/crosssource/oracle"
)

// family is what is made of a small world.
type family struct {
	pictures  map[string]oracle.Picture
	sessions  []schemas.Session
	questions []schemas.Question
}

var made = sync.OnceValue(func() func(t *testing.T) family {
	var out family
	return func(t *testing.T) family {
		t.Helper()
		if out.questions == nil {
			out = build(t)
		}
		return out
	}
})

func build(t *testing.T) family {
	t.Helper()
	var w crosssource.WorldsConfig
	w.SetDefaults()
	w.Count = 1
	w.Size.Items = map[string]int{schemas.TaskSingleHop: 2, schemas.TaskMultiHop: 4, schemas.TaskConflict: 6, schemas.TaskPreference: 4, schemas.TaskFunctionCall: 2}
	var p crosssource.PlanConfig
	p.SetDefaults()
	p.Turns, p.Groups, p.Privates = 24, 3, 1
	run := func(use string, config any, in ...pipeline.Record) []pipeline.Record {
		records, lost, err := testkit.Subject{Register: crosssource.Register, Use: use, Seed: 2, Config: config, Inputs: in}.Run(t)
		if err != nil || len(lost) > 0 {
			t.Fatalf("%s: %v, lost %v", use, err, lost)
		}
		return records
	}
	of := func(schema string, from []pipeline.Record) []pipeline.Record {
		return slices.DeleteFunc(slices.Clone(from), func(r pipeline.Record) bool { return r.Schema != schema })
	}
	worlds, _, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.worlds", Seed: 2, Config: w}.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	drawn := run("crosssource.draw", nil, worlds...)
	items := of(schemas.NameEvidenceItem, drawn)
	for i := range items {
		items[i].Blobs = nil // no stage after this looks at pictures
	}
	planned := run("crosssource.plan", p, append(of(schemas.NameProfile, drawn), items...)...)
	written := run("crosssource.write", nil, of("crosssource.channel", planned)...)
	placed := run("crosssource.place", nil, append(of("crosssource.placed", written), items...)...)
	asked := run("crosssource.ask", nil, append(placed, items...)...)
	out := family{pictures: map[string]oracle.Picture{}}
	for _, x := range testkit.DecodeAll[crosssource.RenderedPicture](t, "crosssource.exhibit", drawn) {
		p := oracle.Picture{Kind: x.Kind, Title: x.Title, Columns: x.Columns}
		for _, r := range x.Rows {
			p.Rows = append(p.Rows, r.Cells)
		}
		out.pictures[x.MediaID] = p
	}
	out.sessions = testkit.DecodeAll[schemas.Session](t, schemas.NameSession, written)
	out.questions = testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, asked)
	return out
}

// read reads the sources of a task, without one of them where it is named.
func (f family) read(t *testing.T, task, without string) *oracle.Task {
	t.Helper()
	k, err := oracle.New(slices.DeleteFunc(slices.Clone(f.sessions), func(s schemas.Session) bool { return s.TaskID != task || s.SessionID == without }), f.pictures)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func misleading(q schemas.Question) (refs []string) {
	for _, e := range q.Evidence {
		if e.Role == schemas.RoleDistractor {
			refs = append(refs, e.Ref)
		}
	}
	return refs
}

// TestGoldenReplays shows what each question comes to, which is what the simulation stated:
// answer, evidence and roles.
func TestGoldenReplays(t *testing.T) {
	f := made()(t)
	tasks := map[string]*oracle.Task{}
	var out strings.Builder
	for _, q := range f.questions {
		if tasks[q.TaskID] == nil {
			tasks[q.TaskID] = f.read(t, q.TaskID, "")
			fmt.Fprintf(&out, "# %s: things %q, desks %q\n", q.TaskID, tasks[q.TaskID].Things(), tasks[q.TaskID].Desks())
		}
		k := tasks[q.TaskID]
		r, err := k.Answer(q.Question, q.Tools)
		if err != nil {
			t.Errorf("%s: %v", q.QuestionID, err)
			continue
		}
		right := 0
		for _, o := range q.Options {
			if o.Text == r.Right && o.Role == schemas.RoleCorrect {
				right++
			}
		}
		if right != 1 && (r.Call == "" || r.Call != q.AnswerCall) {
			t.Errorf("%s is answered %q %q", q.QuestionID, r.Right, r.Call)
		}
		all, err := k.EvidenceWithMisleading(r, misleading(q))
		if err != nil || golden.JSON(t, all) != golden.JSON(t, q.Evidence) {
			t.Errorf("%s: %v, evidence\n%s\nwant\n%s", q.QuestionID, err, golden.JSON(t, all), golden.JSON(t, q.Evidence))
		}
		fmt.Fprintf(&out, "%s (%s %s)\n%s %s of %q, outdated %q; %d sources, %.1f turns between\n", q.Question, r.Task, r.Variant, r.Right, r.Call, r.Offered, r.Outdated, r.Sources(), r.Interval())
		var refs []string
		for i, e := range r.Evidence {
			fmt.Fprintf(&out, " %s %s, %s of %d, replaces %d, has to be told by %q\n", e.Ref, e.Role, r.Modality(i), r.Length(i), r.Revised(i), r.Teller(i))
			refs = append(refs, e.Ref)
		}
		for _, ref := range misleading(q) {
			if before := k.ReplacedTurn(ref, append(misleading(q), refs...)); before != "" {
				fmt.Fprintf(&out, " %s misleads in the place of %s\n", ref, before)
			}
		}
	}
	golden.Check(t, "replays", out.String())
}

// TestGoldenGaps shows what is said where a source of the evidence is missing, where turns
// are cited that mislead nobody, and where a question is put in another way.
func TestGoldenGaps(t *testing.T) {
	f := made()(t)
	var out strings.Builder
	seen := map[string]bool{}
	for _, q := range f.questions {
		k := f.read(t, q.TaskID, "")
		r, err := k.Answer(q.Question, q.Tools)
		kind := r.Task + " " + r.Variant + q.TaskID
		if err != nil || seen[kind] {
			continue
		}
		seen[kind] = true
		fmt.Fprintf(&out, "# %s\n", q.Question)
		for _, s := range f.sessions {
			if s.TaskID == q.TaskID && slices.ContainsFunc(r.Evidence, func(e schemas.Evidence) bool { return e.SessionID == s.SessionID }) {
				r, err := f.read(t, q.TaskID, s.SessionID).Answer(q.Question, q.Tools)
				fmt.Fprintf(&out, " without %s: %q %q %v\n", s.SessionID, r.Right, r.Call, err)
			}
		}
		refs := misleading(q)
		for _, cited := range [][]string{nil, append(slices.Clone(refs), r.Evidence[0].Ref), append(slices.Clone(refs), "no turn"), append(slices.Clone(refs), refs...), refs[min(1, len(refs)):]} {
			_, err := k.EvidenceWithMisleading(r, cited)
			fmt.Fprintf(&out, " citing %d: %v\n", len(cited), err)
		}
		for _, asked := range []string{strings.Replace(q.Question, "According to", "See", 1), strings.Replace(q.Question, "See", "According to", 1), strings.TrimSuffix(q.Question, "?"), strings.Replace(q.Question, "Fig. ", "Fig. 0", 1)} {
			if asked != q.Question {
				r, err := k.Answer(asked, q.Tools)
				fmt.Fprintf(&out, " %q %q %v\n", r.Right, r.Call, err)
			}
		}
		if len(q.Tools) > 0 {
			r, err := k.Answer(q.Question, nil)
			fmt.Fprintf(&out, " without tools: %q %v\n", r.Call, err)
		}
	}
	golden.Check(t, "gaps", out.String())
}

// TestGoldenContradictions shows what questions come to of which no source tells anything.
func TestGoldenContradictions(t *testing.T) {
	var out strings.Builder
	for _, question := range []string{
		"Who is the owner of the boat of the keeper of Blue Fern?",
		"How large is the budget of Blue Fern?",
		"The keeper of Blue Fern has a boat. Who is the owner of that boat?",
		"The keeper of Blue Fern has a boat. That boat's mast has a flag. Who is the owner of that flag?",
		"The keeper of Blue Fern has a boat. That car's mast has a flag. Who is the owner of that flag?",
		"The keeper of Blue Fern has a boat. That boat's mast has a flag. Who is the owner of that mast?",
	} {
		k, err := oracle.New(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := k.Answer(question, nil)
		fmt.Fprintf(&out, "%s\n %q %v\n", question, r.Right, err)
	}
	two := schemas.Session{Turns: []schemas.Turn{{TurnID: "t", Attachments: make([]schemas.Attachment, 2)}}}
	_, err := oracle.New([]schemas.Session{two}, nil)
	fmt.Fprintln(&out, err)
	golden.Check(t, "contradictions", out.String())
}
