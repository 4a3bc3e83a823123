package all_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/all"
	"github.com/memforge/memforge/pipeline/config"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/quota"
)

// m3eval runs single nodes of configs/m3eval.yaml over records made up here.
type m3eval struct {
	t    *testing.T
	reg  *pipeline.Registry
	plan pipeline.Plan
	st   pipeline.Store
}

func newM3Eval(t *testing.T) m3eval {
	t.Helper()
	reg := all.Registry()
	cfg, err := config.Load("../../configs/m3eval.yaml", reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return m3eval{t, reg, cfg.Plan, st}
}

func (m m3eval) node(name string) pipeline.Node {
	m.t.Helper()
	i := slices.IndexFunc(m.plan.Nodes, func(n pipeline.Node) bool { return n.Name == name })
	if i < 0 {
		m.t.Fatalf("configs/m3eval.yaml has no node %s", name)
	}
	return m.plan.Nodes[i]
}

func (m m3eval) record(schema, id string, v any, blobs ...pipeline.Digest) pipeline.Record {
	m.t.Helper()
	r, err := pipeline.NewRecord(schema, id, v, blobs...)
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

// run gives the records that come of a node, and the reasons of those lost.
func (m m3eval) run(name string, in []pipeline.Record) ([]pipeline.Record, map[string]int) {
	m.t.Helper()
	n := m.node(name)
	given := pipeline.Committed{Result: pipeline.Result{Key: pipeline.Key(pipeline.DigestOf([]byte("input of " + name)))}, Records: in}
	slices.SortFunc(in, func(a, b pipeline.Record) int { return strings.Compare(a.ID, b.ID) })
	for _, r := range in {
		ref, err := r.Ref()
		if err != nil {
			m.t.Fatal(err)
		}
		given.Result.Outputs = append(given.Result.Outputs, ref)
	}
	if err := m.st.Commit(m.t.Context(), []pipeline.Committed{given}); err != nil {
		m.t.Fatal(err)
	}
	task := pipeline.Task{
		Node: name, Inputs: given.Result.Outputs,
		Identity: pipeline.Identity{Kind: n.Kind, Use: n.Use, Version: n.Version, Config: n.Config, Seed: m.plan.Seed},
	}
	rt := pipeline.Runtime{Registry: m.reg, Store: m.st, TempRoot: m.t.TempDir()}
	results, err := pipeline.Execute(m.t.Context(), rt, task)
	if err != nil {
		m.t.Fatalf("%s: %v", name, err)
	}
	lost := map[string]int{}
	for _, r := range results[0].Rejections {
		lost[r.Code]++
	}
	digests := make([]pipeline.Digest, len(results[0].Outputs))
	for i, o := range results[0].Outputs {
		digests[i] = o.Digest
	}
	out, err := m.st.Records(m.t.Context(), digests)
	if err != nil {
		m.t.Fatal(err)
	}
	return out, lost
}

// offer makes up what passes the gates: of each entry of the quota about twice
// as many questions as it asks for, mirrored where its layout shows a pair in
// two ways, and some that no entry asks for.
func (m m3eval) offer(c quota.Config) (records []pipeline.Record, questions int) {
	add := func(source, dimension, typ string, groups int) {
		shown := 2
		if dimension == schemas.DimensionNarrative {
			shown = 1
		}
		for g := range groups {
			task := fmt.Sprintf("task %s %s %s %d", source, dimension, typ, g)
			records = append(records, m.record(schemas.NameTask, task, schemas.Task{TaskID: task, SourceRecords: []string{source}}))
			for i := range shown {
				q := schemas.Question{
					QuestionID: fmt.Sprintf("%s %d", task, i), TaskID: task, Type: typ,
					Labels: map[string]string{schemas.LabelMirror: "m " + task},
				}
				if dimension != "" {
					q.Labels[schemas.LabelDimension] = dimension
				}
				records = append(records, m.record(schemas.NameQuestion, q.QuestionID, q))
				questions++
			}
		}
	}
	for _, n := range c.Counts {
		shown := 2
		if n.Of[1] == schemas.DimensionNarrative {
			shown = 1
		}
		add(n.Of[0], n.Of[1], n.Of[2], 2*n.Count/shown)
	}
	for _, source := range m.node("probe-long").From {
		add(source, schemas.DimensionSpatial, schemas.TypeSpatialGrounding, 3)
	}
	return records, questions
}

// TestM3EvalQuotaKeepsThePapersCounts offers about 1,500 questions.
func TestM3EvalQuotaKeepsThePapersCounts(t *testing.T) {
	m := newM3Eval(t)
	c := quotaOf(t, m.reg, m.plan)
	in, offered := m.offer(c)
	out, lost := m.run("quota", in)
	source := map[string]string{} // by task
	for _, r := range in {
		if r.Schema == schemas.NameTask {
			task, err := pipeline.Decode[schemas.Task](r)
			if err != nil {
				t.Fatal(err)
			}
			source[task.TaskID] = task.SourceRecords[0]
		}
	}
	sources, types, cells, groups := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, r := range out {
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil {
			t.Fatal(err)
		}
		from, what := source[q.TaskID], strings.TrimSpace(q.Labels[schemas.LabelDimension]+" "+q.Type)
		sources[from]++
		types[what]++
		cells[from+" "+what]++
		groups[q.Labels[schemas.LabelMirror]]++
	}
	t.Logf("%d of %d questions; %v; %v; lost %v", len(out), offered, sources, types, lost)
	if offered < 1450 || len(out) != 739 || lost["over-quota"]+lost["no-quota"] != offered-739 || lost["no-quota"] != 24 {
		t.Errorf("%d of %d questions kept, want 739; lost %v", len(out), offered, lost)
	}
	wantSources := map[string]int{"crossvid-cc": 138, "crossvid-nc": 96, "hourvideo": 100, "infinibench": 184, "lvbench": 102, "videomme": 119}
	if !maps.Equal(sources, wantSources) {
		t.Errorf("by data set %v, want %v", sources, wantSources)
	}
	wantTypes := map[string]int{
		"spatial source_identification": 96, "spatial order_understanding": 80, "spatial content_retention": 102, "interference": 110,
		"narrative source_identification": 79, "narrative order_understanding": 30, "narrative content_retention": 55,
		"narrative false_memory_discrimination": 95, "narrative source_memory": 46, "narrative temporal_grounding": 46,
	}
	if !maps.Equal(types, wantTypes) {
		t.Errorf("by type %v, want %v", types, wantTypes)
	}
	for _, n := range c.Counts {
		if name := n.Of[0] + " " + strings.TrimSpace(n.Of[1]+" "+n.Of[2]); cells[name] != n.Count {
			t.Errorf("%s: %d, want %d", name, cells[name], n.Count)
		}
	}
	for g, n := range groups {
		want := 2
		if strings.Contains(g, schemas.DimensionNarrative) {
			want = 1
		}
		if n != want {
			t.Errorf("%d of the %d questions of group %s are kept", n, want, g)
		}
	}
}

// TestM3EvalTypesAreAsked holds the quota against what the configured authors
// write over the layouts they read.
func TestM3EvalTypesAreAsked(t *testing.T) {
	m := newM3Eval(t)
	asked := map[string]bool{}
	for node, dimension := range map[string]string{
		"author-concat": "", "author-split": schemas.DimensionSpatial, "author-interleaved": schemas.DimensionNarrative,
	} {
		var c struct {
			Types []string `json:"types"`
		}
		if err := json.Unmarshal(m.node(node).Config, &c); err != nil {
			t.Fatal(err)
		}
		for _, typ := range c.Types {
			asked[dimension+" "+typ] = true
		}
	}
	counted := map[string]bool{}
	for _, n := range quotaOf(t, m.reg, m.plan).Counts {
		counted[n.Of[1]+" "+n.Of[2]] = true
	}
	if !maps.Equal(asked, counted) {
		t.Errorf("asked %v, counted %v", asked, counted)
	}
}

// TestM3EvalNBackTrials plans 64 sequences over made-up labels of clips of 155
// short videos.
func TestM3EvalNBackTrials(t *testing.T) {
	m := newM3Eval(t)
	stand := func(text string) string {
		b, err := m.st.PutBlob(t.Context(), strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return string(b.Digest)
	}
	var clips []pipeline.Record
	for i := range 155 * 3 {
		name := fmt.Sprint("clip ", i)
		v := schemas.Video{
			Media: stand(fmt.Sprint("video ", i/3)), Name: name, SourceID: "crossvid-cc",
			Labels:    map[string]string{"action": fmt.Sprint("action ", i%23), "scene": fmt.Sprint("scene ", i%17)},
			Mezzanine: &schemas.Mezzanine{Video: stand("picture " + name), Audio: stand("sound " + name), Width: 640, Height: 360, FPS: 25, Frames: 100},
		}
		clips = append(clips, m.record(schemas.NameVideo, "v-"+name, v, pipeline.Digest(v.Mezzanine.Video), pipeline.Digest(v.Mezzanine.Audio)))
	}
	files, sequences, asked := map[string]bool{}, map[string]bool{}, 0
	yes := map[string]int{}
	for node, attribute := range map[string]string{"nback-actions": "action", "nback-scenes": "scene"} {
		out, lost := m.run(node, clips)
		if len(lost) > 0 || len(out) != 256 {
			t.Errorf("%s: %d videos, lost %v; want 256 and none", node, len(out), lost)
		}
		for _, r := range out {
			trial, err := pipeline.Decode[schemas.Trial](r)
			if err != nil {
				t.Fatal(err)
			}
			last := trial.Clips[len(trial.Clips)-1]
			for _, lag := range trial.Lags {
				then := trial.Clips[len(trial.Clips)-1-int(lag.N)]
				if same := then.Labels[attribute] == last.Labels[attribute]; same != lag.Match {
					t.Errorf("%s lag %d: match is %t and the labels say %t", r.ID, lag.N, lag.Match, same)
				}
				if lag.Match {
					yes[fmt.Sprint(attribute, lag.N, trial.K)]++
				}
			}
			files[r.ID], sequences[trial.Sequence] = true, true
			asked += len(trial.Lags)
		}
	}
	t.Logf("%d questions over %d files of %d sequences", asked, len(files), len(sequences))
	if len(files) != 512 || len(sequences) != 64 || asked != 1664 || len(yes) != 52 {
		t.Errorf("%d questions, %d files, %d sequences, %d cells", asked, len(files), len(sequences), len(yes))
	}
	for cell, n := range yes {
		if n != 16 {
			t.Errorf("%s: %d yes of 32", cell, n)
		}
	}
}
