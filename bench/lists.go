package main

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// lists are the real URLs that lie beside the repository, where they do.
var lists = []string{"urls/eot2024-seeds.txt.gz", "urls/eot2024-sitemaps.txt.zst"}

// eachURL calls f with every n-th line of a list.
func eachURL(corpora, list string, n int, f func(url string)) error {
	file, err := os.Open(filepath.Join(corpora, list))
	if err != nil {
		return err
	}
	defer file.Close()
	var r io.Reader
	if strings.HasSuffix(list, ".gz") {
		if r, err = gzip.NewReader(file); err != nil {
			return err
		}
	} else {
		z, err := zstd.NewReader(file)
		if err != nil {
			return err
		}
		defer z.Close()
		r = z
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for i := 0; lines.Scan(); i++ {
		if i%n == 0 && lines.Text() != "" {
			f(lines.Text())
		}
	}
	return lines.Err()
}
