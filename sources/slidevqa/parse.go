package slidevqa

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
	"github.com/memforge/memforge/sources/internal/evidence"
)

// slideQuestion is a question without its words.
type slideQuestion struct {
	id, deck string
	// pages count from 1; images are their addresses.
	pages  []int
	images []string
	kind   string
	labels map[string]string
}

// none are how upstream writes that there is no expression.
var none = [...]string{"", "none", "null", "nan"}

// parse reads a line. Page n is the n-th of image_urls.
func parse(o annotation.Object) (slideQuestion, *pipeline.Rejection) {
	var q slideQuestion
	var question, answer, sum, answerType string
	err := o.Fill(annotation.Field{Key: "qa_id", Into: &q.id}, annotation.Field{Key: "deck_name", Into: &q.deck}, annotation.Field{Key: "question", Into: &question},
		annotation.Field{Key: "answer", Into: &answer}, annotation.Field{Key: "reasoning_type", Into: &q.kind}, annotation.Field{Key: "answer_type", Into: &answerType},
		annotation.Field{Key: "arithmetic_expression", Into: &sum})
	images, err1 := o.Texts("image_urls")
	pages, _, err2 := o.LooseList("evidence_pages")
	if err := errors.Join(err, err1, err2); err != nil {
		return q, pipeline.Reject(benchmark.CodeBadRow, "%v", err)
	}
	if q.id == "" || q.deck == "" || question == "" || answer == "" {
		return q, pipeline.Reject(benchmark.CodeBadRow, "it lacks qa_id, deck_name, question or answer")
	}
	for _, p := range pages {
		n, err := strconv.Atoi(p)
		if err != nil || n < 1 || n > len(images) || images[n-1] == "" {
			return q, pipeline.Reject(evidence.CodePage, "evidence page %s of question %s: the deck has the pages 1 to %d", annotation.Truncate(p), annotation.Truncate(q.id), len(images))
		}
		if !slices.Contains(q.pages, n) {
			q.pages, q.images = append(q.pages, n), append(q.images, images[n-1])
		}
	}
	q.labels = map[string]string{
		"deck": q.deck, "answer_type": strings.ToLower(answerType), "arithmetic": strconv.FormatBool(!slices.Contains(none[:], strings.ToLower(sum))),
		"question_sha256": string(pipeline.DigestOf([]byte(question))), "answer_sha256": string(pipeline.DigestOf([]byte(answer))),
	}
	return q, nil
}

// stems are what the files of its pages are found by: the deck's name and the last part
// of the address.
func (q slideQuestion) stems() []string {
	out := make([]string, len(q.images))
	for i, address := range q.images {
		name, _, _ := strings.Cut(path.Base(address), "?")
		out[i] = path.Join(q.deck, strings.TrimSuffix(name, path.Ext(name)))
	}
	return out
}

func (q slideQuestion) item() schemas.EvidenceItem {
	item := schemas.EvidenceItem{
		UpstreamID: q.id, Task: schemas.TaskSingleHop, ReferenceOnly: true,
		Question: schemas.Question{Type: strings.ToLower(q.kind), Labels: q.labels},
	}
	for i, address := range q.images {
		item.Units = append(item.Units, schemas.EvidenceUnit{
			UpstreamID: fmt.Sprintf("%s#%d", q.deck, q.pages[i]), Modality: schemas.ModalityImage, State: schemas.UnitReference,
			Ref: address, Role: schemas.RoleClue, Labels: map[string]string{"page": strconv.Itoa(q.pages[i])},
		})
	}
	return item
}
