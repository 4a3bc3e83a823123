package media

import (
	"os"
	"syscall"
)

// widePipe is room for a picture of 640x360, all that Linux gives to everyone.
// Through the usual 64 KiB a picture takes fifteen changes of processes.
const widePipe = 1 << 20

// widen makes room in a pipe. Without it everything only takes longer, so
// whether it can be done does not matter.
func widen(pipe *os.File) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_SETPIPE_SZ, widePipe)
	})
}

// childAttributes put a program in a group of its own and end it with us, however
// we end: the kernel kills it when a build was killed.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
