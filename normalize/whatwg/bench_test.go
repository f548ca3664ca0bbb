package whatwg

import (
	"bufio"
	"compress/gzip"
	"net/url"
	"os"
	"path/filepath"
	"testing"
)

// realURLs are lines of a list that others collected: hand-written links of many sites.
func realURLs(tb testing.TB, name string) (urls [][]byte, bytes int64) {
	f, err := os.Open(filepath.Join(corpora, "urls", name))
	if err != nil {
		tb.Skipf("the test corpora are not beside the repository: %v", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	for lines := bufio.NewScanner(z); lines.Scan(); {
		urls = append(urls, append([]byte(nil), lines.Bytes()...))
		bytes += int64(len(lines.Bytes()))
	}
	return urls, bytes
}

func BenchmarkAppend(b *testing.B) {
	for _, name := range []string{"curated-links", "ada-kasztp", "brave-sitelist", "ada-node-files"} {
		urls, size := realURLs(b, name+".txt.gz")
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size / int64(len(urls)))
			b.Run("append", func(b *testing.B) {
				p := New(Options{})
				var dst []byte
				b.ReportAllocs()
				for i := 0; i < b.N; i++ {
					dst, _ = p.Append(dst[:0], nil, urls[i%len(urls)])
				}
			})
			b.Run("in-full", func(b *testing.B) { // without the short way
				p := New(Options{})
				var dst []byte
				for i := 0; i < b.N; i++ {
					dst, _ = p.appendParsed(dst[:0], nil, urls[i%len(urls)])
				}
			})
			b.Run("net-url", func(b *testing.B) {
				for i := 0; i < b.N; i++ {
					if u, err := url.Parse(string(urls[i%len(urls)])); err == nil {
						_ = u.String()
					}
				}
			})
		})
	}
}

func BenchmarkRelative(b *testing.B) {
	p := New(Options{})
	var base Base
	p.SetBase(&base, nil, []byte("https://www.example.com/blog/2024/05/an-article.html?page=2"))
	refs := [][]byte{[]byte("/about/us"), []byte("../06/another-article.html#comments"), []byte("?page=3"), []byte("//cdn.example.com/x.js"), []byte("img/photo 1.jpg")}
	var dst []byte
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		dst, _ = p.Append(dst[:0], &base, refs[i%len(refs)])
	}
}
