package reviewing

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/web"
	"github.com/memforge/memforge/pipeline/web/rounds"
	"github.com/memforge/memforge/schemas"
)

// roundPage shows how the round stands.
type roundPage struct {
	Head     web.Head
	Figures  rounds.Figures
	Draw     string
	Items    int
	Accuracy []figure
	Alpha    figure
	Median   string
	Long     string
	People   []personRow
	Disputes []disputeRow
	Proposed []disputeRow
	Files    rounds.Exported
}

// figure is a number with what it says.
type figure struct{ Value, Says string }

type personRow struct {
	Name, Reviewer, Decided, Right, Median, Kappa string
	Accept, Revise, Reject, Relabel, Stale        int
}

type disputeRow struct{ ID, Question, Said string }

func (p *Pages) figures(w http.ResponseWriter, r *http.Request, person string) error {
	f, err := p.round.Figures()
	if err != nil {
		return err
	}
	if wantsJSON(r) {
		web.WriteJSON(w, http.StatusOK, f)
		return nil
	}
	page := roundPage{Head: p.head(person, "Round "+p.round.Name, "main", "figures"), Figures: f, Draw: p.round.Name, Items: p.round.Len(), Median: seconds(f.MedianMS), Long: fmt.Sprintf("%.0f %%", 100*f.Long), Files: p.round.Files()}
	for _, a := range f.Accuracy {
		page.Accuracy = append(page.Accuracy, figure{fmt.Sprintf("%.1f %%", 100*a.Value), fmt.Sprintf("right when blind: %s, %d of %d answers %s", a.Reviewer, a.Right, a.Judged, a.Span())})
	}
	page.Alpha = alphaFigure(f.Agreement)
	for _, one := range f.People {
		page.People = append(page.People, personRow{
			Name: one.Name, Reviewer: one.Reviewer, Decided: fmt.Sprintf("%d of %d", one.Decided, one.Of), Right: fmt.Sprintf("%d of %d", one.Right, one.Judged),
			Median: seconds(one.MedianMS), Kappa: kappas(f.Agreement, one.Name, one.Reviewer), Stale: one.Stale,
			Accept: one.Decisions[schemas.DecisionAccept], Revise: one.Decisions[rounds.DecisionRevise], Reject: one.Decisions[schemas.DecisionReject], Relabel: one.Decisions[schemas.DecisionRelabel],
		})
	}
	page.Disputes, page.Proposed = p.rows(f.Disputed), p.rows(f.Proposed)
	p.render.Write(w, http.StatusOK, "round", page)
	return nil
}

func seconds(ms int64) string { return fmt.Sprintf("%.0f s", float64(ms)/1000) }

func alphaFigure(a agreement.Raters) figure {
	switch {
	case a.Alpha != nil:
		return figure{fmt.Sprintf("%.2f", a.Alpha.Value), fmt.Sprintf("alpha, decisions about %d items [%.2f, %.2f]", a.Alpha.Units, a.Alpha.Low, a.Alpha.High)}
	case len(a.Pairs) == 1 && a.Pairs[0].Kappa != nil:
		k := a.Pairs[0].Kappa
		return figure{fmt.Sprintf("%.2f", k.Value), fmt.Sprintf("kappa, decisions about %d items [%.2f, %.2f]", a.Pairs[0].Calls, k.Low, k.High)}
	}
	return figure{"–", "agreement: too few decided about the same items, or all alike"}
}

// kappas says how far a person agrees with each other.
func kappas(a agreement.Raters, name, reviewer string) string {
	own := name
	if reviewer != "human" {
		own = schemas.ModelReviewer + name
	}
	var out []string
	for _, pair := range a.Pairs {
		other := pair.B
		switch own {
		case pair.A:
		case pair.B:
			other = pair.A
		default:
			continue
		}
		value := "undefined"
		if pair.Kappa != nil {
			value = fmt.Sprintf("%.2f", pair.Kappa.Value)
		}
		out = append(out, other+" "+value)
	}
	return strings.Join(out, ", ")
}

// rows list items with what was said of them.
func (p *Pages) rows(ids []string) (out []disputeRow) {
	for _, id := range ids {
		it, _ := p.round.Item(id)
		var words []string
		for _, s := range p.saidOf(id) {
			words = append(words, s.Text)
		}
		out = append(out, disputeRow{id, it.Question.Question, strings.Join(words, " · ")})
	}
	return out
}

