package mllmkc_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/mllmkc"
)

func config(change func(*mllmkc.Config)) mllmkc.Config {
	var c mllmkc.Config
	c.SetDefaults()
	if change != nil {
		change(&c)
	}
	return c
}

// subject has its pictures on the hub, or in the user's folder.
func subject(t *testing.T, c mllmkc.Config) testkit.Subject {
	t.Helper()
	repo := testkit.Repo{Commit: strings.Repeat("5", 40), Files: map[string][]byte{}, Large: map[string]bool{}}
	for _, name := range []string{"ER.json", "people_knowledge.json"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		repo.Files["MLLMKC/"+name] = b
	}
	up := testkit.Upstream{Media: map[string][]byte{}}
	for name, b := range map[string][]byte{"mill/1.png": testkit.PNG(t, 1), "mill/2.png": testkit.PNG(t, 2), "mill/3.png": testkit.PNG(t, 3), "bomb.png": testkit.DecompressionBomb(t)} {
		if c.Images {
			repo.Files["MLLMKC/image/"+name], repo.Large["MLLMKC/image/"+name] = b, true
			repo.Files["MLLMKC/image/__MACOSX/._"+name[strings.LastIndex(name, "/")+1:]] = []byte("junk")
		} else {
			up.Media["mllmkc/image/"+name] = b
		}
	}
	up.Repos = map[string]testkit.Repo{"starjyf/MLLMKC-datasets": repo}
	return testkit.Subject{Register: mllmkc.Register, Use: "mllmkc", Config: c}.Fetch(t, up)
}

func TestConformance(t *testing.T) {
	s := subject(t, config(nil))
	s.Golden = "1 355626aca814c1edddf55c61ba1b66dfaf946d98cf0862e8b85e897e0629de63"
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

const want = `MLLMKC/ER.json#11 bad-annotation
MLLMKC/ER.json#2 two-spellings
MLLMKC/ER.json#3 bad-annotation
MLLMKC/ER.json#4 no-gold
MLLMKC/ER.json#5 two-gold-options
MLLMKC/ER.json#8 bad-annotation
MLLMKC/ER.json#9 result-record
MLLMKC/people_knowledge.json#0 career two-spellings
MLLMKC/people_knowledge.json#0 location no-gold
MLLMKC/people_knowledge.json#0 unknown-label
mllmkc/er-1 duplicate-id
mllmkc/er-7 media-missing
mllmkc/er-8 explodes`

func TestRecords(t *testing.T) {
	for name, c := range map[string]mllmkc.Config{"hub": config(nil), "folder": config(func(c *mllmkc.Config) { c.Images = false })} {
		got, lost := items(t, subject(t, c))
		if len(got) != 4 || lost != want {
			t.Fatalf("%s: %d items, lost\n%s\nwant\n%s", name, len(got), lost, want)
		}
		one := got["er-1"]
		if q := one.Question; q.Question != "What building is this?" || q.AnswerText != "Rye Mill" || len(q.Options) != 3 || q.Labels["instance"] != "Rye Mill" || one.License != "NOASSERTION" || one.Task != schemas.TaskConflict {
			t.Errorf("%s: item %+v", name, one)
		}
		var roles []string
		for _, u := range one.Units {
			roles = append(roles, u.Modality+" "+u.Role)
		}
		last := one.Units[4]
		if strings.Join(roles, ", ") != "text superseded, image distractor, text superseded, image distractor, image update" || last.Media != string(pipeline.DigestOf(testkit.PNG(t, 1))) || strings.Join(last.Revises, " ") != "mllmkc/er-1/E01 mllmkc/er-1/E03" {
			t.Errorf("%s: units %s, %+v", name, roles, last)
		}
		if q := got["er-2"].Question; len(q.Options) != 3 || q.AnswerText != "Mill" {
			t.Errorf("%s: both spellings and a list in a text: %+v", name, q)
		}
		if q := got["people-p1.temporal"].Question; q.AnswerText != "1921" || q.Labels["error"] != "temporal" || q.Question != "When was she born?" {
			t.Errorf("%s: a kind of error: %+v", name, q)
		}
		if q := got["people-p1.career"].Question; q.Question != "What was she?" || q.AnswerText != "Miller" || len(q.Options) != 2 {
			t.Errorf("%s: capitals: %+v", name, q)
		}
	}
}

// TestAnswerElsewhere: where the answer stands can be told.
func TestAnswerElsewhere(t *testing.T) {
	got, lost := items(t, subject(t, config(func(c *mllmkc.Config) { c.AnswerKeys, c.MaxItems = []string{"instance"}, 5 })))
	if len(got) != 1 || got["er-1"].Question.AnswerText != "Rye Mill" || !strings.Contains(lost, "#1 no-gold") {
		t.Errorf("%+v, lost\n%s", got, lost)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for want, change := range map[string]func(*mllmkc.Config){
		"owner/name": func(c *mllmkc.Config) { c.Repo = "x y" }, "answer_keys": func(c *mllmkc.Config) { c.AnswerKeys = nil },
	} {
		if _, err := mllmkc.New(config(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestGoldenSpoiled pins what is read of files with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	subject(t, config(nil)).CheckSpoiled(t, "spoiled-ER", "MLLMKC/ER.json")
	subject(t, config(nil)).CheckSpoiled(t, "spoiled-people_knowledge", "MLLMKC/people_knowledge.json")
}
