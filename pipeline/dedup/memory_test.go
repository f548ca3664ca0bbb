package dedup

import (
	"testing"
	"testing/fstest"
)

func TestMemoryLimit(t *testing.T) {
	const meminfo = "MemTotal:       16384000 kB\nMemFree:  1 kB\n"
	cases := []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"machine alone", map[string]string{"proc/meminfo": meminfo}, 16384000 << 10},
		{"nothing known", nil, 2 * fallbackMemory},
		{"version 2", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "1073741824\n",
		}, 1 << 30},
		{"version 2, a lower limit above", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "1073741824\n", "sys/fs/cgroup/a/memory.max": "1000000\n",
		}, 1000000},
		{"version 2, no limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n",
		}, 16384000 << 10},
		{"version 2, higher than the machine", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "99999999999999\n",
		}, 16384000 << 10},
		{"version 1, among other controllers", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "5:cpu,memory:/docker/x\n1:name=systemd:/\n",
			"sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes": "2000000\n",
		}, 2000000},
		{"version 1, the host's path isn't there", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "5:memory:/docker/x\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "3000000\n",
		}, 3000000},
		{"version 1, no limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "5:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 16384000 << 10},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			root := fstest.MapFS{}
			for name, text := range c.files {
				root[name] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := memoryLimit(root); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
