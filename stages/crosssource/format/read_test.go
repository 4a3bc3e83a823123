package format

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/schemas"
)

func TestReadsWhatIsExported(t *testing.T) {
	found, faults, err := Read(exported(t))
	if err != nil || len(faults) > 0 {
		t.Fatalf("%v, %v", err, faults)
	}
	if len(found.Samples) != 7 || len(found.Turns) != 12 {
		t.Fatalf("%d samples, %d turns", len(found.Samples), len(found.Turns))
	}
	byID := map[string]Sample{}
	for _, s := range found.Samples {
		byID[s.ID] = s
	}
	one := byID[env+"/Q3"]
	if one.Task != "conflict_resolution" || one.Capability != "conflict resolution" || string(one.Answer) != `"B"` || one.Options["B"] != "at eight" || strings.Join(one.Sources, " ") != env+"/S00 "+env+"/S01 "+env+"/S02" {
		t.Errorf("sample %+v", one)
	}
	if e := one.Evidence; len(e) != 3 || e[0].Role != "superseded" || e[2].Turn != env+"/S00/T3" || e[2].Order != 3 || e[2].Text != "Ann: The mill opens at eight now." {
		t.Errorf("evidence %+v", e)
	}
	if e := byID[env+"/Q0"].Evidence[0]; e.Image != "images/chart.png" || e.Caption != "A chart of mills." || e.Source != env+"/S00" {
		t.Errorf("a picture: %+v", e)
	}
	c := byID[env+"/Q5"]
	if call, err := schemas.CanonicalCall(string(c.Answer)); err != nil || call != gold || len(c.Tools) != 2 || c.Options != nil {
		t.Errorf("a call: %+v", c)
	}
}

// change edits the JSON of a file.
func change(file string, edit func(map[string]any)) func(*testing.T, fstest.MapFS) {
	return func(t *testing.T, root fstest.MapFS) {
		t.Helper()
		var v map[string]any
		if err := json.Unmarshal(root[file].Data, &v); err != nil {
			t.Fatal(err)
		}
		edit(v)
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		root[file] = &fstest.MapFile{Data: b, Mode: 0o644}
	}
}

const (
	single   = "samples/crosssource_b0_Q0.json"
	called   = "samples/crosssource_b0_Q5.json"
	twinned  = "samples/crosssource_b0-concentrated_Q0.json"
	group    = "sources/crosssource_b0_S00.json"
	private  = "sources/crosssource_b0_S01.json"
	picture  = "images/chart.png"
	schemaOf = "parameters"
)

func piece0(v map[string]any) map[string]any { return v["evidence"].([]any)[0].(map[string]any) }
func turn0(v map[string]any) map[string]any  { return v["turns"].([]any)[0].(map[string]any) }
func tool0(v map[string]any) map[string]any  { return v["tools"].([]any)[0].(map[string]any) }
func image1(v map[string]any) map[string]any {
	return v["turns"].([]any)[1].(map[string]any)["images"].([]any)[0].(map[string]any)
}

type breakage struct {
	code   string
	change func(*testing.T, fstest.MapFS)
}

// broken are exports with one thing wrong each.
func broken() map[string]breakage {
	out := brokenSamples()
	maps.Copy(out, brokenSources())
	return out
}

