package release

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// checkCitations compares questions with what they cite, and tasks with the questions
// that cite them.
func (c *checker) checkCitations(all []table) {
	covered := c.checkCheckpoints(all)
	cited := newIDSet()
	for q := range recordsOf[schemas.Question](c.rows, tableQuestions) {
		cited.add(q.TaskID)
		c.checkOptions(q)
		c.checkEvidenceOrder(q)
		if _, err := q.SufficientSets(); err != nil {
			c.blameRow(tableQuestions, q.QuestionID, "%v", err)
		}
		for i, e := range q.Evidence {
			cited.add(refID(e.Ref))
			if to := evidenceTables(e.Kind); e.Ref != "" && !c.knows(refID(e.Ref), to...) {
				c.blameRow(tableQuestions, q.QuestionID, "evidence %d is of the kind %s, and its ref %q is in %s", i+1, e.Kind, e.Ref, notFoundIn(to))
			}
			if e.SessionID != "" && q.CheckpointID != "" && covered != nil && !covered.has(q.CheckpointID, e.SessionID) {
				c.blameRow(tableQuestions, q.QuestionID, "it is asked at checkpoint %s, which does not cover session %s of its evidence", q.CheckpointID, e.SessionID)
			}
		}
		c.checkQuotes(q)
	}
	for t := range recordsOf[schemas.Task](c.rows, tableTasks) {
		if !cited.has(t.TaskID) {
			c.blameRow(tableTasks, t.TaskID, "no question belongs to it or cites it")
		}
	}
}

// checkCheckpoints checks the sessions of checkpoints and returns what each covers; nil
// where a release has no checkpoints.
func (c *checker) checkCheckpoints(all []table) (covered *idSet) {
	t, ok := findDeclared(all, pipeline.TableCheckpoints)
	if !ok {
		return nil
	}
	covered = newIDSet()
	places := newIDSet()
	for p := range declaredRecords[schemas.Checkpoint](c.rows, t) {
		if !places.add(p.TaskID, p.Order) {
			c.blameRow(pipeline.TableCheckpoints, p.CheckpointID, "another one of its task has the order %d", p.Order)
		}
		last := int32(-1)
		for _, id := range p.Sessions {
			covered.add(p.CheckpointID, id)
			s := c.turns.sessions[c.turns.hash(id)]
			if s == nil {
				continue
			}
			if s.order <= last {
				c.blameRow(pipeline.TableCheckpoints, p.CheckpointID, "its sessions are not in their order, or one is there twice")
				break
			}
			last = s.order
		}
	}
	return covered
}

// checkOptions checks that options are lettered in their order, and that the option
// which is right by its role is the answer. Roles are given to all options or to none.
func (c *checker) checkOptions(q schemas.Question) {
	for i, o := range q.Options {
		if o.Key != schemas.Letter(i) {
			c.blameRow(tableQuestions, q.QuestionID, "option %d has the key %q, not %q", i+1, o.Key, schemas.Letter(i))
			return
		}
	}
	if !slices.ContainsFunc(q.Options, func(o schemas.Option) bool { return o.Role != "" }) {
		return
	}
	for _, o := range q.Options {
		if o.Role == "" || (o.Role == schemas.RoleCorrect) != (o.Key == q.AnswerKey) {
			c.blameRow(tableQuestions, q.QuestionID, "option %s has the role %q, and the answer is %s", o.Key, o.Role, q.AnswerKey)
		}
	}
}

// checkEvidenceOrder checks that evidence counts from 1.
func (c *checker) checkEvidenceOrder(q schemas.Question) {
	taken := make([]bool, len(q.Evidence))
	for _, e := range q.Evidence {
		if e.Order < 1 || int(e.Order) > len(taken) || taken[e.Order-1] {
			c.blameRow(tableQuestions, q.QuestionID, "the order of its %d pieces of evidence does not count 1, 2, 3 and so on: there is a %d", len(taken), e.Order)
			return
		}
		taken[e.Order-1] = true
	}
}

