package main

import "syscall"

// mountSmall mounts a file system of 300 KiB in memory.
func mountSmall(dir string) error { return syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=300k") }

func unmount(dir string) { syscall.Unmount(dir, syscall.MNT_DETACH) }
