package plugins_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// online is configs/smmbench-datasets.yaml over data sets that a local server has.
const online = `version: 1
seed: 3
max_loss: 1
release: {name: online, title: Online, from: [placed-options, talks, pictures]}
sources:
%s
stages:
  prepare: {use: crosssource.prepare, from: [%s]}
  pose: {use: crosssource.pose, from: [prepare]}
  keep: {use: crosssource.keep, from: [prepare, needed]}
  plan: {use: crosssource.plan, from: [keep], with: {groups: 3, privates: 1, documents: 2, turns: %d, paragraphs: 3, twins: false}}
  converse: {use: crosssource.converse, from: [plan]}
  write: {use: crosssource.write, from: [converse]}
  place: {use: crosssource.place, from: [keep, write]}
  ask: {use: crosssource.ask, from: [keep, spread]}
gates:
  answerable: {use: oracle, from: [pose], on_fail: keep, max_insufficient: 1}
  answerable-calls: {use: oracle-call, from: [answerable], on_fail: keep, max_insufficient: 1}
  alone: {use: answerable-alone, from: [answerable-calls]}
  modal: {use: modality-necessity, from: [alone]}
  correct: {use: correctness, from: [modal]}
  needed: {use: evidence-necessity, from: [correct]}
  pictures: {use: visual.picture, from: [keep]}
  talks: {use: update-chain, from: [write]}
  spread: {use: placement, from: [place], with: {gap: 1}}
  placed-options: {use: option-roles, from: [ask]}
run:
  out: out
  media_dirs: {slidevqa: %q}
  endpoints: {hub: %q, github_api: %q, github_raw: %q, github_lfs: %q}
`

