package crosssource_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/stages/crosssource"
	"github.com/memforge/memforge/stages/crosssource/placement"
)

// Where a process of TestAKilledChatPaysForNothingTwice finds the server and its ledger.
const killedServer, killedLedger = "MEMFORGE_TEST_KILLED_SERVER", "MEMFORGE_TEST_KILLED_LEDGER"

// chatted writes the first chat of a family with the answers of a server and a ledger.
func chatted(t *testing.T, server *testkit.ModelServer, dir string, turns int) []pipeline.Record {
	t.Helper()
	channels, _ := planned(t, turns)
	book, err := ledger.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	roles, models := server.LiveWith(t, client.Options{Ledger: book}, "", "author")
	in := []pipeline.Record{chatChannels(t, channels)[0]}
	out, _, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.converse", Inputs: in, Roles: roles, Models: models}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAKilledChatPaysForNothingTwice: a process that writes a chat of 400 turns (of 70
// where tests are to be quick) is killed three times. The next goes on where it was, pays
// again for the one answer at most that was on its way, and the chat is the same.
func TestAKilledChatPaysForNothingTwice(t *testing.T) {
	turns := testsize.Choose(70, 400)
	if url := os.Getenv(killedServer); url != "" {
		chatted(t, &testkit.ModelServer{URL: url}, os.Getenv(killedLedger), turns)
		return
	}
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply { return testkit.ReplyJSON(speaker(a)) })
	calm := chatted(t, server, t.TempDir(), turns)
	want := server.Counts().Answered
	server.ResetCounts()
	dir := t.TempDir()
	moments := []int{turns / 7, turns / 2, turns * 4 / 5}
	for _, after := range moments {
		killWriter(t, server, dir, after)
	}
	rough := chatted(t, server, dir, turns)
	got := server.Counts()
	if want < turns || got.Answered-got.Repeated != want || got.Repeated > len(moments) {
		t.Errorf("%d answers, %d of them to requests that had one, where %d are needed", got.Answered, got.Repeated, want)
	}
	if string(calm[0].Data) != string(rough[0].Data) {
		t.Error("the chat is another")
	}
	if c := testkit.DecodeAll[placement.Channel](t, "crosssource.channel", rough)[0]; len(c.Own) != turns {
		t.Errorf("%d turns, want %d", len(c.Own), turns)
	}
}

// killWriter starts a process that writes the chat, and kills it when the server has
// given so many answers in all.
func killWriter(t *testing.T, server *testkit.ModelServer, dir string, answers int) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestAKilledChatPaysForNothingTwice$")
	child.Env = append(os.Environ(), killedServer+"="+server.URL, killedLedger+"="+dir)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	server.WaitForAnswers(t, answers)
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err == nil || server.Counts().Answered < answers {
		t.Fatalf("the child ended (%v) after %d answers, and was to be killed after %d", err, server.Counts().Answered, answers)
	}
}
