package format

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// People answer so many questions of each of the 12 cells (C.2; B.3 gives no number).
const shownPerCell, peopleSampleSize = 3, 36

// sheetRound is a round on a sheet for people.
type sheetRound struct {
	Date      string   `json:"date"`
	User      string   `json:"user"`
	Assistant string   `json:"assistant"`
	Pictures  []string `json:"pictures"` // files within the release
}

// sheetQuestion is a question with its clues on a sheet for people, without gold and
// labels (B.3).
type sheetQuestion struct {
	Item             string            `json:"item"`
	Sample           string            `json:"draw"`
	Question         string            `json:"question"`
	Options          map[string]string `json:"options"`
	Clues            []sheetRound      `json:"clues"` // in order of time
	QuestionPictures []string          `json:"question_pictures,omitempty"`
	Note             string            `json:"told,omitempty"`
}

// latestHoldsNote goes with questions about changes (B.3).
const latestHoldsNote = "The clues are in order of time. Answer by what holds at the end, unless the question asks about the change."

// humanSheet lists sampled questions with the rounds of their evidence.
func (s *study) humanSheet() (out []any, err error) {
	drawn := s.sampleCells(tableHuman, peopleSampleSize, shownPerCell)
	for _, t := range s.tasks {
		files := map[string]string{}
		for _, m := range t.media {
			files["../"+m.Path] = s.Contents.Files[m.MediaID]
		}
		for _, q := range t.questions {
			if slices.Contains(drawn, q.QuestionID) {
				out = append(out, t.sheetRow(q, files))
			}
		}
	}
	return out, nil
}

func (t layoutTask) sheetRow(q layoutQuestion, files map[string]string) sheetQuestion {
	stem, _ := q.Stem()
	row := sheetQuestion{Item: q.QuestionID, Sample: tableHuman, Question: stem, Options: map[string]string{}}
	for _, o := range q.Options {
		row.Options[o.Key] = o.Text
	}
	for _, ses := range t.sessions {
		for _, r := range ses.Rounds {
			if !slices.Contains(q.clues, r.ID) {
				continue
			}
			h := sheetRound{Date: ses.Date, User: *r.User, Assistant: *r.Assistant, Pictures: []string{}}
			for _, p := range r.Images {
				h.Pictures = append(h.Pictures, files[p])
			}
			row.Clues = append(row.Clues, h)
		}
	}
	for _, p := range q.images {
		row.QuestionPictures = append(row.QuestionPictures, files[p])
	}
	if q.Labels[schemas.LabelReasoning] == schemas.ReasonEvolving {
		row.Note = latestHoldsNote
	}
	return row
}

// humanTable shows how often people with the clues are right (table 9). Their answers
// are reviews of the sample human-oracle, with the letter as label.
func (s *study) humanTable() ([]tables.Table, error) {
	said := map[string]map[string]string{}
	for _, r := range s.Reviews {
		if r.Sample != tableHuman || r.Label == "" {
			continue
		}
		if said[r.Item] == nil {
			said[r.Item] = map[string]string{}
		}
		said[r.Item][r.Annotator] = r.Label
	}
	if len(said) == 0 {
		return nil, missingInput(tableHuman, "reviews of the draw human-oracle, whose label is the letter chosen (--reviews); --sheet human-oracle lists the questions")
	}
	value := func(of func(answers map[string]string, key string) float64) func(int) float64 {
		return func(i int) float64 {
			q := s.subjects[i]
			if said[q.id] == nil {
				return math.NaN()
			}
			return of(said[q.id], q.question.AnswerKey)
		}
	}
	t := tables.Table{Name: tableHuman, Title: "people who are given the clues, B.3", Columns: []string{"majority", "individual"}}
	t.Lines = s.tableLines("", slices.Concat(byY(), withCellMean("all", allSubjects)), column{"majority", value(func(answers map[string]string, key string) float64 {
		return benchformat.BoolScore(shareRight(answers, key) > 0.5)
	})}, column{"individual", value(shareRight)})
	return []tables.Table{t}, nil
}

// shareRight returns the share of right answers.
func shareRight(answers map[string]string, key string) float64 {
	right := 0
	for _, a := range answers {
		if strings.EqualFold(a, key) {
			right++
		}
	}
	return float64(right) / float64(len(answers))
}

// prediction is an answer of a run on a sheet for people, without its method and the
// judge's score (C.2).
type prediction struct {
	Item     string `json:"item"`
	Sample   string `json:"draw"`
	Question string `json:"question"`
	Gold     string `json:"gold"`
	Answer   string `json:"prediction"`
	subject  int
	run      methodRun
}

// predictions returns the answers that people judge, in an order without information:
// for three questions of each cell, the answer of every run that sees pictures. Two
// runs over a full grid give 72.
func (s *study) predictions() (out []prediction) {
	drawn := s.sampleCells(tableJudge, peopleSampleSize, shownPerCell)
	for i, q := range s.subjects {
		if !slices.Contains(drawn, q.id) {
			continue
		}
		for _, m := range s.methodsWith(isMethod, setVisual) {
			r, _ := s.findRun(m, setVisual)
			if answer, ok := r.answers[q.id+"#"+formOpen]; ok {
				id := fmt.Sprintf("pair-%016x", words.Mix(words.Hash(fmt.Sprintf("%d %s %s", s.Seed, q.id, m))))
				out = append(out, prediction{id, tableJudge, q.question.Question, q.gold, answer, i, r})
			}
		}
	}
	slices.SortFunc(out, func(a, b prediction) int { return strings.Compare(a.Item, b.Item) })
	return out
}

func (s *study) judgeSheet() (out []any, err error) {
	for _, p := range s.predictions() {
		out = append(out, p)
	}
	if len(out) == 0 {
		return nil, missingInput(tableJudge, "open answers of runs METHOD.visual")
	}
	return out, nil
}

// judgeTable shows how far people accept the predictions that the judge accepts (C.2).
// Their decisions are reviews of the sample judge; a relabel counts as borderline and
// is ignored.
func (s *study) judgeTable() ([]tables.Table, error) {
	all := s.predictions()
	byMethod := map[string][]agreement.ItemLabels{}
	clusters := map[string]string{}
	for _, p := range all {
		score := p.run.marks[p.subject].metric("judge")
		by := map[string]string{}
		for _, r := range s.Reviews {
			if r.Sample == tableJudge && r.Item == p.Item && r.Decision != schemas.DecisionRelabel {
				by["person "+r.Annotator] = r.Decision
			}
		}
		if len(by) == 0 || math.IsNaN(score) {
			continue
		}
		by["judge"] = schemas.DecisionReject
		if score >= acceptScore {
			by["judge"] = schemas.DecisionAccept
		}
		clusters[p.Item] = s.subjects[p.subject].question.Fact()
		for _, m := range []string{"all", p.run.method} {
			byMethod[m] = append(byMethod[m], agreement.ItemLabels{Item: p.Item, ByRater: by})
		}
	}
	if len(byMethod) == 0 {
		return nil, missingInput(tableJudge, "runs METHOD.visual with open answers and judge's scores, and reviews of the draw judge (--reviews); --sheet judge lists the predictions")
	}
	return s.judgeAgreement(len(all), byMethod, clusters)
}

func (s *study) judgeAgreement(drawn int, byMethod map[string][]agreement.ItemLabels, clusters map[string]string) ([]tables.Table, error) {
	head := tables.Table{Name: tableJudge, Title: "people and the judge, who accepts from 0.5, C.2", Columns: []string{"drawn", "decided", "observed", "kappa"}}
	var confusions []tables.Table
	for _, m := range append([]string{"all"}, s.methodsWith(func(m string) bool { return isMethod(m) && byMethod[m] != nil }, setVisual)...) {
		among, err := agreement.MeasureAgreement(byMethod[m], clusters, bootstrapSeed, tableJudge+m)
		if err != nil {
			return nil, fmt.Errorf("agreement with the judge: %w", err)
		}
		for _, p := range among.Pairs {
			l := pairLine(m, "decided", p)
			if m == "all" {
				l.Figures["drawn"] = tables.Count(drawn)
				confusions = append(confusions, confusionTable(tableJudge, "decisions", p))
			}
			head.Lines = append(head.Lines, l)
		}
	}
	return append([]tables.Table{head}, confusions...), nil
}
