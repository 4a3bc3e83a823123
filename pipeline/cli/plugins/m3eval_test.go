package plugins_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/quota"
)

// m3eval runs single nodes of configs/m3eval.yaml over records made up here.
type m3eval struct {
	t    *testing.T
	reg  *pipeline.Registry
	plan engine.Plan
	st   pipeline.Store
}

func newM3Eval(t *testing.T) m3eval { return nodesOf(t, "../../../configs/m3eval.yaml") }

// nodesOf runs those of another configuration, with some values overridden.
func nodesOf(t *testing.T, path string, sets ...string) m3eval {
	t.Helper()
	reg := plugins.Registry()
	cfg, err := config.Load(path, reg, sets)
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

func (m m3eval) node(name string) engine.Step {
	m.t.Helper()
	i := slices.IndexFunc(m.plan.Steps, func(n engine.Step) bool { return n.Name == name })
	if i < 0 {
		m.t.Fatalf("the configuration has no step %s", name)
	}
	return m.plan.Steps[i]
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
		Step: name, Inputs: given.Result.Outputs,
		Identity: pipeline.Identity{Kind: n.Kind, Use: n.Use, Version: n.Version, Config: n.Config, Seed: m.plan.Seed},
		Each:     n.Use == "video.ask",
	}
	if n.Kind == pipeline.KindSource {
		task.Identity.Name = name
	}
	var err error
	if task.Identity, err = m.reg.Identify(m.t.Context(), task.Identity); err != nil {
		m.t.Fatal(err)
	}
	rt := engine.Runtime{Registry: m.reg, Store: m.st, TempRoot: m.t.TempDir()}
	results, err := engine.Execute(m.t.Context(), rt, task)
	if err != nil {
		m.t.Fatalf("%s: %v", name, err)
	}
	lost := map[string]int{}
	var digests []pipeline.Digest
	for _, result := range results {
		for _, r := range result.Rejections {
			lost[r.Code]++
		}
		for _, o := range result.Outputs {
			digests = append(digests, o.Digest)
		}
	}
	out, err := m.st.Records(m.t.Context(), digests)
	if err != nil {
		m.t.Fatal(err)
	}
	return out, lost
}

// labels are those of a made-up question that an entry of the quota counts.
func (m m3eval) labels(n quota.Count, mirror string) map[string]string {
	out := map[string]string{schemas.LabelMirror: mirror}
	for i, key := range []string{schemas.LabelDimension, "", schemas.LabelMetricGroup, schemas.LabelRepetition, schemas.LabelTarget} {
		if value := n.Of[i+1]; key != "" && value != "*" && value != "" {
			out[key] = value
		}
	}
	return out
}

// ways are how a layout shows a pair: a question about it is asked that often.
var ways = map[string][]map[string]string{
	schemas.DimensionNarrative: {{}},
	schemas.DimensionSpatial:   {{schemas.LabelMetricGroup: "swap0"}, {schemas.LabelMetricGroup: "swap10"}},
	"": {
		{schemas.LabelRepetition: schemas.RepeatsNone}, {schemas.LabelRepetition: schemas.RepeatsNone},
		{schemas.LabelRepetition: schemas.RepeatsTarget}, {schemas.LabelRepetition: schemas.RepeatsInterferer},
	},
}

// offer makes up what passes the gates: of each entry of the quota about twice
// as many questions as it asks for, mirrored as its layout shows a pair, and
// some that no entry asks for: about the second video, on a side while sides
// stay.
func (m m3eval) offer(c quota.Config) (records []pipeline.Record, questions int) {
	add := func(n quota.Count, kind string, groups int, shown []map[string]string) {
		for g := range groups {
			task := fmt.Sprintf("task %s %s %s %s %d", n.Of[0], n.Of[1], n.Of[2], kind, g)
			records = append(records, m.record(schemas.NameTask, task, schemas.Task{TaskID: task, SourceRecords: []string{n.Of[0]}}))
			for i, way := range shown {
				q := schemas.Question{QuestionID: fmt.Sprintf("%s %d", task, i), TaskID: task, Type: n.Of[2], Labels: m.labels(n, "m "+task)}
				maps.Copy(q.Labels, way)
				records = append(records, m.record(schemas.NameQuestion, q.QuestionID, q))
				questions++
			}
		}
	}
	for _, n := range c.Counts {
		shown := ways[n.Of[1]]
		switch {
		case n.Of[4] == schemas.RepeatsTarget || n.Of[4] == schemas.RepeatsInterferer:
			continue // come with those of both orders
		case n.Of[2] == schemas.TypeSpatialGrounding:
			shown = shown[1:] // most are not mirrored
			add(n, "still", 3, ways[n.Of[1]][:1])
		case n.Of[2] == schemas.TypeInterference:
			second := quota.Count{Of: slices.Clone(n.Of)}
			second.Of[5] = "B"
			add(second, "second", 2, shown)
			add(n, "first", n.Count, shown)
			continue
		}
		add(n, "", 2*n.Count/len(shown), shown)
	}
	return records, questions
}

