package evidence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
)

// Line is one object of a file of JSON lines, or of a JSON list. Where names its place;
// Number counts lines from 1, and entries of a list from 0.
type Line struct {
	File, Where string
	Number      int
	annotation.Object
}

// Lines visits the objects of all files of a need, in order of the files' names; both
// JSON lines and one JSON list are read, for data sets say one and have the other. A
// line that is no object, and a file that cannot be read, is rejected.
func Lines(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, need int, visit func(Line) error) error {
	files := slices.DeleteFunc(slices.Clone(assets), func(a pipeline.Asset) bool { return a.Need != need })
	slices.SortFunc(files, func(a, b pipeline.Asset) int { return strings.Compare(a.Path, b.Path) })
	if len(files) == 0 {
		return errors.New("the repository holds none of the files that are read; check repo and revision")
	}
	for _, a := range files {
		if err := linesOf(ctx, scope, a, visit); err != nil {
			return err
		}
	}
	return nil
}

func linesOf(ctx context.Context, scope *pipeline.Scope, a pipeline.Asset, visit func(Line) error) error {
	text, err := ReadText(ctx, scope, a)
	if why := (*pipeline.Rejection)(nil); errors.As(err, &why) {
		scope.Reject(a.Path, why)
		return nil
	}
	if err != nil {
		return err
	}
	items, list := splitEntries(text)
	for _, item := range items {
		if err := ctx.Err(); err != nil {
			return err
		}
		where := fmt.Sprintf("%s:%d", a.Path, item.Number)
		if list {
			where = fmt.Sprintf("%s#%d", a.Path, item.Number)
		}
		o, err := annotation.ParseObject(item.Text)
		if err != nil {
			scope.Reject(where, pipeline.Reject(benchmark.CodeBadRow, "%v", err))
			continue
		}
		if err := visit(Line{a.Path, where, item.Number, o}); err != nil {
			return err
		}
	}
	return nil
}

// splitEntries cuts a list, or else the lines.
func splitEntries(text []byte) (items []annotation.Line, list bool) {
	entries, err := annotation.ParseList(text)
	if err != nil {
		return annotation.Lines(text), false
	}
	for i, e := range entries {
		items = append(items, annotation.Line{Number: i, Text: e})
	}
	return items, true
}

// Pick is Chosen for things that are at hand: at most so many, in their order.
func Pick[T any](scope *pipeline.Scope, things []T, id func(T) string, most int) []T {
	ids := make([]string, len(things))
	for i, t := range things {
		ids[i] = id(t)
	}
	chosen := PickIDs(scope, ids, most)
	return slices.DeleteFunc(slices.Clone(things), func(t T) bool { return chosen != nil && !chosen[id(t)] })
}
