package testpostgres

import "syscall"

// endWithParent lets a child end when this process does, however that ends.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGQUIT }
