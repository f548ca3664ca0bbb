// Samplegen writes the sample data that the project ships: references of a made-up web, with its
// bases, its duplicates in different spellings and its dirt. The same files come out every time.
//
//	go run ./internal/samplegen -out testdata/sample
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

//go:generate go run . -out ../../testdata/sample

func main() {
	out := flag.String("out", "testdata/sample", "folder to write to")
	flag.Parse()
	if err := write(*out); err != nil {
		fmt.Fprintln(os.Stderr, "samplegen:", err)
		os.Exit(1)
	}
}

// write brings the folder up to date. A file that already holds the right text is left alone,
// because the bytes of a compressed file differ between releases of the compressor.
func write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, s := range samples() {
		name := filepath.Join(dir, s.name)
		if have, err := read(name); err == nil && bytes.Equal(have, s.text) {
			continue
		}
		data := s.text
		if strings.HasSuffix(s.name, ".gz") {
			var err error
			if data, err = compress(data); err != nil {
				return err
			}
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func compress(text []byte) ([]byte, error) {
	var b bytes.Buffer
	zw, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := zw.Write(text); err != nil {
		return nil, err
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// read gives the text of a file of the sample, decompressed.
func read(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil || !strings.HasSuffix(name, ".gz") {
		return data, err
	}
	zr, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zr)
}
