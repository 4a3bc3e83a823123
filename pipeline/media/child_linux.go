package media

import "syscall"

// childAttributes put a program in a group of its own and end it with us, however
// we end: the kernel kills it when a build was killed.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
