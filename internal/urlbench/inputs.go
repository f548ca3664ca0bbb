package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// reference is a reference and the document that it stands in.
type reference struct{ text, base string }

// inputs are the files that are measured.
type inputs struct {
	list  string // a reference a line, nearly all absolute
	docs  string // JSON lines: links with their documents
	link  func(line []byte) ([]reference, error)
	total int64 // references in list, once a run has counted them
}

// inputs chooses the corpora where they are, else the sample.
func (o options) inputs() (in inputs, where string, err error) {
	list := filepath.Join(o.corpora, "urls", "eot2024-sitemaps.txt.zst")
	if _, err := os.Stat(list); err == nil {
		return inputs{list: list, docs: filepath.Join(o.corpora, "web", "hrefs.jsonl.gz"), link: corpusLink}, "the corpora: links of real pages and sitemaps", nil
	}
	list = filepath.Join(o.sample, "urls.txt.gz")
	_, err = os.Stat(list)
	return inputs{list: list, docs: filepath.Join(o.sample, "documents.jsonl.gz"), link: sampleLinks}, "the sample (no real URLs at hand)", err
}

func corpusLink(line []byte) ([]reference, error) {
	var l struct{ Doc, Raw string }
	err := json.Unmarshal(line, &l)
	return []reference{{l.Raw, l.Doc}}, err
}

func sampleLinks(line []byte) ([]reference, error) {
	var d struct {
		Base  string
		Links []struct{ Href string }
	}
	if err := json.Unmarshal(line, &d); err != nil {
		return nil, err
	}
	refs := make([]reference, 0, len(d.Links))
	for _, l := range d.Links {
		refs = append(refs, reference{l.Href, d.Base})
	}
	return refs, nil
}

// listBase is the base of references that stand in a list. Absolute ones don't look at it.
const listBase = "http://list.example/"

// every takes each 17th line of the list, which is long and has its sites in blocks.
const every = 17

// references takes references from both files.
func (in inputs) references() ([]reference, error) {
	var refs []reference
	err := eachLine(in.list, every, func(line []byte) error {
		refs = append(refs, reference{string(line), listBase})
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = eachLine(in.docs, 1, func(line []byte) error {
		links, err := in.link(line)
		refs = append(refs, links...)
		return err
	})
	return refs, err
}

// eachLine calls f with every n-th line of a file, decompressed by its name.
func eachLine(name string, n int, f func(line []byte) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	var r io.Reader = file
	switch filepath.Ext(name) {
	case ".gz":
		if r, err = gzip.NewReader(file); err != nil {
			return err
		}
	case ".zst":
		zr, err := zstd.NewReader(file)
		if err != nil {
			return err
		}
		defer zr.Close()
		r = zr
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for i := 0; lines.Scan(); i++ {
		if i%n != 0 || strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		if err := f(lines.Bytes()); err != nil {
			return err
		}
	}
	return lines.Err()
}
