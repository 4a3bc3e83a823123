//go:build !river

package cli

func riverEngine() engineDialer { return nil }