// said is one decision, without a name. Take names it in the form of the keeper.
type said struct {
	Take, Text, Note string
	Times            int
	Changes          []schemas.ProposedChange
	entry            rounds.Entry
}

// saidOf returns what was decided about an item, each once, without names and in an order
// that tells none.
func (p *Pages) saidOf(id string) (out []said) {
	for _, e := range p.round.Said(id) {
		one := said{Text: e.Decision, Note: e.Note, Changes: e.Changes, Times: 1, entry: e}
		if e.Label != "" {
			one.Text += " " + e.Label
		}
		same := func(o said) bool {
			return o.Text == one.Text && o.Note == one.Note && slices.Equal(o.Changes, one.Changes)
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].Times++
			continue
		}
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b said) int {
		return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.Note, b.Note), cmp.Compare(fmt.Sprint(a.Changes), fmt.Sprint(b.Changes)))
	})
	for i, o := range out {
		out[i].Take = string(pipeline.DigestOf(fmt.Appendf(nil, "%q %q %q", o.Text, o.Note, o.Changes)))[:16]
	}
	return out
}

// dispute shows the keeper an item with what was decided about it.
func (p *Pages) dispute(w http.ResponseWriter, r *http.Request, person string) error {
	it, ok := p.round.Item(cmp.Or(r.PathValue("id"), r.URL.Query().Get("id")))
	if !ok {
		return &pageError{http.StatusNotFound, "The round has no such item."}
	}
	return p.writeDispute(w, r, person, it, http.StatusOK, "")
}

func (p *Pages) writeDispute(w http.ResponseWriter, r *http.Request, person string, it *rounds.Item, code int, refused string) error {
	page, err := p.compare(r, person, it, nil)
	if err != nil {
		return err
	}
	page.Head = p.head(person, "Settle "+it.QuestionID, "q", "question")
	page.Head.Keys = keysOf(settleKeys, false, len(page.Evidence.Films) > 0)
	page.Head.Back, page.Head.BackWord = "/review/round", "Round"
	page.Said, page.Error = p.saidOf(it.QuestionID), refused
	p.render.Write(w, code, "settle", page)
	return nil
}

// settle keeps the keeper's decision: what one of the annotators said, or accept or reject.
func (p *Pages) settle(w http.ResponseWriter, r *http.Request, person string) error {
	it, e, err := p.entry(r, person, rounds.KindDecided)
	if err != nil {
		return err
	}
	e.Note = strings.TrimSpace(r.PostForm.Get("note"))
	switch take := r.PostForm.Get("take"); take {
	case schemas.DecisionAccept, schemas.DecisionReject:
		e.Decision = take
	default:
		all := p.saidOf(it.QuestionID)
		i := slices.IndexFunc(all, func(s said) bool { return s.Take == take })
		if i < 0 {
			return p.writeDispute(w, r, person, it, http.StatusUnprocessableEntity, "Choose what stands.")
		}
		e.Decision, e.Label, e.Changes = all[i].entry.Decision, all[i].entry.Label, all[i].entry.Changes
		e.Note = cmp.Or(e.Note, all[i].Note)
	}
	if _, err := p.round.Act(person, e); err != nil {
		if reason := refusal(err); reason != "" {
			return p.writeDispute(w, r, person, it, http.StatusUnprocessableEntity, reason)
		}
		return err
	}
	return p.goTo(w, r, "/review/round")
}

// export sends the files of the round as they stand.
func (p *Pages) export(w http.ResponseWriter, r *http.Request, _ string) error {
	name := r.PathValue("name")
	w.Header().Set("Content-Type", "application/jsonl")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", p.round.Name+"-"+name))
	switch name {
	case "decisions.jsonl":
		return rounds.WriteLines(w, p.round.Decisions())
	case "proposals.jsonl":
		return rounds.WriteLines(w, p.round.Proposals())
	case "answers.jsonl":
		return rounds.WriteLines(w, p.round.Records())
	}
	w.Header().Del("Content-Disposition")
	return &pageError{http.StatusNotFound, "There is no such export."}
}
