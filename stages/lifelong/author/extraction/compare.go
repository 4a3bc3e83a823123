package extraction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// Sides of a comparison.
const (
	SideExtracted = "extracted"
	SideGiven     = "given"
)

// Extraction is a row of the table lifelong_extractions: a point that was extracted, or
// one that a session stated before, and whether the other side has it too. It holds all
// that the gates of the comparison look at.
type Extraction struct {
	ExtractionID string `json:"extraction_id"`
	TaskID       string `json:"task_id"`
	SessionID    string `json:"session_id"`
	Side         string `json:"side"`
	// Point is the point itself. What it supersedes and resembles are points of its side.
	Point schemas.MemoryPoint `json:"point"`
	// Compared says that the task has points of both sides. Agrees is the row of the
	// other side that says the same; SameUpdate says that both take the place of the same.
	Compared   bool   `json:"compared"`
	Agrees     string `json:"agrees"`
	SameUpdate bool   `json:"same_update"`
}

// comparePoints returns a row for each point of both sides, whose sessions are the same
// in the same order.
func comparePoints(given, extracted []schemas.Session) []Extraction {
	c := comparison{pairs: map[string]string{}, replaced: map[string][]string{}}
	for i := range given {
		c.pair(given[i].Points, extracted[i].Points)
		c.add(SideGiven, given[i])
		c.add(SideExtracted, extracted[i])
	}
	kinds := map[string]string{}
	for _, row := range c.rows {
		kinds[row.ExtractionID] = row.Point.UpdateType
	}
	both := anyStated(given) && anyStated(extracted)
	for i := range c.rows {
		row := &c.rows[i]
		row.Compared = both
		row.SameUpdate = row.Agrees != "" && kinds[row.Agrees] == row.Point.UpdateType && c.sameReplacements(c.replaced[row.ExtractionID], c.replaced[row.Agrees])
	}
	return c.rows
}

// CheckRows says where rows of a task are not those that follow from the points in them, or
// where points that are given are not those of its sessions.
func CheckRows(rows []Extraction, sessions []schemas.Session) error {
	given, extracted := slices.Clone(sessions), slices.Clone(sessions)
	for i := range sessions {
		given[i].Points, extracted[i].Points = nil, nil
	}
	for _, row := range rows {
		i := slices.IndexFunc(sessions, func(s schemas.Session) bool { return s.SessionID == row.SessionID })
		switch {
		case i < 0:
			return fmt.Errorf("row %s of table %s is of session %q, which the task has not", row.ExtractionID, Table, row.SessionID)
		case row.Side == SideGiven:
			given[i].Points = append(given[i].Points, row.Point)
		default:
			extracted[i].Points = append(extracted[i].Points, row.Point)
		}
	}
	for i, s := range sessions {
		pointsByID(given[i].Points)
		pointsByID(extracted[i].Points)
		if fmt.Sprintf("%+v", given[i].Points) != fmt.Sprintf("%+v", s.Points) {
			return fmt.Errorf("table %s has other points of session %s than the session", Table, s.SessionID)
		}
	}
	want := map[string]Extraction{}
	for _, row := range comparePoints(given, extracted) {
		want[row.ExtractionID] = row
	}
	for _, row := range rows {
		if fmt.Sprintf("%+v", row) != fmt.Sprintf("%+v", want[row.ExtractionID]) {
			return fmt.Errorf("row %s of table %s is not what follows from the points of both sides", row.ExtractionID, Table)
		}
	}
	return nil
}

func pointsByID(points []schemas.MemoryPoint) {
	slices.SortFunc(points, func(a, b schemas.MemoryPoint) int { return strings.Compare(a.MemoryID, b.MemoryID) })
}

// comparison collects the rows of one task.
type comparison struct {
	rows []Extraction
	// pairs are ids of rows that agree, both ways; replaced are those of the rows whose
	// place a row takes.
	pairs    map[string]string
	replaced map[string][]string
}

// pair matches each given point with the first extracted one that agrees and has no pair
// yet.
func (c *comparison) pair(given, extracted []schemas.MemoryPoint) {
	for _, g := range given {
		at := slices.IndexFunc(extracted, func(e schemas.MemoryPoint) bool {
			return c.pairs[rowID(SideExtracted, e.MemoryID)] == "" && pointsAgree(g, e)
		})
		if at >= 0 {
			a, b := rowID(SideGiven, g.MemoryID), rowID(SideExtracted, extracted[at].MemoryID)
			c.pairs[a], c.pairs[b] = b, a
		}
	}
}

