package captions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/captions"
)

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		json, want string
	}{
		{`{"kinds":["dense"],"attempts":5}`, ""},
		{`{"kinds":["dense"],"attempts":6}`, "attempts"},
		{`{"kinds":["dense"],"attempts":0}`, "attempts"},
		{`{"kinds":[]}`, "kinds is empty"},
		{`{"kinds":["dense","minimal","dense"]}`, `kinds holds "dense"`},
		{`{"kinds":["short"]}`, `kinds holds "short"`},
	} {
		r := pipeline.NewRegistry()
		captions.Register(r)
		p, _ := r.Plugin(pipeline.KindStage, "visual.caption")
		_, err := p.BuildRaw([]byte(c.json))
		if (c.want == "") != (err == nil) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: %v, want %q", c.json, err, c.want)
		}
	}
}

// TestBounds wants a caption at either end of its length to pass, and one beyond not.
func TestBounds(t *testing.T) {
	letters := func(n int) string { return strings.Repeat("ä", n) }
	for _, c := range []struct {
		kind, caption string
		wrong         int
	}{
		{captions.Minimal, "photo", 1}, {captions.Minimal, "a photo", 0}, {captions.Minimal, "a photo of a big room", 0}, {captions.Minimal, "a photo of a very big room", 1},
		{captions.Dense, letters(79), 1}, {captions.Dense, letters(80), 0}, {captions.Dense, letters(2500), 0}, {captions.Dense, letters(2501), 1},
		{captions.TaskAware, letters(159), 1}, {captions.TaskAware, letters(160), 0}, {captions.TaskAware, letters(5000), 0}, {captions.TaskAware, letters(5001), 1},
		{captions.Minimal, "Photo 1", 3}, {captions.Minimal, "a red room", 2},
	} {
		if why := captions.Check(c.kind, c.caption); len(why) != c.wrong {
			t.Errorf("%s %.20q of %d: %q, want %d faults", c.kind, c.caption, len([]rune(c.caption)), why, c.wrong)
		}
	}
}

// TestWhatIsWritten gives pictures with and without captions, one that the captioner
// declines and one of which every caption is too short.
func TestWhatIsWritten(t *testing.T) {
	var blobs [][]byte
	var media []string
	for n := range 4 {
		blobs = append(blobs, testkit.PNG(t, n))
		media = append(media, string(pipeline.DigestOf(blobs[n])))
	}
	long := strings.Repeat("A grey dog lies on a mat. ", 10)
	writer := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		switch {
		case len(a.Images) != 1:
			return testkit.ReplyJSON(captions.Answer{Caption: "not one picture"})
		case string(a.Images[0]) == string(blobs[2]):
			return testkit.ReplyJSON(captions.Answer{Cannot: " it is blurred "})
		case string(a.Images[0]) == string(blobs[3]):
			return testkit.ReplyJSON(captions.Answer{Caption: "A dog."})
		case a.Task == "visual_caption_minimal":
			return testkit.ReplyJSON(captions.Answer{Caption: " a photo of a room "})
		}
		return testkit.ReplyJSON(captions.Answer{Caption: long})
	})
	roles, models := writer.Live(t, "captioner")
	s := schemas.Session{SessionID: "t/S01", TaskID: "t", Turns: []schemas.Turn{{Attachments: []schemas.Attachment{
		{MediaID: media[0]}, {MediaID: media[1], MinimalCaption: schemas.BareCaption, Caption: "Stays."}, {MediaID: media[2], MinimalCaption: "a photo"}, {MediaID: media[3], MinimalCaption: "a photo"},
	}}}}
	q := schemas.Question{QuestionID: "q", TaskID: "t", Evidence: []schemas.Evidence{{Text: "no picture"}, {Media: media[0], Caption: schemas.BareCaption}}}
	var in pipeline.RecordBuilder
	in.Add(schemas.NameTask, "t", schemas.Task{TaskID: "t"})
	in.Add(schemas.NameSession, s.SessionID, s)
	in.Add(schemas.NameQuestion, q.QuestionID, q)
	records, err := in.Records()
	if err != nil {
		t.Fatal(err)
	}
	subject := testkit.Subject{Register: captions.Register, Use: "visual.caption", Config: &captions.Config{Kinds: []string{captions.Dense, captions.Minimal}, Attempts: 2}, Inputs: records, Roles: roles, Models: models, Blobs: blobs}
	for n := range records {
		subject.Inputs = records[n : n+1]
		out, lost, err := subject.Run(t)
		if err != nil || len(out) != 1 {
			t.Fatalf("%d records, %v", len(out), err)
		}
		switch n {
		case 0:
			if string(out[0].Data) != string(records[0].Data) {
				t.Errorf("task %s", out[0].Data)
			}
		case 1:
			got := testkit.DecodeAll[schemas.Session](t, schemas.NameSession, out)[0].Turns[0].Attachments
			for i, want := range [][2]string{{"a photo of a room", strings.TrimSpace(long)}, {"a photo of a room", "Stays."}, {"a photo", ""}, {"a photo", ""}} {
				if got[i].MinimalCaption != want[0] || got[i].Caption != want[1] || got[i].TaskAwareCaption != "" {
					t.Errorf("picture %d: %+v, want %q", i, got[i], want)
				}
			}
			for i, want := range []string{"declined", "bad-caption"} {
				l := lost[i]
				if l.ID != fmt.Sprintf("t/S01/%s/dense", media[2+i][:12]) || l.Code != want || !l.Flagged {
					t.Errorf("lost %+v, want %s", l, want)
				}
			}
			if !strings.HasSuffix(lost[0].Reason, "writes no dense caption: it is blurred") || lost[1].Reason != `"A dog.": the caption has 6 characters; write 80 to 2500 (after 2 attempts)` || len(lost) != 2 {
				t.Errorf("lost %+v", lost)
			}
		case 2:
			got := testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out)[0].Evidence
			if got[0] != q.Evidence[0] || got[1].MinimalCaption != "a photo of a room" || got[1].Caption != schemas.BareCaption || len(lost) != 0 {
				t.Errorf("evidence %+v, lost %+v", got, lost)
			}
		}
	}
}
