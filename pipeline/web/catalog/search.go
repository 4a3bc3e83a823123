package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Fields of facets. A question has a set of sources, modalities, outcomes of gates and decisions
// of reviewers; of the others it has one value.
const (
	FieldType     = "type"
	FieldFamily   = "family"
	FieldSplit    = "split"
	FieldDomain   = "domain"   // of the task
	FieldScenario = "scenario" // of the task
	FieldShows    = "shows"    // as Row.Shows
	FieldRoles    = "roles"    // as Row.Roles
	FieldOptions  = "options"  // how many
	FieldModality = "modality"
	FieldSource   = "source" // the id of a source of the evidence or its session
	FieldAnswer   = "answer_key"
	FieldOutcome  = "outcome"
	FieldReview   = "review"

	PrefixGate  = "gate."  // before the name of a gate: its outcome
	PrefixLabel = "label." // before the name of a label
)

// facetFields are in the order in which facets are listed; gates stand before the last.
var facetFields = []string{
	FieldType, FieldFamily, FieldSplit, FieldDomain, FieldScenario, FieldShows, FieldRoles, FieldOptions, FieldModality,
	FieldSource, FieldAnswer, FieldOutcome, FieldReview,
}

// isFacet reports whether a field is a facet of some release.
func isFacet(field string) bool {
	return slices.Contains(facetFields, field) || strings.HasPrefix(field, PrefixGate) || strings.HasPrefix(field, PrefixLabel)
}

// Fields of filters that are no facets.
const (
	FieldID      = "id"
	FieldFact    = "fact"    // an id of FactID
	FieldTask    = "task"    // the id of a task
	FieldSession = "session" // the id of a session of the evidence
	FieldMedia   = "media"   // a digest, of the question or its evidence
)

// Row is a question in a list. Texts are cut.
type Row struct {
	Number   int64
	ID       string
	Question string
	Type     string
	Family   string
	Split    string
	Options  int
	// Roles counts pieces of evidence by role, such as "1 clue, 2 distractors", Shows the media,
	// such as "video, 60 s".
	Roles, Shows string
	// Outcomes counts verdicts by outcome, Failed names the gates that failed it.
	Outcomes map[string]int
	Failed   []string
}

// Page is a page of questions in the order of their table: by split, then by id.
type Page struct {
	Rows []Row
	// Total counts all that the query finds, Facts the distinct facts among them, -1 where that
	// is not indexed. First is the place of the first row among them, from 1.
	Total, Facts, First int64
	// Next and Previous are the places of the following page and the one before, empty where
	// there is none.
	Next, Previous string
	// State is that of the index.
	State State
}

// Search returns a page of questions. Without an index a query with text or filters is an
// *IndexingError.
func (c *Catalog) Search(ctx context.Context, q Query) (Page, error) {
	x := c.ready()
	if x == nil {
		return c.pageInPlace(ctx, q)
	}
	from, err := parseAfter(q.After)
	if err != nil {
		return Page{}, err
	}
	found, err := x.find(ctx, q, c.rowsOf(ctx))
	if err != nil {
		return Page{}, err
	}
	numbers, page := found.page(from, int64(q.limit()))
	page.State = c.State()
	if len(numbers) == 0 {
		return page, nil
	}
	got, err := c.read(ctx, request{Table: pipeline.TableQuestions, Columns: []string{"question_id", "question"}, Numbers: slices.Clone(numbers), Cut: listBytes})
	if err != nil {
		return page, err
	}
	page.Rows = make([]Row, len(numbers))
	for i, cells := range got.cells {
		row := &page.Rows[slices.Index(numbers, got.numbers[i])]
		row.Number = got.numbers[i]
		row.ID, _ = cells[0].(string)
		row.Question, _ = cells[1].(string)
	}
	return page, x.fill(ctx, page.Rows)
}

// listBytes bounds a text of a list of questions.
const listBytes = 1 << 10

// ready returns the index, nil until it is there.
func (c *Catalog) ready() *index {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.index
}

