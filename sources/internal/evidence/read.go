package evidence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/parquetread"
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

// Row is a row of a table in shards. Number counts from 0 over all of them, in order
// of their names.
type Row struct {
	Number int
	annotation.Object
	parquetread.Row
}

// Table is a table of the hub in shards.
type Table struct {
	// Must are the columns that have to be there, May those that need not.
	Must, May []string
	// Quiet rejects nothing: it is for a second pass, so that damage is rejected once.
	Quiet bool
}

// Each visits the rows. A shard that cannot be read to its end is rejected, and with it
// those behind it, for their rows have no numbers. An error of visit ends it.
func (t Table) Each(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, visit func(Row) error) error {
	shards := slices.DeleteFunc(slices.Clone(assets), func(a pipeline.Asset) bool { return path.Ext(a.Path) != ".parquet" })
	slices.SortFunc(shards, func(a, b pipeline.Asset) int { return strings.Compare(a.Path, b.Path) })
	if len(shards) == 0 {
		return errors.New("the repository holds no table in Parquet; check repo and revision")
	}
	number, damaged := 0, ""
	reject := scope.Reject
	if t.Quiet {
		reject = func(string, *pipeline.Rejection) {}
	}
	for _, a := range shards {
		if damaged != "" {
			reject(a.Path, pipeline.Reject(CodeFile, "its rows cannot be numbered, because %s before it cannot be read", damaged))
			continue
		}
		why, err := t.shard(ctx, scope, a, func(r parquetread.Row) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			number++
			fields, err := r.Fields()
			if err != nil {
				reject(fmt.Sprintf("%s:%d", a.Path, r.Number), pipeline.Reject(benchmark.CodeBadRow, "%v", err))
				return nil
			}
			return visit(Row{number - 1, fields, r})
		})
		if err != nil {
			return fmt.Errorf("table %s: %w", a.Path, err)
		}
		if why != nil {
			reject(a.Path, why)
			damaged = a.Path
		}
	}
	return nil
}

// visited marks an error of the caller among those of a file.
type visited struct{ err error }

func (v *visited) Error() string { return v.err.Error() }

func (t Table) shard(ctx context.Context, scope *pipeline.Scope, a pipeline.Asset, visit func(parquetread.Row) error) (why *pipeline.Rejection, err error) {
	if a.Problem != nil {
		return a.Problem, nil
	}
	name, err := scope.BlobPath(ctx, a.Blob)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return whyOf(parquetread.Scan(f, a.Size, t.Must, t.May, parquetread.GroupBytes, func(r parquetread.Row) error {
		if err := visit(r); err != nil {
			return &visited{err}
		}
		return nil
	}))
}

// whyOf tells errors of the file from those of the caller.
func whyOf(err error) (*pipeline.Rejection, error) {
	var of *visited
	var over *parquetread.BudgetError
	switch {
	case err == nil:
		return nil, nil
	case errors.As(err, &of):
		return nil, of.err
	case errors.As(err, &over):
		return pipeline.Reject(CodeExplodes, "%v; leave the file out", err), nil
	}
	return pipeline.Reject(CodeFile, "%v; fetch it again, or check repo and revision", err), nil
}
