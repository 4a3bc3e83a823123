package assemble

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/ledger/ledgerurl"
)

// fullDisk takes no byte.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// TestAnswersOfARecipe are those of its steps to their tasks by their models; what cannot be written is an error.
func TestAnswersOfARecipe(t *testing.T) {
	cfg := &config.Config{Dir: t.TempDir(), Run: config.DefaultRun()}
	book, err := ledgerurl.Open(t.Context(), cfg.LedgerDir())
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range []ledger.Entry{
		{Step: "ask", Request: pipeline.Request{Task: "t", Host: "h", Model: "m"}}, {Step: "other", Request: pipeline.Request{Task: "t", Host: "h", Model: "m"}}, {Step: "ask", Request: pipeline.Request{Task: "u", Host: "h", Model: "m"}},
		{Step: "ask", Request: pipeline.Request{Task: "t", Host: "g", Model: "m"}}, {Step: "ask", Request: pipeline.Request{Task: "t", Host: "h", Model: "n"}},
	} {
		e.Item, e.Reply = fmt.Sprint("item ", i), pipeline.Reply{Text: "<yes>", Outcome: "ok"}
		e.Request.Messages = pipeline.ChatMessages("", fmt.Sprint("question ", i), nil)
		e.Key = ledger.Key(e.Request)
		if _, err := book.Record(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if err := book.Close(); err != nil {
		t.Fatal(err)
	}
	steps := []engine.Step{{Name: "ask", Spec: pipeline.Spec{Asks: []pipeline.Ask{{Role: "author", Task: "t"}, {Role: "built in", Task: "u"}}}, Identity: pipeline.Identity{Models: map[string]pipeline.ModelIdentity{"author": {Host: "h", Model: "m"}}}}}
	var out bytes.Buffer
	if err := writeAnswers(t.Context(), cfg, steps, &out); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 1 || !strings.Contains(out.String(), `"item":"item 0"`) || !strings.Contains(out.String(), "<yes>") {
		t.Errorf("%s", out.String())
	}
	if err := writeAnswers(t.Context(), cfg, steps, fullDisk{}); err == nil {
		t.Error("answers that were not written are taken for written")
	}
	if err := writeAnswers(t.Context(), &config.Config{Dir: "/dev/null", Run: config.DefaultRun()}, steps, &out); err == nil {
		t.Error("a ledger that cannot be opened has answers")
	}
}
