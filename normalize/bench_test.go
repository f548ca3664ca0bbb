package normalize_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

// A benchmark's references come from the corpora beside the repository where they are there, else
// from a generator of realistic ones. Each has a twin that does the same with net/url, over the
// references that both take. Compare ns/URI of the twins in one run: on a shared machine absolute
// numbers move.

// benchRef is a reference and its document's base.
type benchRef struct{ base, ref string }

// benchSize bounds each benchmark's number of references.
const benchSize = 20_000

// benchRefs are references that normalize and net/url both take, of the kind that keep asks for.
func benchRefs(b *testing.B, keep func(ref string, r normalize.Result) bool) []benchRef {
	b.Helper()
	all := corpusRefs()
	if len(all) == 0 {
		b.Log("no corpora beside the repository: generated references")
		all = generatedRefs()
	}
	n, err := normalize.New(normalize.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var kept []benchRef
	var base normalize.Base
	for _, x := range all {
		n.SetBase(&base, nil, nil, []byte(x.base))
		_, r := n.Append(nil, &base, []byte(x.ref))
		if r.Reason != normalize.OK || !keep(x.ref, r) {
			continue
		}
		if _, err := url.Parse(x.ref); err != nil {
			continue
		}
		if kept = append(kept, x); len(kept) == benchSize {
			break
		}
	}
	if len(kept) == 0 {
		b.Skip("no references of this kind")
	}
	return kept
}

func canonical(_ string, r normalize.Result) bool { return r.Changed == 0 }
func dirty(_ string, r normalize.Result) bool {
	return r.Changed&^normalize.RuleResolve != 0
}
func relative(_ string, r normalize.Result) bool { return r.Changed&normalize.RuleResolve != 0 }

// corpusRefs are the links of real pages and a list of real URLs, mixed the same way every time;
// nil where the corpora are not there.
func corpusRefs() []benchRef {
	var refs []benchRef
	readLines(filepath.Join("..", "..", "shared", "corpora", "web", "hrefs.jsonl.gz"), func(line []byte) {
		var x struct{ Doc, Raw string }
		if json.Unmarshal(line, &x) == nil && !strings.HasPrefix(x.Raw, "data:") {
			refs = append(refs, benchRef{x.Doc, x.Raw})
		}
	})
	readLines(filepath.Join("..", "..", "shared", "corpora", "urls", "eot2024-seeds.txt.gz"), func(line []byte) {
		refs = append(refs, benchRef{"http://example.com/", string(line)})
	})
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(refs), func(i, j int) { refs[i], refs[j] = refs[j], refs[i] })
	return refs
}

// readLines calls f with the lines of a gzip file; it does nothing where there is none.
func readLines(name string, f func([]byte)) {
	file, err := os.Open(name)
	if err != nil {
		return
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		return
	}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		f(s.Bytes())
	}
}

// generatedRefs are references in the proportions of real pages: two in three absolute, one in
// twelve dirty.
func generatedRefs() []benchRef {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string { return strings.Repeat(string(rune('a'+r.IntN(26))), 1) + fmt.Sprintf("%x", r.Uint32()) }
	refs := make([]benchRef, 0, 5*benchSize)
	for range 5 * benchSize {
		host := "www." + word() + "." + []string{"com", "org", "net", "co.uk", "gov"}[r.IntN(5)]
		path := ""
		for range r.IntN(5) {
			path += "/" + word()
		}
		path += []string{"/", ".html", "/index.php?id=" + word() + "&page=2"}[r.IntN(3)]
		x := benchRef{"https://" + host + "/news/", "https://" + host + path}
		switch r.IntN(12) {
		case 0, 1, 2, 3:
			x.ref = path
		case 4:
			x.ref = []string{
				"HTTPS://" + host + path, "https://" + strings.ToUpper(host) + path, "https://" + host + ":443" + path,
				"https://" + host + "/%7e" + word() + path, "https://" + host + "/./a/../b" + path, "https://" + host,
				"https://" + host + path + "?a=<b c>", "https://" + host + "/é" + path, "../" + word() + "/" + word(),
			}[r.IntN(9)]
		}
		refs = append(refs, x)
	}
	return refs
}

func benchmarkAppend(b *testing.B, keep func(string, normalize.Result) bool) {
	refs := benchRefs(b, keep)
	n, err := normalize.New(normalize.Options{})
	if err != nil {
		b.Fatal(err)
	}
	bases := make([]normalize.Base, len(refs))
	texts := make([][]byte, len(refs))
	var dst []byte
	size := 0
	for i, x := range refs {
		n.SetBase(&bases[i], nil, nil, []byte(x.base))
		texts[i] = []byte(x.ref)
		size += len(x.ref)
		dst, _ = n.Append(dst[:0], &bases[i], texts[i]) // warms the memory of hosts
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		dst, _ = n.Append(dst[:0], &bases[i], texts[i])
		if i++; i == len(refs) {
			i = 0
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/URI")
	b.ReportMetric(float64(size)/float64(len(refs)), "bytes/URI")
}

func benchmarkNetURL(b *testing.B, keep func(string, normalize.Result) bool) {
	refs := benchRefs(b, keep)
	bases := make([]*url.URL, len(refs))
	for i, x := range refs {
		base, err := url.Parse(x.base)
		if err != nil {
			b.Fatal(err)
		}
		bases[i] = base
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		u, err := url.Parse(refs[i].ref)
		if err != nil {
			b.Fatal(err)
		}
		if s := bases[i].ResolveReference(u).String(); s == "" {
			b.Fatal(refs[i])
		}
		if i++; i == len(refs) {
			i = 0
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/URI")
}

func BenchmarkCanonical(b *testing.B)       { benchmarkAppend(b, canonical) }
func BenchmarkCanonicalNetURL(b *testing.B) { benchmarkNetURL(b, canonical) }
func BenchmarkDirty(b *testing.B)           { benchmarkAppend(b, dirty) }
func BenchmarkDirtyNetURL(b *testing.B)     { benchmarkNetURL(b, dirty) }
func BenchmarkRelative(b *testing.B)        { benchmarkAppend(b, relative) }
func BenchmarkRelativeNetURL(b *testing.B)  { benchmarkNetURL(b, relative) }

// BenchmarkRebuild is the long way over canonical references: what the fast path saves.
func BenchmarkRebuild(b *testing.B) {
	refs := benchRefs(b, canonical)
	n, err := normalize.New(normalize.Options{})
	if err != nil {
		b.Fatal(err)
	}
	n.DisableFastPath()
	var dst []byte
	i := 0
	for b.Loop() {
		dst, _ = n.Append(dst[:0], nil, []byte(refs[i].ref))
		if i++; i == len(refs) {
			i = 0
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/URI")
}

func BenchmarkSetBase(b *testing.B) {
	n, err := normalize.New(normalize.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var base normalize.Base
	embedded, retrieval := []byte("/forum/"), []byte("https://www.example.com/a/b/page.html?q")
	b.ReportAllocs()
	for b.Loop() {
		n.SetBase(&base, embedded, nil, retrieval)
	}
}
