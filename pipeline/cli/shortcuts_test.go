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
	"github.com/memforge/memforge/pipeline/testkit/videorelease"
	"github.com/memforge/memforge/schemas"
)

// copied adds 21 near-duplicates of one question in its split, of another pair of
// videos and said to be another fact each, one of another question in another
// split, and a copy of a third, which is the same fact, in another split.
func copied(qs []schemas.Question) []schemas.Question {
	add := func(i int, id, split string) {
		q := qs[i]
		q.QuestionID, q.Split, q.Labels = id, split, maps.Clone(q.Labels)
		q.Labels[schemas.LabelPair], q.Labels[schemas.LabelFact] = id, id
		qs = append(qs, q)
	}
	for i := range 21 {
		add(0, fmt.Sprintf("q-0000-copy-%02d", i), qs[0].Split)
	}
	add(7, "q-0007-copy", "train")
	same := qs[9]
	same.QuestionID, same.Split = "q-0009-same", "train"
	return append(qs, same)
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
		"; facts in several splits: 1\n", "near-duplicates among the facts: 232 pairs, 1 of them across splits\n  q-0007 and q-0007-copy: similarity 1.00, in test and train\n" +
			"  q-0000 and q-0000-copy-00: similarity 1.00, both in test\n",
		"  and 212 more; --json lists them\n", "interference: 7 questions, 6 facts; fewer than 20 facts",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "similarity"); n != 20 {
		t.Errorf("%d pairs are printed", n)
	}
	var said struct {
		Questions, Facts int
		Forms            []struct{ Form, Why string }
		Copies           []struct {
			A, B         string
			Similarity   float64
			AcrossSplits bool `json:"across_splits"`
		} `json:"near_duplicates"`
	}
	if err := json.Unmarshal([]byte(run("--json")), &said); err != nil {
		t.Fatal(err)
	}
	if len(said.Copies) != 232 || !said.Copies[0].AcrossSplits || said.Copies[1].AcrossSplits || said.Copies[231].B != "q-0000-copy-20" || said.Copies[231].Similarity != 1 || len(said.Forms) < 5 || said.Facts != said.Questions-1 {
		t.Errorf("%d copies, %d forms", len(said.Copies), len(said.Forms))
	}
	dir, err = videorelease.Write(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if text := run(); !strings.Contains(text, "near-duplicates among the facts: none") {
		t.Errorf("of a release without copies:\n%s", text)
	}
	if text := run("--json"); !strings.Contains(text, `"near_duplicates": []`) {
		t.Errorf("of a release without copies:\n%s", text)
	}
}

// TestShortcutsStatesCompanyApart: what the other questions of a pair tell is printed
// below what counts.
func TestShortcutsStatesCompanyApart(t *testing.T) {
	dir, err := videorelease.Write(t.Context(), t.TempDir(), func(qs []schemas.Question) []schemas.Question {
		for i := range 24 {
			q := qs[0]
			q.QuestionID, q.Labels = fmt.Sprintf("q-more-%02d", i), maps.Clone(q.Labels)
			q.Labels[schemas.LabelPair], q.Labels[schemas.LabelFact] = fmt.Sprint("p", i/2), fmt.Sprint("f", i)
			qs = append(qs, q)
		}
		return qs
	})
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
	_, beside, found := strings.Cut(run(), "  with the other questions of the cluster in view:\n")
	if beside, _, _ = strings.Cut(beside, "  positions of the answer"); !found || !strings.HasPrefix(beside, "  choice model on what they name ") || strings.Contains(beside, "baselines") {
		t.Errorf("found %t:\n%s", found, beside)
	}
	var said struct {
		Forms []struct {
			Figures []any
			Beside  []struct {
				Name string
				P    *float64
			} `json:"with_other_questions"`
		}
	}
	if err := json.Unmarshal([]byte(run("--json")), &said); err != nil {
		t.Fatal(err)
	}
	studied := 0
	for _, f := range said.Forms {
		if (len(f.Figures) == 0) != (len(f.Beside) == 0) || f.Beside == nil {
			t.Errorf("%d figures, %d with other questions", len(f.Figures), len(f.Beside))
		}
		studied += len(f.Beside)
	}
	if studied == 0 || said.Forms[len(said.Forms)-1].Beside == nil {
		t.Errorf("%d figures with other questions", studied)
	}
}
