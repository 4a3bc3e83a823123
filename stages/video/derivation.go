package video

import (
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/oracle"
)

func isComposed(m schemas.Media) bool {
	layouts := []string{schemas.LayoutSplit, schemas.LayoutConcat, schemas.LayoutInterleaved, schemas.LayoutNBack}
	return len(m.Recipe.Segments) > 0 && slices.Contains(layouts, m.Recipe.Layout)
}

// deriveQuestion recomputes a question that claims to be true by construction.
func deriveQuestion(q schemas.Question, p pipeline.Premises) (pipeline.Derived[schemas.Question], error) {
	var out pipeline.Derived[schemas.Question]
	var err error
	switch {
	case len(q.Revisions) > 0:
		return out, &pipeline.UnderivedError{Reason: "rewritten by a model"}
	case q.Labels[schemas.LabelAuthor] != "":
		return out, &pipeline.UnderivedError{Reason: "written by a model"}
	case len(q.Media) != 1:
		return out, fmt.Errorf("it is about %d media; questions of this family are about one", len(q.Media))
	case len(p.Media) != 1:
		return out, &pipeline.UnderivedError{Reason: "its medium is not in the release"}
	}
	out.Item, out.Underivable, err = oracleCase(p, p.Media[0]).DeriveQuestion(q)
	return out, err
}

func deriveTask(t schemas.Task, p pipeline.Premises) (pipeline.Derived[schemas.Task], error) {
	var cases []oracle.Case
	for _, m := range p.Media {
		cases = append(cases, oracleCase(p, m))
	}
	var out pipeline.Derived[schemas.Task]
	var err error
	out.Item, out.Underivable, err = oracle.DeriveTask(t, cases, p.Questions)
	return out, err
}

func oracleCase(p pipeline.Premises, m schemas.Media) oracle.Case {
	return oracle.Case{Media: m, Events: p.Events, Labels: p.Labels}
}
