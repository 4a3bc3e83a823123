package cli

import (
	"fmt"
	"math"
	"strconv"
)

// amount is a sum of money on the command line: 0 or more, and finite.
type amount float64

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *amount) UnmarshalText(text []byte) error {
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return fmt.Errorf("%q is no amount of money; want a number, 0 or more, for example 2.50", text)
	}
	*a = amount(v)
	return nil
}

// pointer is the amount as options take it, nil where none was given.
func (a *amount) pointer() *float64 {
	if a == nil {
		return nil
	}
	v := float64(*a)
	return &v
}
