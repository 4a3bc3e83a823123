package crosssource_test

import (
	"net/http"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/stages/crosssource"
	"github.com/memforge/memforge/stages/crosssource/placement"
)

// TestAStoppedChatPaysForNothingTwice: the server refuses the key in the middle of a
// chat of 400 turns (of 100 where tests are to be quick); with the same ledger the
// chat is written, and no request was answered twice.
func TestAStoppedChatPaysForNothingTwice(t *testing.T) {
	turns := testsize.Choose(100, 400)
	channels, _ := planned(t, turns)
	chat := chatChannels(t, channels)[0]
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply { return testkit.ReplyJSON(speaker(a)) })
	book, err := ledger.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	try := func() ([]pipeline.Record, error) {
		roles, models := server.LiveWith(t, client.Options{Ledger: book}, "", "author")
		out, _, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.converse", Inputs: []pipeline.Record{chat}, Roles: roles, Models: models}.Run(t)
		return out, err
	}
	for _, after := range []int{turns / 7, turns / 2} {
		server.AddFault(testkit.ModelFault{Kind: testkit.FaultStatus, Status: http.StatusUnauthorized, Body: `{"error":{"message":"no"}}`, After: after})
		if _, err := try(); err == nil {
			t.Fatal("the chat was written although the server stopped")
		}
		server.ClearFaults()
	}
	out, err := try()
	if err != nil {
		t.Fatal(err)
	}
	c := testkit.DecodeAll[placement.Channel](t, "crosssource.channel", out)[0]
	if len(c.Own) != turns || c.Base != turns {
		t.Errorf("%d turns, want %d", len(c.Own), turns)
	}
	if got := server.Counts(); got.Repeated != 0 || got.Answered < turns+1 {
		t.Errorf("%d answers, %d of them to requests that had one", got.Answered, got.Repeated)
	}
}

// TestFaultsChangeNoChat: with 30 % of the answers spoilt in every way that passes, the
// chats are the same.
func TestFaultsChangeNoChat(t *testing.T) {
	channels, _ := planned(t, 40)
	chat := chatChannels(t, channels)[:2]
	write := func(faults bool) []pipeline.Record {
		server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
			a.Body = []byte(a.User) // not the way in which it is asked
			return testkit.ReplyJSON(speaker(a))
		})
		if faults {
			for _, kind := range []testkit.FaultKind{testkit.FaultReset, testkit.FaultCut, testkit.FaultCutJSON, testkit.FaultHTML, testkit.FaultEmpty, testkit.FaultInside} {
				server.AddFault(testkit.ModelFault{Kind: kind, Share: 0.06, Each: 2})
			}
		}
		roles, models := server.Live(t, "author")
		out, lost, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.converse", Inputs: chat, Roles: roles, Models: models}.Run(t)
		if err != nil || len(lost) > 0 {
			t.Fatal(err, lost)
		}
		if n := server.Counts(); faults && n.Faulted*10 < n.Requests*2 {
			t.Errorf("%d of %d requests were spoilt", n.Faulted, n.Requests)
		}
		return out
	}
	clean, spoilt := write(false), write(true)
	for i := range clean {
		if string(clean[i].Data) != string(spoilt[i].Data) {
			t.Errorf("%s differs", clean[i].ID)
		}
	}
}

func TestConverseConforms(t *testing.T) {
	channels, _ := planned(t, 14)
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply { return testkit.ReplyJSON(speaker(a)) })
	roles, models := server.Live(t, "author")
	testkit.ConformStage(t, testkit.Subject{
		Register: crosssource.Register, Use: "crosssource.converse", Inputs: chatChannels(t, channels)[:2], Types: recordTypes(), Roles: roles, Models: models, Faults: 2,
		Unpinned: "the port of the server is in its keys",
	})
}
