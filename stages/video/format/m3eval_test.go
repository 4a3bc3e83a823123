package format_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit/videorelease"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/format"
)

func newRelease(t *testing.T, change func([]schemas.Question) []schemas.Question) string {
	t.Helper()
	dir, err := videorelease.Write(t.Context(), t.TempDir(), change)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func exported(t *testing.T, dir string) string {
	t.Helper()
	out := t.TempDir()
	if _, err := export.Write(t.Context(), format.Format(), dir, out, export.Options{}); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(out, "data", "m3eval")
}

// rows reads a file of questions as the HF json builder does: a list or lines,
// every row with every column, of one type.
func rows(t *testing.T, name string) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]any
	if strings.HasSuffix(name, ".json") {
		if err := json.Unmarshal(data, &out); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	} else {
		for line := range bytes.Lines(data) {
			var r map[string]any
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			out = append(out, r)
		}
	}
	for _, r := range out[1:] {
		for column, v := range out[0] {
			if reflect.TypeOf(v) != reflect.TypeOf(r[column]) {
				t.Errorf("%s: column %s is %T and %T", name, column, v, r[column])
			}
		}
		if len(r) != len(out[0]) {
			t.Errorf("%s: rows of %d and %d columns", name, len(out[0]), len(r))
		}
	}
	return out
}

var option = regexp.MustCompile(`^\s*([A-Z])[\.\)]\s+(.*)$`)

// TestRoundTrip reads the export back and compares it with the release: every
// question is there once, with its text, options, answer, labels and video.
func TestRoundTrip(t *testing.T) {
	dir := newRelease(t, nil)
	root := exported(t, dir)
	contents, err := release.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	layouts := map[string]string{}
	for _, m := range contents.Media {
		layouts[m.MediaID] = m.Recipe.Layout
	}
	found := map[string]map[string]any{}
	columns := map[string]string{
		"qa_root/split_screen/split_screen_qa.json":               "answer id options paper_v4_metric_detail paper_v4_metric_group question source_dimension storyline_error_type video",
		"qa_root/interleaved/interleaved_qa.json":                 "answer id options paper_v4_metric_detail paper_v4_metric_group question source_dimension storyline_error_type video",
		"qa_root/memory_interference/memory_interference_qa.json": "answer id interference_direction intrusion_option_letter option_role_by_letter options paper_v4_metric_group question video",
		"../m3eval-memforge/memory_interference_repeated_qa.json": "answer id interference_direction intrusion_option_letter option_role_by_letter options paper_v4_metric_group question repetition video",
		"questions/nback_questions.jsonl":                         "answer attribute clip_count n_value options question question_id video",
	}
	for file, want := range columns {
		all := rows(t, filepath.Join(root, file))
		if got := strings.Join(slices.Sorted(maps.Keys(all[0])), " "); got != want {
			t.Errorf("%s has the columns %s", file, got)
		}
		for _, r := range all {
			id, _ := r["id"].(string)
			if id == "" {
				id, _ = r["question_id"].(string)
			}
			if found[id] != nil {
				t.Errorf("question %s occurs twice", id)
			}
			found[id] = r
			r["file"] = file
		}
	}
	checkNothingElse(t, root)
	if len(found) != len(contents.Questions) || len(found) < 15 {
		t.Errorf("%d questions exported of %d", len(found), len(contents.Questions))
	}
	for _, q := range contents.Questions {
		sameQuestion(t, root, q, layouts[q.Media[0]], found[q.QuestionID])
	}
}

