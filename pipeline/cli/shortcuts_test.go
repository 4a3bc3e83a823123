package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/pipeline/pipelinetest/videorelease"
	"github.com/memforge/memforge/schemas"
)

// copied adds 21 copies of one question in its split, of another pair of videos
// each, and one of another question in another split.
func copied(qs []schemas.Question) []schemas.Question {
	add := func(i int, id, split string) {
		q := qs[i]
		q.QuestionID, q.Split, q.Labels = id, split, maps.Clone(q.Labels)
		q.Labels[schemas.LabelPair] = id
		qs = append(qs, q)
	}
	for i := range 21 {
		add(0, fmt.Sprintf("q-0000-copy-%02d", i), qs[0].Split)
	}
	add(7, "q-0007-copy", "train")
	return qs
}

func TestShortcutsListsCopies(t *testing.T) {
	dir, err := videorelease.Write(t.Context(), t.TempDir(), copied)
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := cli.Main(registry(), append([]string{"shortcuts", dir}, args...), strings.NewReader(""), &out, &errs, os.Getenv); code != 0 {
			t.Fatalf("exit code %d\n%s%s", code, &out, &errs)
		}
		return out.String()
	}
	// The 22 questions that are alike make 231 pairs.
	text := run()
	for _, want := range []string{
		"near-duplicate questions: 232 pairs, 1 of them across splits\n  q-0007 and q-0007-copy: similarity 1.00, in test and train\n" +
			"  q-0000 and q-0000-copy-00: similarity 1.00, both in test\n",
		"  and 212 more; --json lists them\n", "interference: 6 questions; fewer than 40",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "similarity"); n != 20 {
		t.Errorf("%d pairs are printed", n)
	}
	var said struct {
		Forms  []struct{ Form, Why string }
		Copies []struct {
			A, B         string
			Similarity   float64
			AcrossSplits bool `json:"across_splits"`
		}
	}
	if err := json.Unmarshal([]byte(run("--json")), &said); err != nil {
		t.Fatal(err)
	}
	if len(said.Copies) != 232 || !said.Copies[0].AcrossSplits || said.Copies[1].AcrossSplits || said.Copies[231].B != "q-0000-copy-20" || said.Copies[231].Similarity != 1 || len(said.Forms) < 5 {
		t.Errorf("%d copies, %d forms", len(said.Copies), len(said.Forms))
	}
	dir, err = videorelease.Write(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if text := run(); !strings.Contains(text, "near-duplicate questions: none") {
		t.Errorf("of a release without copies:\n%s", text)
	}
	if text := run("--json"); !strings.Contains(text, `"copies": []`) {
		t.Errorf("of a release without copies:\n%s", text)
	}
}
