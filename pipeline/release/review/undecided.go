package review

import (
	"fmt"
	"slices"
	"strings"
)

// UndecidedError says that people have not decided about all that was drawn.
type UndecidedError struct {
	Draw string
	// Missing have too few decisions, Disputed as many as asked for and no majority.
	Missing, Disputed []string
	Drawn             int
}

func (e *UndecidedError) Error() string {
	open := slices.Concat(e.Missing, e.Disputed)
	return fmt.Sprintf("draw %q: of %d drawn %d lack decisions and %d are disputed (%s); list them with `memforge draw --open`, add decisions to the files of the source reviews, or set undecided: keep",
		e.Draw, e.Drawn, len(e.Missing), len(e.Disputed), strings.Join(open[:min(3, len(open))], ", "))
}