// rowsOf finds the rows of ids.
func (c *Catalog) rowsOf(ctx context.Context) func([]string) ([]int64, error) {
	return func(ids []string) ([]int64, error) {
		got, err := c.read(ctx, request{Table: pipeline.TableQuestions, Column: "question_id", Values: ids, Count: true})
		return got.numbers, err
	}
}

// pageInPlace returns a page straight from the table.
func (c *Catalog) pageInPlace(ctx context.Context, q Query) (Page, error) {
	from, err := parseAfter(q.After)
	if err != nil {
		return Page{}, err
	}
	state := c.State()
	if q.Text != "" || len(q.Filters) > 0 {
		return Page{State: state}, &IndexingError{state}
	}
	limit := int64(q.limit())
	rows, next, err := c.listRows(ctx, request{From: from, Limit: limit})
	page := Page{Rows: rows, Total: state.Rows, Facts: -1, First: min(from+1, state.Rows), State: state}
	if next >= 0 {
		page.Next = fmt.Sprint(next - 1)
	}
	if from > 0 {
		page.Previous = fmt.Sprint(max(from-limit, 0) - 1)
	}
	return page, err
}

// listColumns are the columns of questions that a list needs.
var listColumns = []string{"question_id", "family", "question", "options", "type", "evidence", "media", "split"}

// What a list needs of other tables.
type (
	listMedium struct {
		MediaID  string  `json:"media_id"`
		Kind     string  `json:"kind"`
		Duration float64 `json:"duration"`
	}
	listVerdict struct {
		Item    string `json:"item"`
		Gate    string `json:"gate"`
		Outcome string `json:"outcome"`
	}
)

// listRows reads rows of questions for a list, with their verdicts.
func (c *Catalog) listRows(ctx context.Context, r request) (out []Row, next int64, err error) {
	r.Table, r.Columns, r.Cut = pipeline.TableQuestions, listColumns, listBytes
	own, _, err := columnsOf[schemas.Question](c.shapes[r.Table])
	if err != nil {
		return nil, -1, err
	}
	got, err := c.read(ctx, r)
	if err != nil {
		return nil, -1, err
	}
	var ids, media []string
	questions := make([]schemas.Question, len(got.cells))
	for i, cells := range got.cells {
		fill(own, listColumns, cells, &questions[i])
		ids = append(ids, questions[i].QuestionID)
		media = append(media, questions[i].Media...)
	}
	l := &loader{Catalog: c, ctx: ctx}
	shown := map[string]schemas.Media{}
	for _, m := range load[listMedium](l, pipeline.TableMedia, "media_id", media...) {
		shown[m.MediaID] = schemas.Media{Kind: m.Kind, Duration: m.Duration}
	}
	byItem := map[string][]listVerdict{}
	for _, v := range load[listVerdict](l, tableVerdicts, "item", ids...) {
		byItem[v.Item] = append(byItem[v.Item], v)
	}
	for i, q := range questions {
		row := Row{
			Number: got.numbers[i], ID: q.QuestionID, Question: q.Question, Type: q.Type, Family: q.Family, Split: q.Split,
			Options: len(q.Options), Roles: rolesOf(q.Evidence), Shows: showsOf(q.Media, shown), Outcomes: map[string]int{},
		}
		for _, v := range byItem[q.QuestionID] {
			row.Outcomes[v.Outcome]++
			if v.Outcome == schemas.Fail {
				row.Failed = append(row.Failed, v.Gate)
			}
		}
		out = append(out, row)
	}
	return out, got.next, l.broken
}

// evidenceRoles are the roles of evidence in the order in which a list names them.
var evidenceRoles = []struct{ role, one, many string }{
	{schemas.RoleClue, "clue", "clues"}, {schemas.RoleUpdate, "update", "updates"}, {schemas.RoleSuperseded, "superseded", "superseded"},
	{schemas.RoleAbsence, "absence", "absences"}, {schemas.RoleDistractor, "distractor", "distractors"}, {schemas.RoleContext, "context", "contexts"},
	{schemas.RoleAlternative, "alternative", "alternatives"},
}

