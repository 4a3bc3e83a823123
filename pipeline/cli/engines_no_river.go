//go:build !river

package cli

func riverEngine() dial { return nil }
