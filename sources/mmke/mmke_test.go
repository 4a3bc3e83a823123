package mmke_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/mmke"
)

func config(change func(*mmke.Config)) mmke.Config {
	var c mmke.Config
	c.SetDefaults()
	if change != nil {
		change(&c)
	}
	return c
}

// subject has one file named as on the hub and one as in the repository, and its
// pictures in an archive of the hub or in the user's folder.
func subject(t *testing.T, c mmke.Config) testkit.Subject {
	t.Helper()
	repo := testkit.Repo{Commit: strings.Repeat("6", 40), Files: map[string][]byte{}, Large: map[string]bool{}}
	for at, name := range map[string]string{"data_json/user_train.json": "user_train.json", "data_json/visual/train.json": "train.json"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		repo.Files[at] = b
	}
	pictures := map[string][]byte{"data_image/user/12.png": testkit.PNG(t, 1), "data_image/user/13.png": testkit.PNG(t, 2), "data_image/user/bomb.png": testkit.DecompressionBomb(t), "data_image/visual/1.png": testkit.PNG(t, 3)}
	up := testkit.Upstream{Media: map[string][]byte{}}
	if c.Images {
		repo.Files["data_image.zip"], repo.Large["data_image.zip"] = testkit.Zip(t, pictures), true
	} else {
		for name, b := range pictures {
			up.Media["mmke/"+name] = b
		}
	}
	up.Repos = map[string]testkit.Repo{"kailinjiang/MMKE-Bench-dataset": repo}
	return testkit.Subject{Register: mmke.Register, Use: "mmke", Config: c}.Fetch(t, up)
}

func TestConformance(t *testing.T) {
	s := subject(t, config(nil))
	s.Golden = "1 0223077a04b10c4204e320aa706625fa0cbf51b7220cbd554cf5097c24088585"
	testkit.ConformSource(t, s)
}

func items(t *testing.T, s testkit.Subject) (map[string]schemas.EvidenceItem, string) {
	t.Helper()
	records, lost, err := s.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]schemas.EvidenceItem{}
	for _, i := range testkit.DecodeAll[schemas.EvidenceItem](t, schemas.NameEvidenceItem, records) {
		out[i.UpstreamID] = i
	}
	var codes []string
	for _, l := range lost {
		codes = append(codes, l.ID+" "+l.Code)
	}
	slices.Sort(codes)
	return out, strings.Join(codes, "\n")
}

const want = `data_json/user_train.json#1 no-new-answer
data_json/user_train.json#10 duplicate-id
data_json/user_train.json#11 bad-annotation
data_json/user_train.json#2 nothing-changed
data_json/user_train.json#3 bad-annotation
data_json/user_train.json#4 two-spellings
data_json/user_train.json#5 two-spellings
data_json/user_train.json#6 unknown-label
mmke/user-train-7 media-missing
mmke/user-train-8 explodes`

func TestRecords(t *testing.T) {
	for name, c := range map[string]mmke.Config{"hub": config(nil), "folder": config(func(c *mmke.Config) { c.Images = false })} {
		got, lost := items(t, subject(t, c))
		if len(got) != 3 || lost != want {
			t.Fatalf("%s: %d items, lost\n%s\nwant\n%s", name, len(got), lost, want)
		}
		one := got["user-train-0"]
		if q := one.Question; q.Question != "Who gave me what is shown here?" || q.AnswerText != "Lena" || q.Labels["portability"] != "1-hop+2-hop" || len(q.QuestionMedia) != 1 || one.License != "NOASSERTION" {
			t.Errorf("%s: item %+v", name, one)
		}
		var told []string
		for _, u := range one.Units {
			told = append(told, u.Role+" "+u.Text)
		}
		if strings.Join(told, "; ") != "clue ; superseded Who gave me this mug? Tom; update Who gave me this mug? Lena; distractor What colour is the mug? blue; distractor Where does it stand? on the shelf" {
			t.Errorf("%s: units %q", name, told)
		}
		if u := one.Units; u[2].Revises[0] != u[1].UnitID || u[0].Media != string(pipeline.DigestOf(testkit.PNG(t, 1))) || len(one.Media) != 2 || one.Notes[0].Code != "left-out" {
			t.Errorf("%s: units %+v, notes %+v", name, u, one.Notes)
		}
		if i := got["user-train-9"]; i.Question.Question != "Whose hat is this?" || i.Notes[0].Code != "left-out" || len(i.Question.QuestionMedia) != 0 {
			t.Errorf("%s: without the other picture: %+v", name, i)
		}
		if i := got["visual-train-0"]; i.Question.Type != "visual_knowledge" || i.Units[3].Text != "What shape is it? round" {
			t.Errorf("%s: %+v", name, i)
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	for want, change := range map[string]func(*mmke.Config){
		"owner/name": func(c *mmke.Config) { c.Repo = "x y" }, "kinds": func(c *mmke.Config) { c.Kinds = []string{"other"} }, "splits": func(c *mmke.Config) { c.Splits = nil },
	} {
		if _, err := mmke.New(config(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestGoldenSpoiled pins what is read of files with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	subject(t, config(nil)).CheckSpoiled(t, "spoiled-user_train", "data_json/user_train.json")
	subject(t, config(nil)).CheckSpoiled(t, "spoiled-visual", "data_json/visual/train.json")
}
