package plugins_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// fixtures is the folder of the real inputs; a test without them skips.
func fixtures(t *testing.T, names ...string) string {
	t.Helper()
	for _, n := range names {
		testfiles.Real(t, n)
	}
	return testfiles.Real(t, ".")
}

// realShots are frames of films and screenshots of a browser, in turn.
func realShots(t *testing.T, n int) []shot {
	t.Helper()
	root := fixtures(t, "videos/sam2", "webvoyager")
	films, err := filepath.Glob(filepath.Join(root, "videos", "sam2", "*.mp4"))
	if err != nil || len(films) == 0 {
		t.Fatal(films, err)
	}
	screens, err := filepath.Glob(filepath.Join(root, "webvoyager", "*", "screenshot*.png"))
	if err != nil || len(screens) < n/2 {
		t.Fatal(len(screens), err)
	}
	var out []shot
	for i := range n / 2 {
		stills, err := media.Lazy().Stills(t.Context(), films[i%len(films)], []int64{int64(20 + 40*(i/len(films)))}, 0)
		if err != nil {
			t.Fatal(err)
		}
		data, err := media.JPEG(stills[0].Picture)
		if err != nil {
			t.Fatal(err)
		}
		screen, err := os.ReadFile(screens[i*(len(screens)/(n/2))])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, shot{".jpg", data}, shot{".png", screen})
	}
	return out
}

// TestRealPictures has real pictures in a folder captioned, asked about, judged,
// released and exported.
func TestRealPictures(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it decodes films")
	}
	talks := t.TempDir()
	n := testsize.Choose(12, 16)
	writeTalks(t, talks, 1, realShots(t, n))
	m := newMaker(t)
	server := testkit.NewModelServer(t, m.answer)
	c := newOwn(t, talks, server.URL).build()
	checkOwn(t, c)
	if len(c.Media) != n {
		t.Errorf("%d pictures are released; want %d", len(c.Media), n)
	}
	t.Logf("%d questions about %d pictures, %d calls", len(c.Questions), len(c.Media), server.Counts().Answered)
}

// spokenTurn is a turn of LoCoMo.
type spokenTurn struct {
	Text  string
	Links []string `json:"img_url"`
}

// writeAsRounds writes a conversation of LoCoMo in MemEye's layout: what one says and
// the other answers is a round. Some of the links to pictures, which are dead, get one.
func writeAsRounds(t *testing.T, dir, name string, data []byte, shots []shot, topics []string) {
	t.Helper()
	var file map[string]json.RawMessage
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	var sessions []object
	for n := 1; file[fmt.Sprintf("session_%d", n)] != nil; n++ {
		var turns []spokenTurn
		if err := json.Unmarshal(file[fmt.Sprintf("session_%d", n)], &turns); err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprintf("D%d", n)
		rounds := []object{}
		for i := 0; i+1 < len(turns); i += 2 {
			r := object{"round": fmt.Sprintf("%s:%d", id, i/2+1), "user": turns[i].Text, "assistant": turns[i+1].Text}
			if len(turns[i].Links)+len(turns[i+1].Links) > 0 && len(shots) > 0 {
				path := fmt.Sprintf("%s/%s%s", name, topics[0], shots[0].ext)
				r["input_image"], r["user"] = []string{"../image/" + path}, "Here is what I saw at the "+topics[0]+". "+turns[i].Text
				put(t, filepath.Join(dir, "image", path), shots[0].data)
				shots, topics = shots[1:], topics[1:]
			}
			rounds = append(rounds, r)
		}
		sessions = append(sessions, object{"session_id": id, "date": fmt.Sprintf("2023-%02d-%02d", 1+n/28, 1+n%28), "dialogues": rounds})
	}
	whole, err := json.Marshal(object{"multi_session_dialogues": sessions})
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "dialog", name+".json"), whole)
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLoCoMoWithPictures gives LoCoMo's conversations pictures in the places of links
// that were never part of the data, and has the author ask about these.
func TestLoCoMoWithPictures(t *testing.T) {
	t.Parallel()
	root := fixtures(t, "locomo")
	talks, shots := t.TempDir(), painted(t, 12)
	for i, name := range []string{"26", "30"} {
		data, err := os.ReadFile(filepath.Join(root, "locomo", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		writeAsRounds(t, talks, "Talk_"+name, data, shots[6*i:6*i+6], topics[6*i:6*i+6])
	}
	server := testkit.NewModelServer(t, newMaker(t).answer)
	c := newOwn(t, talks, server.URL).build()
	checkOwn(t, c)
	sessions, turns := 0, 0
	for _, table := range c.Manifest.Tables {
		switch table.Name {
		case "sessions":
			sessions = int(table.Rows)
		case "turns":
			turns = int(table.Rows)
		}
	}
	if len(c.Tasks) != 2 || len(c.Media) != len(shots) || sessions != 38 || turns < 750 {
		t.Errorf("%d tasks, %d sessions, %d turns and %d pictures are released", len(c.Tasks), sessions, turns, len(c.Media))
	}
	t.Logf("%d questions about %d pictures in %d turns, %d calls", len(c.Questions), len(c.Media), turns, server.Counts().Answered)
}