// fixtureOf is a file of an adapter's exact-format fixture.
func fixtureOf(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(testfiles.Repo(t, "sources/"+name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// commit is that of every repository.
var commit = strings.Repeat("9", 40)

// hub has data sets: LifeSim and MMCV as they are given, others from their fixtures.
func hub(t *testing.T, users, events, claims []byte) *testkit.Hub {
	t.Helper()
	h := testkit.NewHub(t)
	set := func(name string, files map[string][]byte, large ...string) {
		r := testkit.Repo{Commit: commit, Files: files, Large: map[string]bool{}}
		for _, l := range large {
			r.Large[l] = true
		}
		h.SetRepo(name, r)
	}
	set("dfy37/lifesim", map[string][]byte{"data/single_session/users.jsonl": users, "data/single_session/events.jsonl": events, "data/language_templates.json": []byte("[]")})
	set("mmcv-dataset/MMCV", map[string][]byte{"Dataset/4hop.json": claims, "README.md": nil})
	set("MMDocIR/MMDocRAG", map[string][]byte{
		"dev_15.jsonl": fixtureOf(t, "mmdocrag/testdata/dev_15.jsonl"), "dev_20.jsonl": fixtureOf(t, "mmdocrag/testdata/dev_20.jsonl"),
		"images.zip": testkit.Zip(t, map[string][]byte{"images/sacks.jpg": testkit.PNG(t, 1)}),
	}, "images.zip")
	set("kailinjiang/MMKE-Bench-dataset", map[string][]byte{
		"data_json/user_train.json": fixtureOf(t, "mmke/testdata/user_train.json"), "data_json/visual/train.json": fixtureOf(t, "mmke/testdata/train.json"),
		"data_image.zip": testkit.Zip(t, map[string][]byte{"data_image/user/12.png": testkit.PNG(t, 1), "data_image/user/13.png": testkit.PNG(t, 2), "data_image/visual/1.png": testkit.PNG(t, 3)}),
	}, "data_image.zip")
	mills := map[string][]byte{"MLLMKC/ER.json": fixtureOf(t, "mllmkc/testdata/ER.json"), "MLLMKC/people_knowledge.json": fixtureOf(t, "mllmkc/testdata/people_knowledge.json")}
	var large []string
	for n := 1; n <= 3; n++ {
		name := fmt.Sprintf("MLLMKC/image/mill/%d.png", n)
		mills[name], large = testkit.PNG(t, n), append(large, name)
	}
	set("starjyf/MLLMKC-datasets", mills, large...)
	return h
}

const onlineSources = `  lifesim: {use: lifesim, with: {max_items: %d}}
  mmcv: {use: mmcv, with: {hops: [4hop], max_items: %d}}
  mmdocrag: {use: mmdocrag, with: {images: true, min_gold: 1, files: [dev_15.jsonl, dev_20.jsonl]}}
  mmke: {use: mmke, with: {kinds: [user, visual], splits: [train]}}
  mllmkc: {use: mllmkc}
  chartqapro: {use: chartqapro}
  mmpb: {use: mmpb}
  m3bench: {use: m3bench, with: {images: true, revision: main}}
  slidevqa: {use: slidevqa}
`

// datasets builds the plan with a server, and gives the release and the files of its tables.
func datasets(t *testing.T, h *testkit.Hub, slides string, server *testkit.ModelServer, lives, claims, turns int) (release.Contents, map[string][]byte) {
	t.Helper()
	plan := fmt.Sprintf(online, fmt.Sprintf(onlineSources, lives, claims), "lifesim, mmcv, mmdocrag, mmke, mllmkc, chartqapro, mmpb, m3bench, slidevqa", turns, slides, h.URL, h.URL, h.URL, h.URL)
	return builtOnline(t, plan, server)
}

// builtOnline builds a plan whose roles a server plays.
func builtOnline(t *testing.T, plan string, server *testkit.ModelServer) (release.Contents, map[string][]byte) {
	t.Helper()
	reg := plugins.Registry()
	name := filepath.Join(t.TempDir(), "pipeline.yaml")
	if err := os.WriteFile(name, []byte(plan+server.YAML("", "author", "judge", "panel_a", "panel_b")), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(name, reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := assemble.Build(t.Context(), reg, cfg, assemble.Options{Getenv: func(string) string { return "" }, AllowUnlicensed: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := release.Read(t.Context(), res.Release.Dir)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string][]byte{}
	found, err := filepath.Glob(filepath.Join(res.Release.Dir, "data", "*", "*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if tables[filepath.Base(filepath.Dir(f))+"/"+filepath.Base(f)], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	return c, tables
}

// TestDataSetsOnline takes LifeSim's users and MMCV's claims, as they are published,
// and the fixtures of others through preparation, filter, conversation and placement,
// with a scripted server as author, judge and panel. With 30 % of its answers spoilt the
// questions and sources are the same. Claims whose evidence MultiModalQA would have to
// bring are lost as such, and nothing is invented in its place.
func TestDataSetsOnline(t *testing.T) {
	t.Parallel()
	users, events, claims := testkit.ReadRealInput(t, "lifesim/users.jsonl"), testkit.ReadRealInput(t, "lifesim/events.jsonl"), testkit.ReadRealInput(t, "mmcv/4hop.json")
	h := hub(t, users, events, claims)
	slides := shelved(t, h)
	brain := &scripted{whole: map[string]evidence{}}
	server := testkit.NewModelServer(t, brain.answer)
	lives, taken, turns := testsize.Choose(3, 6), testsize.Choose(12, 24), testsize.Choose(12, 20)
	clean, tables := datasets(t, h, slides, server, lives, taken, turns)
	told, lost := map[string]int{}, map[string]int{}
	for _, q := range clean.Questions {
		told[q.Labels["dataset"]]++
	}
	for _, r := range clean.Rejections {
		lost[r.Stage+" "+r.Code]++
	}
	t.Logf("%d questions: %v; lost: %v", len(clean.Questions), told, lost)
	for _, set := range []string{"chartqapro", "lifesim", "m3bench", "mllmkc", "mmdocrag", "mmke", "mmpb"} {
		if told[set] == 0 {
			t.Errorf("no question is from %s: %v", set, told)
		}
	}
	slide := func(r schemas.Rejection) bool {
		return r.Stage == "prepare" && r.Code == "no-content" && strings.HasPrefix(r.ID, "slidevqa/")
	}
	if told["mmcv"]+told["slidevqa"] != 0 || !slices.ContainsFunc(clean.Rejections, slide) {
		t.Errorf("MMCV's evidence is not there and SlideVQA's words may not be: %v", told)
	}
	for _, kind := range []testkit.FaultKind{testkit.FaultReset, testkit.FaultCut, testkit.FaultCutJSON, testkit.FaultHTML, testkit.FaultEmpty, testkit.FaultInside} {
		server.AddFault(testkit.ModelFault{Kind: kind, Share: 0.06, Each: 1})
	}
	server.ResetCounts()
	_, again := datasets(t, h, slides, server, lives, taken, turns)
	if n := server.Counts(); n.Faulted*10 < n.Requests*2 {
		t.Errorf("%d of %d requests were spoilt", n.Faulted, n.Requests)
	}
	if len(tables) < 5 || len(again) != len(tables) {
		t.Errorf("%d and %d files of tables", len(tables), len(again))
	}
	for name, b := range tables {
		if !bytes.Equal(b, again[name]) {
			t.Errorf("with faults another %s", name)
		}
	}
}
