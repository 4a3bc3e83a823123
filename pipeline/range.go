package pipeline

import "fmt"

// CheckRange says that a whole number of a configuration is not within its bounds, both
// ends included, by the name that its user knows it by. The first of several is given by
// cmp.Or.
func CheckRange(name string, n, least, most int) error {
	if n < least || n > most {
		return fmt.Errorf("%s is %d; want %d to %d", name, n, least, most)
	}
	return nil
}
