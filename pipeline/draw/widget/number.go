package widget

import (
	"strconv"
	"strings"
)

// Number is a decimal: Digits of the last place, with Places behind the point.
func formatNumber(digits int64, places int) string {
	sign, n := "", uint64(digits)
	if digits < 0 {
		sign, n = "−", -uint64(digits)
	}
	s := strconv.FormatUint(n, 10)
	for len(s) <= places {
		s = "0" + s
	}
	whole, part := s[:len(s)-places], s[len(s)-places:]
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if part != "" {
		part = "." + part
	}
	return sign + whole + part
}

// formatTick is a number on an axis, without zeros behind the point that say nothing.
func formatTick(digits int64, places int) string {
	s := formatNumber(digits, places)
	if places > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// axisScale is an axis from low to high in steps of 1, 2 or 5 times a power of ten: four
// to eight of them.
func axisScale(least, most int64) (low, high, step int64) {
	least, most = min(max(least, -1<<50), 0), max(min(most, 1<<50), 0)
	if least == most {
		most = 1
	}
	step = 1
	for i := 0; (most-least+step-1)/step > 7; i++ {
		step = []int64{1, 2, 5}[(i+1)%3] * powerOfTen((i+1)/3)
	}
	low, high = -((-least+step-1)/step)*step, (most+step-1)/step*step
	return low, high, step
}

func powerOfTen(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}
