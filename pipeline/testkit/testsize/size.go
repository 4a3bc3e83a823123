// Package testsize tells tests how much to try. A test whose cost grows with what it
// goes through takes a part that shows each kind of outcome once, and all of it
// when asked.
package testsize

import "os"

// Variable asks for all sizes when it is "all"; make test-all sets it.
const Variable = "MEMFORGE_TESTS"

// Full is true when tests are to go through everything, whatever it takes.
func Full() bool { return os.Getenv(Variable) == "all" }

// Choose is all when everything is asked for and some otherwise.
func Choose[T any](some, all T) T {
	if Full() {
		return all
	}
	return some
}
