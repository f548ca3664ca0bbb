package pipeline_test

import (
	"slices"
	"testing"

	"github.com/urisieve/urisieve/pipeline/dedup"
	"github.com/urisieve/urisieve/pipeline/pipetest"
)

// TestClaimsNameTheirHostsWhereThatIsAsked: what a set forgot with its host is new again, each host by itself, if the run
// names hosts; and without a host nothing is.
func TestClaimsNameTheirHostsWhereThatIsAsked(t *testing.T) {
	items := pipetest.Refs("http://a.example/1", "http://b.example/1", "HTTPS://A.example:443/2", "urn:x:1")
	for _, hosts := range []bool{false, true} {
		disk := pipetest.NewCrashFS()
		if err := disk.MkdirAll("/s", 0o700); err != nil {
			t.Fatal(err)
		}
		state, err := dedup.OpenState(dedup.StateOptions{FS: disk, Dir: "/s/state", SettingsID: "x", Memory: 2 << 20})
		if err != nil {
			t.Fatal(err)
		}
		hasher := dedup.NewHasher(state.Secret())
		state.SetTime(10)
		for _, url := range []string{"http://a.example/1", "http://b.example/1", "https://a.example/2", "urn:x:1"} {
			if err := state.Claim([]dedup.Key{hasher.Sum([]byte(url))}, make([]dedup.Verdict, 1)); err != nil {
				t.Fatal(err)
			}
		}
		if err := state.ForgetHost(hasher.Host([]byte("a.example")), 10); err != nil {
			t.Fatal(err)
		}
		f := newFixture(t, items)
		f.open(state)
		f.options.Hasher, f.options.Hosts, f.options.Now = hasher, hosts, 20
		f.mustRun(t)
		var want []string
		if hosts {
			want = []string{"1.0 unique http://a.example/1", "3.0 unique https://a.example/2"}
		}
		if got := f.main.Durable(); !slices.Equal(got, want) {
			t.Errorf("hosts %v: new are %q, want %q", hosts, got, want)
		}
	}
}
