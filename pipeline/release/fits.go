package release

import (
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/schemas"
)

// maxRow is the largest row: viewers show no larger ones.
const maxRow = 2 << 20

// maxAdded is what the rows of a medium and of a form that was not released have more
// than the record, at the most and without a picture.
const maxAdded = 64 << 10

// TooLarge says why a row of a record cannot stand in a table of records, or in that
// of what was judged and not released; empty where it can.
func TooLarge(table string, cells []any) string {
	n := cellBytes(cells) + maxAdded
	if table == tableMedia {
		n += maxPicture
	}
	if n <= maxRow {
		return ""
	}
	return tooLarge(n)
}

// RowProblem says why a row of a record of a table cannot stand in a release, with the code
// of it: it is too large, or a value is none that its column takes. Empty where it can.
func RowProblem(t pipeline.Table, r pipeline.Row) (code, why string) {
	if why := TooLarge(r.Table, r.Cells); why != "" {
		return schemas.ExcludedSize, why
	}
	for _, of := range t.Tables() {
		if of.Name != r.Table {
			continue
		}
		if err := declaredTable(of).check(r.Cells); err != nil {
			return schemas.ExcludedRule, err.Error()
		}
		if why := rowschema.Violation(of.Columns, r.Cells); why != "" {
			return schemas.ExcludedRule, "breaks a rule of its columns: " + why
		}
	}
	return "", ""
}

func tooLarge(n int64) string {
	return fmt.Sprintf("has %d bytes in the release; at most %d are possible: make the record smaller, or keep what is large in a blob", n, maxRow)
}