func brokenSamples() map[string]breakage {
	in := func(code, file string, edit func(map[string]any)) breakage { return breakage{code, change(file, edit)} }
	return map[string]breakage{
		"unknown key":        in(CodeFile, single, func(v map[string]any) { v["hint"] = "B" }),
		"no id":              in(CodeID, single, func(v map[string]any) { delete(v, "id") }),
		"id twice":           in(CodeID, single, func(v map[string]any) { v["id"] = env + "/Q1" }),
		"no such task":       in(CodeTask, single, func(v map[string]any) { v["task"] = "riddle" }),
		"another capability": in(CodeTask, single, func(v map[string]any) { v["capability"] = "preference reasoning" }),
		"asks nothing":       in(CodeQuestion, single, func(v map[string]any) { v["question"] = " " }),
		"three options":      in(CodeOptions, single, func(v map[string]any) { delete(v["options"].(map[string]any), "D") }),
		"same options":       in(CodeOptions, single, func(v map[string]any) { v["options"].(map[string]any)["D"] = "at six" }),
		"options and tools":  in(CodeOptions, single, func(v map[string]any) { v["tools"] = []any{map[string]any{"name": "x", schemaOf: map[string]any{}}} }),
		"no such option":     in(CodeAnswer, single, func(v map[string]any) { v["answer"] = "E" }),
		"text as answer":     in(CodeAnswer, single, func(v map[string]any) { v["answer"] = "at eight" }),
		"no such turn":       in(CodeEvidence, single, func(v map[string]any) { piece0(v)["turn"] = env + "/S00/T9" }),
		"another source":     in(CodeEvidence, single, func(v map[string]any) { piece0(v)["source"] = env + "/S01" }),
		"out of order":       in(CodeEvidence, single, func(v map[string]any) { piece0(v)["order"] = 2 }),
		"no such role":       in(CodeEvidence, single, func(v map[string]any) { piece0(v)["role"] = "distractor" }),
		"image of text":      in(CodeEvidence, single, func(v map[string]any) { piece0(v)["modality"] = "text" }),
		"image outside":      in(CodePicture, single, func(v map[string]any) { piece0(v)["image"] = "../images/chart.png" }),
		"one source":         in(CodeSpread, single, func(v map[string]any) { v["evidence"] = v["evidence"].([]any)[:1] }),
		"twin untold":        in(CodeSpread, twinned, func(v map[string]any) { v["arrangement"] = "distributed" }),
		"no such source":     in(CodeSource, single, func(v map[string]any) { v["sources"] = append(v["sources"].([]any), "S99") }),
		"foreign source":     in(CodeSource, single, func(v map[string]any) { v["sources"] = append(v["sources"].([]any), env+"-concentrated/S00") }),
		"one tool":           in(CodeTools, called, func(v map[string]any) { v["tools"] = v["tools"].([]any)[:1] }),
		"same tools":         in(CodeTools, called, func(v map[string]any) { tool0(v)["name"] = "desk_store" }),
		"schema of a list":   in(CodeTools, called, func(v map[string]any) { tool0(v)[schemaOf] = map[string]any{"type": "array"} }),
		"schema in a text":   in(CodeTools, called, func(v map[string]any) { tool0(v)[schemaOf] = "{}" }),
		"call in a text":     in(CodeAnswer, called, func(v map[string]any) { v["answer"] = gold }),
		"call of no tool":    in(CodeAnswer, called, func(v map[string]any) { v["answer"].(map[string]any)["name"] = "desk_sell" }),
		"extra argument":     in(CodeAnswer, called, func(v map[string]any) { v["answer"].(map[string]any)["arguments"].(map[string]any)["why"] = "so" }),
		"missing argument":   in(CodeAnswer, called, func(v map[string]any) { delete(v["answer"].(map[string]any)["arguments"].(map[string]any), "code") }),
	}
}