// evidenceTables returns the tables that evidence of a kind may refer to.
func evidenceTables(kind string) []string {
	switch kind {
	case schemas.EvidenceMedia:
		return []string{tableMedia}
	case schemas.EvidenceTurn:
		return []string{pipeline.TableTurns}
	case schemas.EvidenceSession:
		return []string{pipeline.TableSessions}
	case schemas.EvidenceTask:
		return []string{tableTasks}
	case schemas.EvidenceSource:
		return []string{tableSources}
	}
	return []string{tableTasks, tableSources, pipeline.TableSessions}
}

// checkQuotes checks that evidence which quotes turns says and shows what they do, and
// that the media of such a question are those of its evidence.
func (c *checker) checkQuotes(q schemas.Question) {
	var round []indexedTurn
	last, turns := "", false
	shown := map[string]bool{}
	for i, e := range q.Evidence {
		if e.Kind == schemas.EvidenceMedia {
			shown[refID(e.Ref)] = true
		}
		if e.Media != "" {
			shown[refID(e.Media)] = true
		}
		if e.Kind != schemas.EvidenceTurn {
			last = ""
			continue
		}
		turns = true
		from, s := c.turns.findTurn(e.Ref)
		if s == nil {
			last = ""
			continue // references say so
		}
		if e.Text != "" || e.Ref != last {
			round = c.turns.quotedTurns(e.Text, s.date, from)
		}
		c.checkQuote(q, i, e, round)
		last = e.Ref
	}
	if turns && !maps.Equal(shown, idsOf(q.Media)) {
		c.blameRow(tableQuestions, q.QuestionID, "its media are others than those of its evidence")
	}
}

func idsOf(ids []string) map[string]bool {
	out := map[string]bool{}
	for _, id := range ids {
		out[id] = true
	}
	return out
}

// checkQuote checks one piece against the round that it quotes.
func (c *checker) checkQuote(q schemas.Question, i int, e schemas.Evidence, round []indexedTurn) {
	pictures := slices.ContainsFunc(round, func(t indexedTurn) bool { return t.n > 0 })
	switch {
	case len(round) == 0:
		c.blameRow(tableQuestions, q.QuestionID, "the text of evidence %d is not what turn %s says: the date of its session, then who speaks and what, a line a turn", i+1, e.Ref)
	case (pictures || e.Media != "" || e.Caption != "") && !c.turns.showsPicture(round, e):
		c.blameRow(tableQuestions, q.QuestionID, "evidence %d shows or tells another picture than turn %s", i+1, e.Ref)
	}
}

// turnID splits the id of a turn: its task, the number of its session, and its own, see
// schemas.TurnIDOf. Both numbers count in the order of time where turns have no
// position.
var turnID = regexp.MustCompile(`^(.+)/S([0-9]{1,9})/T([0-9]{1,9})$`)

// checkTimeOrder checks that evidence from the turns of one task stands in the order of
// time: a reader takes the later of two that differ.
func (c *checker) checkTimeOrder(q schemas.Question) {
	list := slices.Clone(q.Evidence)
	slices.SortStableFunc(list, func(a, b schemas.Evidence) int { return cmp.Compare(a.Order, b.Order) })
	var last []string
	var ref string
	var place int64
	for _, e := range list {
		at := turnID.FindStringSubmatch(e.Ref)
		if at == nil {
			continue
		}
		now := c.turnPosition(e.Ref)
		if last != nil && at[1] == last[1] && turnBefore(at, last, now, place) {
			c.blameRow(tableQuestions, q.QuestionID, "its evidence %s stands after %s, which is later", e.Ref, ref)
			return
		}
		last, ref, place = at, e.Ref, now
	}
}

// turnPosition returns the place of a turn in the stream of its task; 0 where it has
// none.
func (c *checker) turnPosition(turn string) int64 {
	if c.turns == nil {
		return 0
	}
	if from, _ := c.turns.findTurn(turn); len(from) > 0 {
		return from[0].position
	}
	return 0
}

// turnBefore reports whether a turn comes before another: by position, or by number
// where one has no position.
func turnBefore(at, last []string, place, before int64) bool {
	if place > 0 && before > 0 {
		return place < before
	}
	return cmp.Or(compareNumbers(at[2], last[2]), compareNumbers(at[3], last[3])) < 0
}

func compareNumbers(a, b string) int {
	x, _ := strconv.Atoi(a) // at most nine digits
	y, _ := strconv.Atoi(b)
	return cmp.Compare(x, y)
}
