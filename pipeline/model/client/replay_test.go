package client_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/testkit"
)

func TestOfflineReplaysAndNamesWhatChanged(t *testing.T) {
	server := testkit.NewModelServer(t, answerColour)
	dir := t.TempDir()
	b := liveBenchWith(t, server, "", client.Options{Ledger: openLedger(t, dir)})
	img := picture(t, 8, 8, "png")
	if _, err := b.colour("sky", b.put(img)); err != nil {
		t.Fatal(err)
	}
	asked := server.Counts().Requests
	offline := func(add string) *bench {
		return liveBenchWith(t, server, add, client.Options{Ledger: openLedger(t, dir), Offline: true})
	}
	o := offline("    key_env: NOT_NEEDED\n")
	out, err := o.colour("sky", o.put(img))
	if err != nil || out.Value.Colour != "colour of sky" || out.Usage.Input == 0 {
		t.Errorf("replay %+v, %v", out, err)
	}
	for _, tc := range []struct {
		name, add string
		images    int
		item      string
		want      []string
	}{
		{"sampling", "    sampling: {temperature: 0.5}\n", 1, "sky", []string{"sampling"}},
		{"image bounds", "    media: {max_long_side: 300}\n", 1, "sky", []string{"form"}},
		{"an image more", "", 2, "sky", []string{"images"}},
		{"other words", "", 1, "sea", []string{"user"}},
	} {
		o := offline(tc.add)
		var images []pipeline.Digest
		for range tc.images {
			images = append(images, o.put(img))
		}
		_, err := o.colour(tc.item, images...)
		var miss *model.MissError
		if !errors.As(err, &miss) || !slices.Equal(miss.Changed, tc.want) || miss.Task != "test.colour" || miss.Item != tc.item || miss.Step != "asks" {
			t.Errorf("%s: %v, want a miss that names %v", tc.name, err, tc.want)
		}
	}
	if n := server.Counts().Requests; n != asked {
		t.Errorf("offline, %d requests were sent", n-asked)
	}
}

func TestNothingSecretIsStored(t *testing.T) {
	const key = "sk-very-secret-0123456789"
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		return testkit.ReplyJSON(colour{"your key is " + a.Key})
	})
	dir := t.TempDir()
	b := liveBenchWith(t, server, "    key_env: TEST_KEY\n", client.Options{
		Ledger: openLedger(t, dir), Getenv: func(string) string { return key },
	})
	out, err := b.colour("gold")
	if err != nil || strings.Contains(out.Value.Colour, key) {
		t.Errorf("%+v, %v", out, err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	// Bodies are compressed, so look at the export too.
	var text bytes.Buffer
	if _, _, err := openLedger(t, dir).Export(t.Context(), &text, everything); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(data)
	}
	if bytes.Contains(text.Bytes(), []byte(key)) {
		t.Error("the key is in the ledger")
	}
	if !bytes.Contains(text.Bytes(), []byte("your key is ***")) {
		t.Error("the answer is not in the ledger")
	}
}

func TestOneQuestionAtOnceIsPaidOnce(t *testing.T) {
	gate := make(chan struct{})
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		<-gate
		return answerColour(a)
	})
	b := liveBench(t, server, "")
	var wg sync.WaitGroup
	for range 8 {
		other := newBench(t, b.roles, b.live)
		wg.Go(func() {
			if _, err := other.colour("snow"); err != nil {
				t.Error(err)
			}
		})
	}
	close(gate)
	wg.Wait()
	if n := server.Counts().Answered; n != 1 {
		t.Errorf("%d paid answers, want 1", n)
	}
}

func TestStoppingEndsTheWaiting(t *testing.T) {
	server := testkit.NewModelServer(t, answerColour)
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultStatus, Status: 503})
	b := liveBench(t, server, "")
	ctx, cancel := context.WithCancel(t.Context())
	task := colourTask(t)
	done := make(chan error, 1)
	go func() {
		done <- b.in(ctx, "ash", func(ctx context.Context, s *pipeline.Scope) error {
			_, err := task.Ask(ctx, s, "captioner", thing{"ash"}, 0)
			return err
		})
	}()
	server.WaitForRequests(t, 1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want a cancellation", err)
	}
}
