package mmcv_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/mmcv"
)

func config(change func(*mmcv.Config)) mmcv.Config {
	var c mmcv.Config
	c.SetDefaults()
	c.Hops = []string{"4hop"}
	if change != nil {
		change(&c)
	}
	return c
}

func withPieces(c *mmcv.Config) { c.MultiModalQA = true }

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// packed compresses without a time.
func packed(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func subject(t *testing.T, c mmcv.Config, claims []byte, pieces map[string][]byte, media map[string][]byte) testkit.Subject {
	t.Helper()
	repos := map[string]testkit.Repo{
		"mmcv-dataset/MMCV":    {Commit: strings.Repeat("9", 40), Files: map[string][]byte{"Dataset/4hop.json": claims, "README.md": nil}},
		"allenai/multimodalqa": {Commit: strings.Repeat("b", 40), Branch: "master", Files: pieces},
	}
	return testkit.Subject{Register: mmcv.Register, Use: "mmcv", Config: c}.Fetch(t, testkit.Upstream{Repos: repos, Media: media})
}

func pieces(t *testing.T) map[string][]byte {
	out := map[string][]byte{}
	for _, kind := range []string{"texts", "images", "tables"} {
		out["dataset/MMQA_"+kind+".jsonl.gz"] = packed(t, read(t, "MMQA_"+kind+".jsonl"))
	}
	return out
}

// media holds two of three pictures, one in an archive.
func media(t *testing.T) map[string][]byte {
	return map[string][]byte{
		"final_dataset_images/i1.png": testkit.PNG(t, 1),
		"more.zip":                    testkit.Zip(t, map[string][]byte{"final_dataset_images/i2.png": testkit.PNG(t, 2), "final_dataset_images/i8.png": []byte("unasked")}),
	}
}

func TestConformance(t *testing.T) {
	s := subject(t, config(nil), read(t, "4hop.json"), nil, nil)
	s.Golden = "1 7dc84aed4c9db0fc26fc78a58ecc8eb70d128e2d66e7d9ba3b9d798beb879169"
	testkit.ConformSource(t, s)
}

func TestConformanceWithPieces(t *testing.T) {
	s := subject(t, config(withPieces), read(t, "4hop.json"), pieces(t), media(t))
	s.Unpinned = "the archives' bytes are those of Go's compressor"
	testkit.ConformSource(t, s)
}

const lostClaims = `Dataset/4hop.json#3 unknown-label
Dataset/4hop.json#4 no-question
Dataset/4hop.json#5 no-evidence
Dataset/4hop.json#6 duplicate-id
Dataset/4hop.json#9 bad-annotation`

func TestSkeletons(t *testing.T) {
	got, lost := subject(t, config(nil), read(t, "4hop.json"), nil, nil).Items(t)
	if len(got) != 5 || lost != lostClaims {
		t.Errorf("%d items, lost\n%s", len(got), lost)
	}
	one := got["4hop:0"]
	if q := one.Question; q.Labels["mix"] != "text+image+table" || q.Labels["pieces"] != "3" || q.AnswerText != "It is supported." || one.License != "CC-BY-SA-4.0" || !one.ContentMissing() {
		t.Errorf("item %+v", one)
	}
	u := one.Units
	if len(u) != 4 || u[1].State != schemas.UnitMissing || u[1].Ref != "multimodalqa:image:i1" || u[1].Dataset != "multimodalqa" || u[3].Role != schemas.RoleContext || u[3].Text == "" {
		t.Errorf("units %+v", u)
	}
	if fmt.Sprint(one.Notes) != "[{duplicate-evidence text_evidence names pieces again that it has named, 1 times} {evidence-missing MultiModalQA would have to bring 1 texts, 1 pictures and 1 tables}]" {
		t.Errorf("notes %+v", one.Notes)
	}
	if len(got["4hop:7"].Units) != 2 {
		t.Errorf("a list in a text: %+v", got["4hop:7"].Units)
	}
}

func TestPieces(t *testing.T) {
	got, lost := subject(t, config(withPieces), read(t, "4hop.json"), pieces(t), media(t)).Items(t)
	want := lostClaims + `
dataset/MMQA_texts.jsonl.gz:4 bad-annotation
multimodalqa:image:i3 media-missing
multimodalqa:table:b9 dangling-evidence`
	if len(got) != 5 || lost != want {
		t.Errorf("%d items, lost\n%s\nwant\n%s", len(got), lost, want)
	}
	one := got["4hop:0"]
	if one.ContentMissing() || len(one.Media) != 1 || one.Units[0].Text != "The ferry stopped in 1931." || one.Units[1].Media != one.Media[0].MediaID || one.Units[1].Title != "Poster" {
		t.Errorf("item %+v", one)
	}
	if rows := one.Units[2].Rows; fmt.Sprintf("%q", rows) != `[["Bridge" "Opened"] ["Long Bridge" "1931"] ["Mill Bridge" ""]]` {
		t.Errorf("rows %q", rows)
	}
	two := got["4hop:1"]
	if !two.ContentMissing() || len(two.Media) != 2 || two.Units[2].State != schemas.UnitMissing {
		t.Errorf("an item with a missing picture: %+v", two)
	}
}

// TestBadPieces: files of MultiModalQA that are none, or that explode.
func TestBadPieces(t *testing.T) {
	bad := pieces(t)
	bad["dataset/MMQA_texts.jsonl.gz"] = []byte("no gzip")
	bad["dataset/MMQA_tables.jsonl.gz"] = packed(t, append(bytes.Repeat([]byte(" "), 17<<20), '{'))
	_, lost := subject(t, config(withPieces), read(t, "4hop.json"), bad, media(t)).Items(t)
	for _, want := range []string{"dataset/MMQA_texts.jsonl.gz bad-file", "dataset/MMQA_tables.jsonl.gz explodes"} {
		if !strings.Contains(lost, want) {
			t.Errorf("lost\n%s\nwant %s", lost, want)
		}
	}
	delete(bad, "dataset/MMQA_texts.jsonl.gz")
	if _, _, err := subject(t, config(withPieces), read(t, "4hop.json"), bad, nil).Read(t); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("error %v", err)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for want, change := range map[string]func(*mmcv.Config){
		"owner/name": func(c *mmcv.Config) { c.Repo = "x" }, "pieces_repo": func(c *mmcv.Config) { c.PiecesRepo = "x" },
		"name at least": func(c *mmcv.Config) { c.Hops = nil }, "5hop": func(c *mmcv.Config) { c.Hops = []string{"5hop"} },
		"holds the claims": func(c *mmcv.Config) { c.Hops = []string{"4hop", "mmcv_all"} }, "each once": func(c *mmcv.Config) { c.Hops = []string{"4hop", "4hop"} },
	} {
		if _, err := mmcv.New(config(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestRealClaims makes a skeleton of each of the 396 claims over four hops, and says
// what MultiModalQA would have to bring.
func TestRealClaims(t *testing.T) {
	got, lost := subject(t, config(nil), testkit.ReadRealInput(t, "mmcv/4hop.json"), nil, nil).Items(t)
	mixes, gold, bring := map[string]int{}, map[string]int{}, map[string]map[string]bool{}
	single := 0
	for _, i := range got {
		mixes[i.Question.Labels["mix"]]++
		gold[i.Question.AnswerText]++
		if i.Question.Labels["pieces"] == "1" {
			single++
		}
		for _, u := range i.Units {
			if u.State == "" {
				continue
			}
			if bring[u.Modality] == nil {
				bring[u.Modality] = map[string]bool{}
			}
			bring[u.Modality][u.UpstreamID] = true
		}
	}
	b, err := json.Marshal(mixes)
	if err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprintf("%d skeletons, lost %q, mixes %s, gold %v, %d rest on one piece; MultiModalQA would have to bring %d texts, %d pictures and %d tables",
		len(got), lost, b, gold, single, len(bring["text"]), len(bring["image"]), len(bring["table"]))
	t.Log(said)
	want := `396 skeletons, lost "", mixes {"image":41,"image+table":107,"text":24,"text+image":19,"text+table":205}, gold map[It is refuted.:238 It is supported.:158], 24 rest on one piece; MultiModalQA would have to bring 83 texts, 387 pictures and 263 tables`
	if said != want {
		t.Errorf("%s\nwant %s", said, want)
	}
}

// TestGoldenSpoiled pins what is read of files with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	subject(t, config(nil), read(t, "4hop.json"), nil, nil).CheckSpoiled(t, "spoiled", "Dataset/4hop.json")
}
