package kitchen

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// DaysConfig is what pipeline.yaml says of the source under with. The tags name the
// keys; doc is what `sources describe` prints.
type DaysConfig struct {
	Path    string `json:"path" doc:"folder of CSV files with the columns day, thing and place, relative to pipeline.yaml"`
	License string `json:"license" doc:"SPDX id of the files' licence"`
}

// SetDefaults says what holds when a key is left out.
func (c *DaysConfig) SetDefaults() { c.Path = "days" }

// newDays checks the configuration. It must touch no file.
func newDays(c DaysConfig) (pipeline.Source, error) {
	if c.Path == "" {
		return nil, errors.New("path: required; name the folder of the CSV files")
	}
	return days{c}, nil
}

type days struct{ cfg DaysConfig }

// Spec declares what the source gives.
func (days) Spec() pipeline.Spec { return pipeline.Spec{Emits: []string{DaySchema}} }

// maxFile bounds a file: it is read as a whole.
const maxFile = 1 << 20

// Needs names the files. The engine finds them and hands them to Read.
func (s days) Needs() []pipeline.Need {
	return []pipeline.Need{{From: "local", Root: s.cfg.Path, Include: []string{"**/*.csv"}, MaxBytes: maxFile, License: s.cfg.License}}
}

// Read gives a record for each day of each file. A file that cannot be used is rejected
// by name, and the build goes on.
func (days) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	for _, a := range assets {
		if a.Problem != nil {
			scope.Reject(a.Path, a.Problem)
			continue
		}
		data, err := scope.ReadBlob(ctx, a.Blob, maxFile)
		if err != nil {
			return err
		}
		names, all, why := parseDays(data)
		if why != nil {
			scope.Reject(a.Path, why)
			continue
		}
		for i, day := range all {
			record, err := pipeline.NewRecord(DaySchema, strings.TrimSuffix(path.Base(a.Path), ".csv")+"-"+names[i], day)
			if err != nil {
				return err
			}
			if err := emit(record); err != nil {
				return err
			}
		}
	}
	return nil
}

// parseDays reads the days of a file and their names: a row a move, in order.
func parseDays(data []byte) (names []string, all []Day, why *pipeline.Rejection) {
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, nil, pipeline.Reject("no-table", "%v; correct the row, or take the file out", err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], []string{"day", "thing", "place"}) {
		return nil, nil, pipeline.Reject("other-columns", "the first row must be day,thing,place")
	}
	var places []string
	for _, row := range rows[1:] {
		i := slices.Index(names, row[0])
		if i < 0 {
			i, names, all = len(all), append(names, row[0]), append(all, Day{})
		}
		all[i].Moves = append(all[i].Moves, Move{Thing: row[1], Place: row[2]})
		if !slices.Contains(places, row[2]) {
			places = append(places, row[2])
		}
	}
	for i := range all {
		all[i].Places = places
	}
	return names, all, nil
}