func (c *comparison) add(side string, s schemas.Session) {
	for _, p := range s.Points {
		id := rowID(side, p.MemoryID)
		c.rows = append(c.rows, Extraction{
			ExtractionID: id, TaskID: s.TaskID, SessionID: s.SessionID, Side: side, Point: p, Agrees: c.pairs[id],
		})
		for _, old := range p.Supersedes {
			c.replaced[id] = append(c.replaced[id], rowID(side, old))
		}
	}
}

// sameReplacements reports whether both sides supersede the same points.
func (c *comparison) sameReplacements(mine, theirs []string) bool {
	var across []string
	for _, id := range mine {
		across = append(across, c.pairs[id])
	}
	slices.Sort(across)
	return slices.Equal(across, slices.Sorted(slices.Values(theirs)))
}

func anyStated(all []schemas.Session) bool {
	return slices.ContainsFunc(all, func(s schemas.Session) bool { return len(s.Points) > 0 })
}

func rowID(side, point string) string { return point + "/" + side }

// nearly is the share of the words of one point that another must have to say the same,
// where one of them has no value in symbols.
const nearly = 0.75

// pointsAgree reports whether two points of a session agree: they share a turn, both
// hold, end or interfere, and have the same value. Names of things may differ.
func pointsAgree(a, b schemas.MemoryPoint) bool {
	shared := slices.ContainsFunc(a.EvidenceTurns, func(id string) bool { return slices.Contains(b.EvidenceTurns, id) })
	if !shared || a.IsInterference != b.IsInterference || (a.UpdateType == schemas.UpdateDelete) != (b.UpdateType == schemas.UpdateDelete) {
		return false
	}
	one, other := a.Attributes["value"], b.Attributes["value"]
	switch {
	case a.UpdateType == schemas.UpdateDelete:
		return true
	case one != "" && other != "":
		return words.SameWords(one, other)
	}
	mine, theirs := words.WordSet(a.Content), words.WordSet(b.Content)
	common := 0
	for _, w := range mine {
		if slices.Contains(theirs, w) {
			common++
		}
	}
	return float64(common) >= nearly*float64(min(len(mine), len(theirs))) && common > 0
}

// addGates registers the gates whose counts are precision and recall: each judges one
// side, or the updates of agreeing pairs.
func addGates(r *pipeline.Registry) {
	for _, g := range []struct{ name, summary, side, code, miss string }{
		{"extraction-precision", "what was extracted from a session is what its world, or whoever annotated it, states there", SideExtracted, "not-given", "nothing that was given for the session says %q"},
		{"extraction-recall", "what its world, or whoever annotated it, states in a session was extracted from it", SideGiven, "not-extracted", "nothing that was extracted from the session says %q"},
	} {
		pipeline.AddGate(r, g.name, "1", g.summary, func(struct{}) (pipeline.Gate, error) {
			return structural.NewForSchema(Name, "", structural.Each(func(e Extraction) pipeline.Judgement {
				switch {
				case e.Side != g.side || !e.Compared:
					return pipeline.NotApplicable.Because("other-side", "%s", "it is of the other side, or there is none to compare with")
				case e.Agrees == "":
					return pipeline.Fail.Because(g.code, "%s", fmt.Sprintf(g.miss, e.Point.Content))
				}
				return structural.Pass()
			})), nil
		})
	}
	pipeline.AddGate(r, "extraction-updates", "1", "an extracted point that is also given takes the place of the same points", func(struct{}) (pipeline.Gate, error) {
		return structural.NewForSchema(Name, "", structural.Each(func(e Extraction) pipeline.Judgement {
			switch {
			case e.Side != SideExtracted || e.Agrees == "":
				return pipeline.NotApplicable.Because("no-pair", "no point of the other side says the same")
			case !e.SameUpdate:
				return pipeline.Fail.Because("other-update", "its update is %q, and it does not take the place of what its pair does in the same way", e.Point.UpdateType)
			}
			return structural.Pass()
		})), nil
	})
}
