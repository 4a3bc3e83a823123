//go:build !temporal

package cli

func temporalEngine() engineDialer { return nil }