func brokenSources() map[string]breakage {
	in := func(code, file string, edit func(map[string]any)) breakage { return breakage{code, change(file, edit)} }
	write := func(code, file, text string) breakage {
		return breakage{code, func(_ *testing.T, root fstest.MapFS) {
			root[file] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
		}}
	}
	return map[string]breakage{
		"no JSON":          write(CodeFile, group, "{"),
		"two objects":      write(CodeFile, single, "{}{}"),
		"stray file":       write(CodeFile, "samples/notes.txt", "read me"),
		"unnamed source":   write(CodeSource, "sources/more.json", `{"id":"more","environment":"e","kind":"document","participants":[],"turns":[{"id":"m1","position":1,"time":"2024-05-01T10:00:00Z","text":"x"}]}`),
		"kind unknown":     in(CodeSource, group, func(v map[string]any) { v["kind"] = "email" }),
		"no turns":         in(CodeSource, group, func(v map[string]any) { v["turns"] = []any{} }),
		"turn twice":       in(CodeID, group, func(v map[string]any) { turn0(v)["id"] = env + "/S00/T2" }),
		"place taken":      in(CodeID, private, func(v map[string]any) { turn0(v)["position"] = 1 }),
		"no time":          in(CodeTurn, group, func(v map[string]any) { turn0(v)["time"] = "noon" }),
		"time runs back":   in(CodeTurn, group, func(v map[string]any) { turn0(v)["time"] = "2025-05-01T10:00:00Z" }),
		"place runs back":  in(CodeTurn, group, func(v map[string]any) { turn0(v)["position"] = 40 }),
		"stranger":         in(CodeTurn, group, func(v map[string]any) { turn0(v)["speaker"] = "Zoe" }),
		"silence":          in(CodeTurn, group, func(v map[string]any) { delete(turn0(v), "text") }),
		"no handle":        in(CodeHandle, group, func(v map[string]any) { image1(v)["handle"] = "" }),
		"missing picture":  in(CodePicture, group, func(v map[string]any) { image1(v)["path"] = "images/none.png" }),
		"no picture":       write(CodePicture, picture, "GIF89a"),
		"path of a folder": in(CodePicture, group, func(v map[string]any) { image1(v)["path"] = "images" }),
	}
}

