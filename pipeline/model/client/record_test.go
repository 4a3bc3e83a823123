package client_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/testkit"
)

// rival is a ledger in which somebody else records an answer just before.
type rival struct{ *ledger.Ledger }

func (r rival) Record(ctx context.Context, entries ...ledger.Entry) ([]pipeline.Reply, error) {
	for _, e := range entries {
		text, err := json.Marshal(colour{"colour of the rival"})
		if err != nil {
			return nil, err
		}
		e.Reply.Text = string(text)
		if _, err := r.Ledger.Record(ctx, e); err != nil {
			return nil, err
		}
	}
	return r.Ledger.Record(ctx, entries...)
}

// What is built rests on the answer that the ledger has, for a rebuild finds that one.
func TestTheRecordedAnswerCounts(t *testing.T) {
	server := testkit.NewModelServer(t, answerColour)
	b := liveBenchWith(t, server, "", client.Options{Ledger: rival{openLedger(t, t.TempDir())}})
	a, err := b.colour("sky")
	if err != nil || a.Value.Colour != "colour of the rival" {
		t.Errorf("%+v, %v", a.Value, err)
	}
	if n := server.Counts().Requests; n != 1 {
		t.Errorf("%d requests, want one", n)
	}
}
