//go:build !temporal

package cli

// engines are those that this program was built with, by the scheme of their URLs.
func engines() map[string]dial { return nil }
