package cli

import (
	"maps"
	"slices"
)

// BuiltIn are the schemes of the engines that this program was built with, sorted.
func BuiltIn() []string {
	all := engines()
	maps.DeleteFunc(all, func(_ string, open engineDialer) bool { return open == nil })
	return slices.Sorted(maps.Keys(all))
}
