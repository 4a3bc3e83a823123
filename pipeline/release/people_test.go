package release

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/schemas"
)

// reviewedSample is a sample with what two people decided about 12 questions: they
// differ about the last two. A third decided about one that is no longer there.
func reviewedSample(t testing.TB) (*memoryStore, Input) {
	t.Helper()
	store, in := sample(t, 12)
	table, _ := pipeline.NewRegistry().Table(schemas.NameReview)
	in.Tables = append(in.Tables, table)
	add := func(item, annotator, decision string) {
		r := schemas.Review{Item: item, Annotator: annotator, Sample: "<first>", Decision: decision}
		in.Records = append(in.Records, record(t, schemas.NameReview, item+"/"+annotator, r))
	}
	for i := range 12 {
		item := fmt.Sprintf("q-%04d", i)
		add(item, "ann", []string{schemas.DecisionAccept, schemas.DecisionReject}[i%2])
		add(item, "bea|", []string{schemas.DecisionAccept, schemas.DecisionReject}[(i+i/10)%2])
	}
	in.Rejections = append(in.Rejections, schemas.Rejection{ID: "dropped", Stage: "settle", Code: "reviewed-out", Reason: "1 of 1"})
	add("dropped", "cid", schemas.DecisionReject)
	return store, in
}

// TestPeopleStandInCardAndReport: by hand, 10 of 12 alike and both reject half: kappa
// is (10/12 - 1/2) / (1 - 1/2) = 0.67.
func TestPeopleStandInCardAndReport(t *testing.T) {
	t.Parallel()
	store, in := reviewedSample(t)
	all := files(t, write(t, store, t.TempDir(), in).Dir)
	card, report := all[describe.CardName], all[describe.ReportName]
	for _, want := range []string{"Draw &lt;first&gt;: ann, bea\\|, cid decided about 13 items.", "| &lt;first&gt; | ann, bea\\| | 12 | 83.3 % \\[", "| 0.67 \\["} {
		if !strings.Contains(string(card), want) {
			t.Errorf("the card lacks %q", want)
		}
	}
	text := html.UnescapeString(string(report))
	for _, want := range []string{"Draw <first>: ann, bea|, cid decided about 13 items.", "0.67 ["} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	plainStore, plainIn := sample(t, 12)
	if card := files(t, write(t, plainStore, t.TempDir(), plainIn).Dir)[describe.CardName]; strings.Contains(string(card), "people decided") {
		t.Error("a release without decisions speaks of them")
	}
}

// TestPeopleAreRestated: a figure about people that the table does not give is found.
func TestPeopleAreRestated(t *testing.T) {
	t.Parallel()
	store, in := reviewedSample(t)
	dir := write(t, store, t.TempDir(), in).Dir
	for _, forged := range []bool{false, true} {
		if forged {
			card := strings.Replace(string(files(t, dir)[describe.CardName]), "83.3 %", "93.3 %", 1)
			overwrite(t, dir, describe.CardName, []byte(card))
			reseal(t, dir, nil)
		}
		for _, r := range mustRestate(t, mustRead(t, dir)) {
			if r.Path != describe.CroissantName && (len(r.Differs) > 0) != (forged && r.Path == describe.CardName) { // which names the card's digest
				t.Errorf("forged %t: %+v", forged, r)
			}
		}
	}
}
