package parquetread

import "fmt"

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

// spend is asked before memory is.
func (m *meter) spend(n int64) error {
	if n < 0 || n > m.left {
		return &BudgetError{m.budget}
	}
	m.left -= n
	return nil
}
