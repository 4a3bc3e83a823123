package media

import (
	"fmt"
	"math"
)

// Span is frames [From, To) of a video.
type Span struct{ From, To int64 }

// Spread picks n frames, each from the middle of one of n equal parts. A span
// of fewer frames gives each of them once.
func (s Span) Spread(n int) []int64 {
	long := s.To - s.From
	count := min(int64(n), long)
	list := make([]int64, 0, max(0, count))
	for i := range count {
		list = append(list, s.From+(2*i+1)*long/(2*count))
	}
	return list
}

// Every picks frames at a rate per second out of a span at fps, the first one
// always; no frame twice.
func (s Span) Every(rate, fps float64) []int64 {
	var list []int64
	if !(rate > 0) || !(fps > 0) {
		return nil
	}
	for i := int64(0); ; i++ {
		f := s.From + int64(math.Round(float64(i)*fps/rate))
		if f >= s.To {
			return list
		}
		if len(list) == 0 || f > list[len(list)-1] {
			list = append(list, f)
		}
	}
}

// checkSpans demands spans that have frames and lie behind one another.
func checkSpans(spans []Span) error {
	before := int64(0)
	for i, s := range spans {
		if s.From < before || s.To <= s.From {
			return fmt.Errorf("span %d: frames %d to %d: want at least one frame, none before %d", i, s.From, s.To, before)
		}
		before = s.To
	}
	return nil
}