func sameQuestion(t *testing.T, root string, q schemas.Question, layout string, r map[string]any) {
	t.Helper()
	var got, want schemas.Question
	want.Question, want.AnswerKey, want.AnswerText, want.Media = q.Question, q.AnswerKey, q.AnswerText, q.Media
	got.Question, _ = r["question"].(string)
	answer, _ := r["answer"].(string)
	options, _ := r["options"].([]any)
	for i, o := range options {
		text, _ := o.(string)
		key := q.Options[i].Key
		if m := option.FindStringSubmatch(text); m != nil {
			key, text = m[1], m[2]
		} else if q.Type != "nback" {
			t.Errorf("%s: %q is no lettered option", q.QuestionID, text)
		}
		role := q.Options[i].Role
		if roles, ok := r["option_role_by_letter"].(map[string]any); ok {
			role, _ = roles[key].(string)
		}
		got.Options = append(got.Options, schemas.Option{Key: key, Text: text, Role: role})
		if key == answer || text == answer {
			got.AnswerKey, got.AnswerText = key, text
		}
	}
	want.Options = q.Options
	video, _ := r["video"].(string)
	// M3Eval looks below its data first, then below its own folder.
	folder, under := root, "videos/"
	if q.Labels["repetition"] == "target" {
		folder, under = filepath.Join(root, "..", ".."), "data/m3eval-memforge/videos/"
	}
	data, err := os.ReadFile(filepath.Join(folder, video))
	if err != nil {
		t.Error(err)
	}
	got.Media = []string{string(pipeline.DigestOf(data))}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: exported %+v\nreleased %+v", q.QuestionID, got, want)
	}
	if want := map[string]string{schemas.LayoutSplit: "split_screen", schemas.LayoutConcat: "memory_interference", schemas.LayoutInterleaved: "interleaved", schemas.LayoutNBack: "nback"}[layout]; video != under+want+"/"+q.Media[0]+".mp4" {
		t.Errorf("%s: video %q of layout %s; a name may tell nothing but its digest", q.QuestionID, video, layout)
	}
	for field, want := range paperFields(q, layout) {
		if got := fmt.Sprint(r[field]); got != want {
			t.Errorf("%s: %s is %q, want %q", q.QuestionID, field, got, want)
		}
	}
}

// paperFields restates the card, question by question.
func paperFields(q schemas.Question, layout string) map[string]string {
	switch layout {
	case schemas.LayoutNBack:
		return map[string]string{"attribute": q.Labels["attribute"], "n_value": q.Labels["n_value"], "clip_count": q.Labels["clip_count"]}
	case schemas.LayoutConcat:
		intrusion := ""
		for _, o := range q.Options {
			if o.Role == schemas.RoleIntrusion && intrusion == "" {
				intrusion = o.Key
			}
		}
		group := q.Labels["metric_group"]
		return map[string]string{"paper_v4_metric_group": group, "interference_direction": group, "intrusion_option_letter": intrusion}
	}
	fields := map[string]string{"paper_v4_metric_group": q.Labels["metric_group"], "source_dimension": "spatial", "paper_v4_metric_detail": "storyline_reconstruction"}
	if layout == schemas.LayoutInterleaved {
		fields["source_dimension"] = "narrative"
	}
	switch q.Type {
	case "temporal_grounding":
		fields["paper_v4_metric_detail"] = "source_memory"
	case "false_memory_discrimination":
		fields["paper_v4_metric_detail"] = "false_source_attribution"
	case "source_identification":
		fields["storyline_error_type"] = "source_confusion"
	case "order_understanding":
		fields["storyline_error_type"] = "order_disruption"
	case "content_retention":
		fields["storyline_error_type"] = "content_forgetting"
	}
	return fields
}

const viewerColumns = "record_type,subset,scope,question_id,question_signature,task_family,task_type,family_group,family_group_display,paper_table,paper_metric_group,paper_metric_detail,cell_id,cell_label,dataset,pair_id,target_video,focus,source_dimension,interference_direction,storyline_error_type,swap_count,question,options_json,answer,video_relpath,sequence_case_id,attribute,domain,domain_index,test_index,variation_id,clip_count,n_value,target_label,video_path_sequence_json,video"

