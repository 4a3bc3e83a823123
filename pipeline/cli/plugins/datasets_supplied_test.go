package plugins_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit"
)

// packedFixture is a fixture as MultiModalQA packs its files.
func packedFixture(t *testing.T, name string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(fixtureOf(t, name)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestClaimsWithWhatAUserSupplies: MMCV's claims become questions where MultiModalQA's
// texts and tables are fetched and its pictures lie in a folder, as docs/smmbench.md says.
// A claim of which a picture is missing is lost.
func TestClaimsWithWhatAUserSupplies(t *testing.T) {
	t.Parallel()
	h := testkit.NewHub(t)
	h.SetRepo("mmcv-dataset/MMCV", testkit.Repo{Commit: commit, Files: map[string][]byte{"Dataset/4hop.json": fixtureOf(t, "mmcv/testdata/4hop.json"), "README.md": nil}})
	h.SetRepo("dfy37/lifesim", testkit.Repo{Commit: commit, Files: map[string][]byte{ // people who talk
		"data/single_session/users.jsonl": fixtureOf(t, "lifesim/testdata/users.jsonl"), "data/single_session/events.jsonl": fixtureOf(t, "lifesim/testdata/events.jsonl"), "data/language_templates.json": []byte("[]"),
	}})
	pieces := map[string][]byte{}
	for _, kind := range []string{"texts", "images", "tables"} {
		pieces["dataset/MMQA_"+kind+".jsonl.gz"] = packedFixture(t, "mmcv/testdata/MMQA_"+kind+".jsonl")
	}
	h.SetRepo("allenai/multimodalqa", testkit.Repo{Commit: commit, Branch: "master", Files: pieces})
	pictures := filepath.Join(t.TempDir(), "final_dataset_images")
	if err := os.MkdirAll(pictures, 0o755); err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if err := os.WriteFile(filepath.Join(pictures, fmt.Sprintf("i%d.png", n+1)), testkit.PNG(t, n), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	server := testkit.NewModelServer(t, (&scripted{whole: map[string]evidence{}}).answer)
	source := "  lifesim: {use: lifesim}\n  mmcv: {use: mmcv, with: {hops: [4hop], multimodalqa: true}}\n"
	plan := fmt.Sprintf(online, source, "lifesim, mmcv", 12, "", h.URL, h.URL, h.URL, h.URL)
	c, _ := builtOnline(t, strings.Replace(plan, `media_dirs: {slidevqa: ""}`, fmt.Sprintf("media_dirs: {mmcv: %q}", filepath.Dir(pictures)), 1), server)
	told := map[string]int{}
	for _, q := range c.Questions {
		told[q.Labels["fact"]] = len(q.Evidence)
		for _, e := range q.Evidence {
			if e.Text == "" && e.Media == "" {
				t.Errorf("%s rests on %s, which is empty", q.QuestionID, e.Ref)
			}
		}
	}
	if told["mmcv/4hop:0"] != 4 {
		t.Errorf("the claim on a text, a picture, a table and what it is about is no question: %v", told)
	}
	lost := ""
	for _, r := range c.Rejections {
		if strings.HasPrefix(r.ID, "mmcv/4hop:1") {
			lost = r.Code
		}
	}
	if lost != "no-content" || told["mmcv/4hop:1"] != 0 {
		t.Errorf("the claim of which a picture is missing was lost as %q: %v", lost, told)
	}
}