// TestBrokenExportsAreRefused: each breaks one rule, and is told by its code.
func TestBrokenExportsAreRefused(t *testing.T) {
	root := exported(t)
	for name, c := range broken() {
		t.Run(name, func(t *testing.T) {
			changed := maps.Clone(root)
			c.change(t, changed)
			_, faults, err := Read(changed)
			if err != nil || !slices.ContainsFunc(faults, func(f benchformat.Fault) bool { return f.Code == c.code }) {
				t.Errorf("want %s, found %v, %v", c.code, faults, err)
			}
		})
	}
	if _, _, err := Read(fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), "samples") {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestQuestionsThatCannotBeExpressed: the exporter refuses them, each with its reason.
func TestQuestionsThatCannotBeExpressed(t *testing.T) {
	for want, spoil := range map[string]func(*schemas.Question){
		"four of which one":   func(q *schemas.Question) { q.Options = q.Options[:3] },
		"answer; want four":   func(q *schemas.Question) { q.AnswerKey = "A" },
		"in no source":        func(q *schemas.Question) { q.Evidence[0].Ref = "elsewhere" },
		"not in order":        func(q *schemas.Question) { q.Evidence[0].Order = 2 },
		"in 1 sources":        func(q *schemas.Question) { q.Evidence = q.Evidence[:1] },
		"no file of picture":  func(q *schemas.Question) { q.QuestionMedia = []string{"sha256:none"} },
		"both be the file":    func(q *schemas.Question) { q.QuestionID = env + "/Q1" },
		"takes the call":      func(q *schemas.Question) { *q = call(); q.AnswerCall = `{"name":"desk_repair","arguments":{}}` },
		"refers to itself":    func(q *schemas.Question) { *q = call(); q.Tools[0].Parameters = `{"properties":{"a":{"$ref":"#"}}}` },
		"its parameters are ": func(q *schemas.Question) { *q = call(); q.Tools[0].Parameters = "" },
	} {
		all := asked()
		spoil(&all[0])
		if _, err := layout([]schemas.Question{all[1], all[0]}, sessions(), files()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestWhatMisleadsIsNoEvidence: what a question cites as leading to wrong answers changes
// neither the export nor what scores count.
func TestWhatMisleadsIsNoEvidence(t *testing.T) {
	plain, cited := asked(), asked()
	list := append(evidence(env, "S01/T2", schemas.RoleDistractor), cited[0].Evidence...)
	for i := range list {
		list[i].Order = int32(i + 1)
	}
	cited[0].Evidence = list
	var trees [2]export.Tree
	var benches [2]items
	for i, all := range [][]schemas.Question{plain, cited} {
		var err error
		if trees[i], err = layout(all, sessions(), files()); err != nil {
			t.Fatal(err)
		}
		if benches[i], err = itemsOf(all); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(trees[0], trees[1]) || !reflect.DeepEqual(benches[0], benches[1]) {
		t.Errorf("what misleads is exported or counted:\n%+v\n%+v", benches[0][0], benches[1][0])
	}
	cited[0].Evidence = slices.DeleteFunc(list, func(e schemas.Evidence) bool { return e.Ref == env+"/S02/T1" })
	if _, err := layout(cited, sessions(), files()); err == nil {
		t.Error("what misleads stands for a source of the evidence")
	}
}

// TestAnySufficientSetIsFound: Q1 rests on three pieces, for the last of which another can
// stand. An export has both sets.
func TestAnySufficientSetIsFound(t *testing.T) {
	all := asked()[1:2]
	q := &all[0]
	if len(q.Evidence) != 3 {
		t.Fatalf("%d pieces", len(q.Evidence))
	}
	q.Evidence = append(q.Evidence, evidence(env, "S01/T2", schemas.RoleAlternative)...)
	q.Labels = maps.Clone(q.Labels)
	q.Labels[schemas.LabelSufficient] = "1 2 3|1 2 4"
	for i := range q.Evidence {
		q.Evidence[i].Order = int32(i + 1)
	}
	tree, err := layout(all, sessions(), files())
	if err != nil {
		t.Fatal(err)
	}
	var written Sample
	for _, f := range tree.Files {
		if f.Path == "samples/"+fileName(q.QuestionID)+".json" {
			if err := json.Unmarshal(f.Data, &written); err != nil {
				t.Fatal(err)
			}
		}
	}
	read, err := newItem(written)
	if err != nil {
		t.Fatal(err)
	}
	released, err := itemsOf(all)
	if err != nil {
		t.Fatal(err)
	}
	refs := func(orders ...int) (out [][]string) {
		for _, n := range orders {
			out = append(out, []string{q.Evidence[n-1].Ref})
		}
		return out
	}
	for _, tc := range []struct {
		found  [][]string
		recall float64
		fails  string
	}{
		{refs(1, 2, 3), 1, ""}, {refs(4, 2, 1), 1, ""}, {refs(1, 2), 2. / 3, DistributedMissing}, {refs(3, 4), 1. / 3, DistributedMissing}, {refs(4, 1), 2. / 3, DistributedMissing},
	} {
		for name, i := range map[string]item{"release": released[0], "export": read} {
			if r, _ := i.recallPrecision(tc.found, 10); !near(r, tc.recall) {
				t.Errorf("%s: %v of %v is found, want %v", name, r, tc.found, tc.recall)
			}
			if v, _ := i.labelFromLog("A", slices.Concat(tc.found...)); v.Label != tc.fails {
				t.Errorf("%s: %v fails by %q, want %q", name, tc.found, v.Label, tc.fails)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	tree, err := layout(asked(), sessions(), files())
	if err != nil {
		f.Fatal(err)
	}
	byPath := map[string][]byte{}
	for _, file := range tree.Files {
		byPath[file.Path] = file.Data
	}
	f.Add(byPath[single], byPath[group])
	f.Add(byPath[called], byPath[private])
	f.Fuzz(func(t *testing.T, sample, source []byte) {
		root := fstest.MapFS{"samples/a.json": {Data: sample}, "sources/b.json": {Data: source}, "images/c.png": {Data: nil}}
		found, faults, err := Read(root)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range found.Samples {
			if len(faults) == 0 && (s.ID == "" || len(s.Evidence) == 0) {
				t.Fatalf("sample %+v has no fault", s)
			}
		}
	})
}