func TestViewer(t *testing.T) {
	dir := newRelease(t, nil)
	root := exported(t, dir)
	f, err := os.Open(filepath.Join(root, "..", "m3eval-memforge", "full_questions.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(all[0], ",") != viewerColumns {
		t.Errorf("columns %v", all[0])
	}
	signature, cells, pairs := regexp.MustCompile(`^[0-9a-f]{64}$`), map[string]bool{}, map[string]bool{}
	for _, row := range all[1:] {
		v := map[string]string{}
		for i, c := range all[0] {
			v[c] = row[i]
		}
		var options, sequence []string
		if json.Unmarshal([]byte(v["options_json"]), &options) != nil || len(options) < 2 {
			t.Errorf("%s: options %q", v["question_id"], v["options_json"])
		}
		if json.Unmarshal([]byte(v["video_path_sequence_json"]), &sequence) != nil || len(sequence) != 2 {
			t.Errorf("%s: sequence %q", v["question_id"], v["video_path_sequence_json"])
		}
		if !signature.MatchString(v["question_signature"]) || v["video"] == "" || v["video"] != v["video_relpath"] || v["dataset"] != "films" {
			t.Errorf("row %v", v)
		}
		if v["subset"] != "nback" && v["scope"] == "full" {
			cells[v["cell_id"]] = true
			pairs[v["pair_id"]] = true
		}
	}
	// Six cells of split screens, two directions, five kinds over interleaved
	// videos; and one pair of sources whatever the layout.
	if len(all)-1 != 18 || len(cells) != 13 || len(pairs) != 1 {
		t.Errorf("%d rows, cells %v, pairs %v", len(all)-1, slices.Sorted(maps.Keys(cells)), pairs)
	}
}

// TestSameBytes exports twice and compares every byte.
func TestSameBytes(t *testing.T) {
	dir := newRelease(t, nil)
	a, b := digests(t, filepath.Dir(exported(t, dir))), digests(t, filepath.Dir(exported(t, dir)))
	if !maps.Equal(a, b) || len(a) < 12 {
		t.Errorf("%v\n%v", a, b)
	}
}

func digests(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		rel, _ := filepath.Rel(root, p)
		out[rel] = string(pipeline.DigestOf(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// checkNothingElse: the folder that M3Eval's tasks read holds the four files
// that they load, and videos that a row of these names.
func checkNothingElse(t *testing.T, root string) {
	t.Helper()
	known := map[string]bool{}
	for _, file := range []string{
		"qa_root/split_screen/split_screen_qa.json", "qa_root/interleaved/interleaved_qa.json",
		"qa_root/memory_interference/memory_interference_qa.json", "questions/nback_questions.jsonl",
	} {
		known[file] = true
		for _, r := range rows(t, filepath.Join(root, file)) {
			known[fmt.Sprint(r["video"])] = true
		}
	}
	for name := range digests(t, root) {
		if !known[filepath.ToSlash(name)] {
			t.Errorf("%s is read by no task of M3Eval's", name)
		}
	}
}

// TestControlsLieBeside: M3Eval's tasks do not load controls, so that its figures of an
// export are those of the release.
func TestControlsLieBeside(t *testing.T) {
	control := ""
	dir := newRelease(t, func(all []schemas.Question) []schemas.Question {
		i := slices.IndexFunc(all, func(q schemas.Question) bool { return q.Labels[schemas.LabelMetricGroup] == "swap0" })
		all[i].Split, control = schemas.ControlSplit, all[i].QuestionID
		return all
	})
	root := exported(t, dir)
	has := func(r map[string]any) bool { return r["id"] == control }
	if r := rows(t, filepath.Join(root, "..", "m3eval-memforge", "split_screen_control_qa.json")); len(r) != 1 || !has(r[0]) {
		t.Errorf("beside lie %v, want %s", r, control)
	}
	if slices.ContainsFunc(rows(t, filepath.Join(root, "qa_root", "split_screen", "split_screen_qa.json")), has) {
		t.Errorf("%s is among those of M3Eval's tasks", control)
	}
	contents, err := release.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	released, err := format.Scorer().Release(contents)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := format.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(released, score.QuestionSet(loaded)) {
		t.Error("the export is scored as other questions than the release")
	}
	answers := map[string]string{}
	for _, id := range loaded.IDs() {
		if id != control {
			answers[id] = "A"
		}
	}
	if s, err := format.Score(loaded, answers, format.Upstream); err != nil || !strings.Contains(strings.Join(s.WarningList, "\n"), "none of the 1 controls") {
		t.Errorf("without an answer to the control: %v, %q", err, s.WarningList)
	}
}
