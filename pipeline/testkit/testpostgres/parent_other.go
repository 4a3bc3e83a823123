//go:build !linux

package database

import "syscall"

// endWithParent is for Linux: elsewhere a server outlives tests that are killed.
func endWithParent(*syscall.SysProcAttr) {}
