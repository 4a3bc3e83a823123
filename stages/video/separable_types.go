package video

import (
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// sourceTypes ask in which of two videos something is to be seen. Who cannot
// tell the two apart cannot answer. In the other types the options are all of
// the video asked about or of neither, or the two follow each other.
var sourceTypes = []string{
	schemas.TypeSourceIdentification, schemas.TypeSourceMemory, schemas.TypeFalseMemory,
	schemas.TypeSpatialGrounding, schemas.TypeTemporalGrounding,
}

func checkMinSeparability(floor float64) error {
	if !(floor >= 0 && floor <= 1) {
		return fmt.Errorf("min_separability is %g; want 0 to 1", floor)
	}
	return nil
}

// askableTypes leaves out of types those that ask in which video something happens
// where a pair is less separable than floor. It rejects a pair that was not
// measured, or of which nothing is left to ask.
func askableTypes(types []string, p schemas.Pair, floor float64) ([]string, *pipeline.Rejection) {
	if floor == 0 {
		return types, nil
	}
	s := p.Separability
	if s == nil {
		return nil, pipeline.Reject("not-measured", "its pair has no separability, and min_separability is %g; put video.separability behind video.pair", floor)
	}
	if s.Accuracy >= floor {
		return types, nil
	}
	left := slices.DeleteFunc(slices.Clone(types), func(t string) bool { return slices.Contains(sourceTypes, t) })
	if len(left) == 0 {
		return nil, pipeline.Reject("not-separable", "single frames tell its two videos apart in %.0f %%, less than min_separability %g, and every type asked for is about which of the two; pair videos that look different, or ask other types", 100*s.Accuracy, floor)
	}
	return left, nil
}
