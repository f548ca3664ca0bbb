package dedup

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// fallbackMemory is DefaultMemory where the machine doesn't say what it has in a way that is read here: on
// systems other than Linux.
const fallbackMemory = 1 << 30

// DefaultMemory is half of the memory that the process may use, in bytes: of the lowest limit of its control
// group and those above it (version 2 or 1), or of the machine's memory if that is lower. On systems
// other than Linux it is 1 GiB.
func DefaultMemory() int64 { return memoryLimit(os.DirFS("/")) / 2 }

// memoryLimit reads the limit from a file system that has /proc and /sys of Linux.
func memoryLimit(root fs.FS) int64 {
	limit := min(machineMemory(root), controlGroupLimit(root))
	if limit == math.MaxInt64 {
		return 2 * fallbackMemory
	}
	return limit
}

func machineMemory(root fs.FS) int64 {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return math.MaxInt64
	}
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("MemTotal:")); ok {
			fields := bytes.Fields(rest)
			if len(fields) == 0 {
				break
			}
			if kib, err := strconv.ParseInt(string(fields[0]), 10, 54); err == nil && kib > 0 {
				return kib << 10
			}
		}
	}
	return math.MaxInt64
}

// controlGroupLimit is the lowest limit among the process's groups and those above them. A line of
// /proc/self/cgroup is "id:controllers:path"; id 0 is version 2 (cgroups(7)).
func controlGroupLimit(root fs.FS) int64 {
	limit := int64(math.MaxInt64)
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return limit
	}
	for line := range strings.Lines(string(text)) {
		part := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(part) != 3 {
			continue
		}
		switch {
		case part[0] == "0" && part[1] == "":
			limit = min(limit, lowestLimit(root, "sys/fs/cgroup", part[2], "memory.max"))
		case hasController(part[1], "memory"):
			limit = min(limit, lowestLimit(root, "sys/fs/cgroup/memory", part[2], "memory.limit_in_bytes"))
		}
	}
	return limit
}

func hasController(list, name string) bool {
	for c := range strings.SplitSeq(list, ",") {
		if c == name {
			return true
		}
	}
	return false
}

// lowestLimit reads the limit of a group and of each one above it. In a container the path may be that of
// the host, which isn't there; the mount point's own limit is then the container's.
func lowestLimit(root fs.FS, mount, group, file string) int64 {
	limit := int64(math.MaxInt64)
	for at := path.Clean("/" + group); ; at = path.Dir(at) {
		text, err := fs.ReadFile(root, path.Join(mount, at, file))
		if err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
				limit = min(limit, n)
			}
		}
		if at == "/" {
			return limit
		}
	}
}
