package ledger

import (
	"bytes"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
)

// TestCorrectionsTravel: a ledger that takes another one's calls in takes its
// corrections too, and brings back no answer that was taken back.
func TestCorrectionsTravel(t *testing.T) { EachKind(t, testCorrectionsTravel) }

func testCorrectionsTravel(t *testing.T, fresh func() string) {
	here, there := openAt(t, fresh()), openAt(t, fresh())
	r := pipeline.Request{Host: "h", Model: "m", Task: "t", Text: "x"}
	e := Entry{Key: Key(r), Step: "n", Item: "i", Request: r, Reply: pipeline.Reply{Outcome: model.OK, Text: "first"}}
	if _, err := here.Record(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	said := func(l *Ledger, want string) {
		t.Helper()
		if got, ok, err := l.Find(t.Context(), e.Key); got.Text != want || ok != (want != "") || err != nil {
			t.Errorf("answer %q, %t, %v; want %q", got.Text, ok, err, want)
		}
	}
	send := func(from, to *Ledger, want Imported) {
		t.Helper()
		var file bytes.Buffer
		if _, _, err := from.Export(t.Context(), &file, Filter{}); err != nil {
			t.Fatal(err)
		}
		if got, err := to.Import(t.Context(), &file); got != want || err != nil {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	send(here, there, Imported{Added: 1})
	e.Reply.Text = "better"
	if err := here.Replace(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	said(here, "better")
	send(there, here, Imported{Known: 1})
	said(here, "better")
	send(here, there, Imported{Corrected: 1})
	said(there, "better")
	send(here, there, Imported{Known: 1})
	if unknown, err := there.Forget(t.Context(), e.Key, keyOf(9)); len(unknown) != 1 || err != nil {
		t.Errorf("unknown %v, %v", unknown, err)
	}
	said(there, "better") // all or none
	if unknown, err := there.Forget(t.Context(), e.Key); unknown != nil || err != nil {
		t.Errorf("unknown %v, %v", unknown, err)
	}
	said(there, "")
	send(here, there, Imported{Known: 1})
	said(there, "")
	all, err := there.Corrections(t.Context())
	if err != nil || len(all) != 1 || all[0] != (Correction{Key: e.Key, Host: "h", Model: "m", Task: "t", Times: 2}) {
		t.Errorf("%+v, %v", all, err)
	}
}
