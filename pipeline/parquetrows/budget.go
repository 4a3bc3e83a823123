package parquetrows

import (
	"fmt"
	"strings"

	"github.com/xitongsys/parquet-go/parquet"
)

// What a file costs beside the bytes of its pages. A null takes no byte of a
// file and about as much memory as a number once it is decoded; an entry of a
// footer takes a few bytes of the file and many times that as a value.
const (
	ValueBytes      = 64
	footerInflation = 64
)

// BudgetError says that a file takes more once inflated than it may.
type BudgetError struct{ Budget int64 }

func (e *BudgetError) Error() string {
	return fmt.Sprintf("it takes more than the %d bytes that it may once inflated, each value counted with %d bytes beside its own", e.Budget, ValueBytes)
}

// meter counts down what is left of a budget.
type meter struct{ budget, left int64 }

func newMeter(budget int64) *meter { return &meter{budget, budget} }

// take is asked before memory is.
func (m *meter) take(n int64) error {
	if n < 0 || n > m.left {
		return &BudgetError{m.budget}
	}
	m.left -= n
	return nil
}

// claimed adds up what the footer says of the columns that will be decoded, so
// that most files are refused before a page of them is looked at. What it says
// is not believed: the walk over the pages counts again.
func (r Rules) claimed(footer *parquet.FileMetaData, leaves []Leaf, skip func(Leaf) bool) error {
	m := newMeter(r.Inflated)
	for i, g := range footer.GetRowGroups() {
		if len(g.GetColumns()) != len(leaves) || g.GetNumRows() <= 0 {
			return fmt.Errorf("row group %d: %d columns and %d rows", i, len(g.GetColumns()), g.GetNumRows())
		}
		for j, c := range g.GetColumns() {
			if c.GetMetaData() == nil || skip != nil && skip(leaves[j]) {
				continue
			}
			n := c.GetMetaData().GetNumValues()
			if n < 0 || n > r.Values {
				return fmt.Errorf("row group %d, column %s: %d values", i, strings.Join(leaves[j].Path, "."), n)
			}
			if err := m.take(n * ValueBytes); err != nil {
				return err
			}
			if err := m.take(c.GetMetaData().GetTotalUncompressedSize()); err != nil {
				return err
			}
		}
	}
	return nil
}
