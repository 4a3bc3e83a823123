//go:build !temporal

package cli

func temporalEngine() dial { return nil }