// TestM3EvalQuotaKeepsThePapersCounts offers about 2,000 questions.
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
	sources, types, groups := map[string]int{}, map[string]int{}, map[string]int{}
	for _, r := range out {
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil {
			t.Fatal(err)
		}
		what := strings.TrimSpace(q.Labels[schemas.LabelDimension] + " " + q.Type)
		if rep := q.Labels[schemas.LabelRepetition]; rep != "" {
			what += " " + rep + " " + q.Labels[schemas.LabelTarget]
		}
		if q.Type == schemas.TypeSpatialGrounding {
			what += " " + q.Labels[schemas.LabelMetricGroup]
		}
		if rep := q.Labels[schemas.LabelRepetition]; rep == "" || rep == schemas.RepeatsNone {
			sources[source[q.TaskID]]++
		}
		types[what]++
		groups[q.Labels[schemas.LabelMirror]]++
	}
	t.Logf("%d of %d questions; %v; %v; lost %v", len(out), offered, sources, types, lost)
	if offered < 1700 || len(out) != 739+110 || lost["over-quota"]+lost["no-quota"] != offered-len(out) || lost["no-quota"] != 6*(3+2*4) {
		t.Errorf("%d of %d questions kept, want 739 and 110 over repeated videos; lost %v", len(out), offered, lost)
	}
	wantSources := map[string]int{"crossvid-cc": 138, "crossvid-nc": 96, "hourvideo": 100, "infinibench": 184, "lvbench": 102, "videomme": 119}
	if !maps.Equal(sources, wantSources) {
		t.Errorf("by data set %v, want %v", sources, wantSources)
	}
	wantTypes := map[string]int{
		"spatial source_identification": 96, "spatial order_understanding": 80, "spatial content_retention": 102,
		"interference none A": 110, "interference target A": 55, "interference interferer A": 55,
		"narrative source_identification": 79, "narrative order_understanding": 30, "narrative content_retention": 55,
		"narrative false_memory_discrimination": 95, "narrative source_memory": 22, "narrative temporal_grounding": 24,
		"spatial spatial_grounding swap10": 46,
	}
	if !maps.Equal(types, wantTypes) {
		t.Errorf("by type %v, want %v", types, wantTypes)
	}
	for g, n := range groups {
		want := 2
		switch {
		case strings.Contains(g, schemas.DimensionNarrative), strings.Contains(g, schemas.TypeSpatialGrounding):
			want = 1
		case strings.Contains(g, schemas.TypeInterference):
			want = 4
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

// TestM3EvalNBackTrials plans 64 sequences over made-up labels of clips of the
// videos of all six data sets, which all of them reach.
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
	from := m.node("probe").From
	if len(from) != 6 {
		t.Errorf("videos of %v, want six data sets", from)
	}
	used := map[string]bool{}
	for i := range 451 {
		name := fmt.Sprint("clip ", i)
		v := schemas.Video{
			Media: stand(fmt.Sprint("video ", i)), Name: name, SourceID: from[i%len(from)],
			Labels:     map[string]string{"action": fmt.Sprint("action ", i%23), "scene": fmt.Sprint("scene ", i%17)},
			Normalised: &schemas.NormalisedVideo{Video: stand("picture " + name), Audio: stand("sound " + name), Width: 640, Height: 360, FPS: 25, Frames: 100},
		}
		clips = append(clips, m.record(schemas.NameVideo, "v-"+name, v, pipeline.Digest(v.Normalised.Video), pipeline.Digest(v.Normalised.Audio)))
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
			for _, c := range trial.Clips {
				used[c.SourceID] = true
			}
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
	if len(used) != len(from) {
		t.Errorf("clips come from %v, want all of %v", slices.Sorted(maps.Keys(used)), from)
	}
	for _, node := range []string{"clip-sections", "segment"} {
		if !slices.Equal(m.node(node).From, []string{"normalise"}) {
			t.Errorf("%s reads %v, want the videos of all data sets", node, m.node(node).From)
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
