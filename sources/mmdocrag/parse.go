package mmdocrag

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
	"github.com/memforge/memforge/sources/internal/evidence"
)

// codeTrain marks lines of the file for training, which has another form.
const codeTrain = "training-record"

// quote is a region of a page.
type quote struct {
	id, text, image, caption string
	// page is upstream's number; from where it counts was never stated.
	page, layout int
	gold         bool
	media        string
}

// question is a line with its quotes in the order of the document.
type question struct {
	id, doc, text string
	kind, answer  string
	explanation   string
	labels        map[string]string
	quotes        []quote
	notes         []schemas.Note
}

func (q question) gold() (n int) {
	for _, o := range q.quotes {
		if o.gold {
			n++
		}
	}
	return n
}

// parse reads a line.
func parse(o annotation.Object) (question, *pipeline.Rejection) {
	q := question{labels: map[string]string{}}
	if _, train := o["messages"]; train {
		return q, pipeline.Reject(codeTrain, "it is a conversation of the file for training; name files of questions under files")
	}
	var domain string
	err := o.Fill(annotation.Field{Key: "q_id", Into: &q.id}, annotation.Field{Key: "doc_name", Into: &q.doc}, annotation.Field{Key: "domain", Into: &domain},
		annotation.Field{Key: "question", Into: &q.text}, annotation.Field{Key: "question_type", Into: &q.kind}, annotation.Field{Key: "answer_interleaved", Into: &q.explanation})
	modalities, _, err1 := o.LooseList("evidence_modality_type")
	answer, raw, err2 := o.LooseList("answer_short")
	golden, _, err3 := o.LooseList("gold_quotes")
	if err := errors.Join(err, err1, err2, err3); err != nil {
		return q, pipeline.Reject(benchmark.CodeBadRow, "%v", err)
	}
	if q.id == "" || q.doc == "" {
		return q, pipeline.Reject(benchmark.CodeBadRow, "it lacks q_id or doc_name")
	}
	q.answer = strings.Join(answer, ", ")
	q.labels["domain"], q.labels["document"] = domain, q.doc
	q.labels["evidence_modality"] = strings.Join(slices.Compact(slices.Sorted(slices.Values(modalities))), "+")
	if raw != q.answer {
		q.labels["answer_raw"] = raw
	}
	return q, q.addQuotes(o, golden)
}

// addQuotes takes the quotes, and of these the gold.
func (q *question) addQuotes(o annotation.Object, golden []string) *pipeline.Rejection {
	for _, key := range []string{"text_quotes", "img_quotes"} {
		list, err := o.Objects(key)
		if err != nil {
			return pipeline.Reject(benchmark.CodeBadRow, "%v", err)
		}
		for _, item := range list {
			one, err := parseQuote(item)
			if err != nil {
				return pipeline.Reject(benchmark.CodeBadRow, "%s: %v", key, err)
			}
			one.gold = slices.Contains(golden, one.id)
			switch {
			case slices.ContainsFunc(q.quotes, func(o quote) bool { return o.id == one.id }):
				return pipeline.Reject(evidence.CodeCopy, "two quotes are called %s", annotation.Truncate(one.id))
			case one.page < 0 && one.gold:
				return pipeline.Reject(evidence.CodePage, "gold quote %s names no page of its document", annotation.Truncate(one.id))
			case one.page < 0:
				q.notes = append(q.notes, schemas.Note{Code: evidence.NoteLeftOut, Text: "quote " + annotation.Truncate(one.id) + ", which is not gold, names no page"})
				continue
			}
			q.quotes = append(q.quotes, one)
		}
	}
	for _, id := range golden {
		if !slices.ContainsFunc(q.quotes, func(o quote) bool { return o.id == id }) {
			return pipeline.Reject(schemas.CodeDanglingUnit, "gold quote %s is none of the %d quotes", annotation.Truncate(id), len(q.quotes))
		}
	}
	slices.SortStableFunc(q.quotes, func(a, b quote) int { return cmp.Or(a.page-b.page, a.layout-b.layout, strings.Compare(a.id, b.id)) })
	return nil
}

func parseQuote(o annotation.Object) (quote, error) {
	var q quote
	var kind, page, layout string
	err := o.Fill(annotation.Field{Key: "quote_id", Into: &q.id}, annotation.Field{Key: "type", Into: &kind}, annotation.Field{Key: "text", Into: &q.text},
		annotation.Field{Key: "img_path", Into: &q.image}, annotation.Field{Key: "img_description", Into: &q.caption},
		annotation.Field{Key: "page_id", Into: &page}, annotation.Field{Key: "layout_id", Into: &layout})
	switch {
	case err != nil:
		return q, err
	case q.id == "":
		return q, errors.New("a quote has no quote_id")
	case q.text == "" && q.image == "":
		return q, errors.New("quote " + annotation.Truncate(q.id) + " has neither text nor img_path")
	}
	if q.page, err = strconv.Atoi(page); err != nil || q.page < 0 {
		q.page = -1
	}
	q.layout, _ = strconv.Atoi(layout) // it only orders what is on a page
	return q, nil
}

// item makes a unit of the quotes of each page.
func (q question) item() schemas.EvidenceItem {
	item := schemas.EvidenceItem{
		UpstreamID: q.id, Task: schemas.TaskSingleHop, Notes: q.notes,
		Question: schemas.Question{Question: q.text, AnswerText: q.answer, Explanation: q.explanation, Labels: q.labels, Type: strings.ReplaceAll(strings.ToLower(q.kind), " ", "_")},
	}
	for i, o := range q.quotes {
		if i == 0 || q.quotes[i-1].page != o.page {
			page := strconv.Itoa(o.page)
			item.Units = append(item.Units, schemas.EvidenceUnit{
				UpstreamID: q.doc + "#" + page, Modality: schemas.ModalityDocument, Title: q.doc, Role: schemas.RoleDistractor, Labels: map[string]string{"page_id": page},
			})
		}
		u := &item.Units[len(item.Units)-1]
		part := schemas.UnitPart{UpstreamID: o.id, Text: o.text, Media: o.media, Caption: o.caption, Gold: o.gold}
		if o.media != "" {
			part.Text = ""
		}
		u.Parts = append(u.Parts, part)
		if o.gold {
			u.Role = schemas.RoleClue
		}
	}
	return item
}
