//go:build !linux

package media

import "syscall"

// childAttributes put a program in a group of its own. Only Linux ends it when a
// build is killed.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
