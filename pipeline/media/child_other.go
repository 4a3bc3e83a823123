//go:build !linux

package media

import (
	"os"
	"syscall"
)

// widen makes room in a pipe where that can be chosen.
func widen(*os.File) {}

// childAttributes put a program in a group of its own. Only Linux ends it when a
// build is killed.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