func rolesOf(all []schemas.Evidence) string {
	count := map[string]int{}
	for _, e := range all {
		count[e.Role]++
	}
	var said []string
	for _, r := range evidenceRoles {
		if n := count[r.role]; n > 0 && r.role != schemas.RoleContext {
			said = append(said, counted(n, r.one, r.many))
		}
	}
	return strings.Join(said, ", ")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// showsOf says what the media of a question are.
func showsOf(ids []string, media map[string]schemas.Media) string {
	if len(ids) == 0 {
		return ""
	}
	videos, seconds := 0, 0.0
	for _, id := range ids {
		if m := media[id]; m.Kind == schemas.ModalityVideo {
			videos++
			seconds += m.Duration
		}
	}
	switch {
	case videos == len(ids):
		return fmt.Sprintf("%s, %.0f s", counted(videos, "video", "videos"), seconds)
	case videos == 0:
		return counted(len(ids), "picture", "pictures")
	}
	return counted(videos, "video", "videos") + ", " + counted(len(ids)-videos, "picture", "pictures")
}

// Facet is a field with its values.
type Facet struct {
	Name string // the field of a filter: type, label.NAME, gate.NAME, source
	// Values are counted only where the facet was asked for, most frequent first; Distinct is how
	// many there are in all.
	Values   []FacetValue
	Distinct int
	// None counts questions without a value.
	None    int64
	Counted bool
}

// FacetValue is a value with the number of questions that have it under the query.
type FacetValue struct {
	Value string
	Count int64
}

// Facets lists the facets, and counts the values of those named by open among what the query
// finds, without its filter on the facet itself.
func (c *Catalog) Facets(ctx context.Context, q Query, open ...string) ([]Facet, error) {
	x := c.ready()
	if x == nil {
		return nil, &IndexingError{c.State()}
	}
	all, err := x.find(ctx, q, c.rowsOf(ctx))
	if err != nil {
		return nil, err
	}
	var out []Facet
	for _, codes := range x.Facets {
		if !slices.Contains(open, codes.Name) {
			out = append(out, Facet{Name: codes.Name, Distinct: codes.distinct()})
			continue
		}
		among := all
		if without := q.Without(codes.Name); len(without.Filters) < len(q.Filters) {
			if among, err = x.find(ctx, without, c.rowsOf(ctx)); err != nil {
				return nil, err
			}
		}
		f, err := x.facet(ctx, codes.Name)
		if err != nil {
			return nil, err
		}
		out = append(out, f.count(among.rows))
	}
	return out, nil
}

// Neighbours returns the questions before and after one in the list of a query, its place, from
// 1, and how many there are. Ids are empty at the ends; the place is 0 where the query does not
// find it.
func (c *Catalog) Neighbours(ctx context.Context, q Query, number int64) (previous, next string, place, total int64, err error) {
	before, after := number-1, number+1
	place, total = number+1, c.State().Rows
	if q.Text != "" || len(q.Filters) > 0 {
		x := c.ready()
		if x == nil {
			return "", "", 0, 0, &IndexingError{c.State()}
		}
		found, err := x.find(ctx, q, c.rowsOf(ctx))
		if err != nil {
			return "", "", 0, 0, err
		}
		before, after, place = found.around(number)
		total = found.total
	}
	ids, err := c.idsOf(ctx, before, after)
	return ids[0], ids[1], place, total, err
}

// idsOf returns the ids of questions by their rows, empty for rows that there are not.
func (c *Catalog) idsOf(ctx context.Context, numbers ...int64) ([]string, error) {
	out := make([]string, len(numbers))
	wanted := []int64{}
	for _, n := range numbers {
		if n >= 0 && n < c.State().Rows {
			wanted = append(wanted, n)
		}
	}
	if len(wanted) == 0 {
		return out, nil
	}
	got, err := c.read(ctx, request{Table: pipeline.TableQuestions, Columns: []string{"question_id"}, Numbers: wanted})
	for i, n := range numbers {
		for j, at := range got.numbers {
			if at == n {
				out[i], _ = got.cells[j][0].(string)
			}
		}
	}
	return out, err
}
