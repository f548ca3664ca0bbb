package sources

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// stdinName is the input that means standard input, and the name that its records bear.
const stdinName = "-"

// input is one file, or standard input, in the order of reading.
type input struct {
	name    string
	size    int64 // bytes as stored, -1 if unknown
	live    bool  // a pipe or a terminal: its next bytes may be long in coming
	skip    int64 // decompressed bytes that were read before, by the job that is resumed
	bytesIn atomic.Int64
	dropped atomic.Bool // the rest of it isn't wanted
}

// An InputError says why an input that was asked for can't be read.
type InputError struct {
	Input string // as given
	Err   error
	Hint  string // what to do
}

func (e *InputError) Error() string {
	return fmt.Sprintf("input %q: %v: %s", e.Input, e.Err, e.Hint)
}

func (e *InputError) Unwrap() error { return e.Err }

var (
	errNoMatch   = errors.New("no file matches")
	errEmptyDir  = errors.New("the directory holds no input files")
	errTwice     = errors.New("standard input is named twice")
	errNoFile    = errors.New("not a file, a directory or a pipe")
	errNoInputs  = errors.New("no input is named")
	hintNames    = `names that begin with "." or "_" are skipped unless spelled out`
	hintReadable = "make it readable for this user, or leave it out"
)

// findInputs finds the files behind the names, in order, and reports all faults at once, joined.
func findInputs(names []string) ([]*input, error) {
	var found []*input
	var errs []error
	fail := func(name string, err error, hint string) {
		errs = append(errs, &InputError{name, err, hint})
	}
	stdins := 0
	for _, name := range names {
		if name == stdinName {
			if stdins++; stdins == 2 {
				fail(name, errTwice, `give "-" once: it can be read only once`)
			}
			found = append(found, &input{name: stdinName, size: -1})
			continue
		}
		info, err := os.Stat(name)
		switch {
		case err == nil && info.IsDir():
			files := walk(name, fail)
			if len(files) == 0 {
				fail(name, errEmptyDir, hintNames)
			}
			found = append(found, files...)
		case err == nil:
			found = appendFile(found, name, info, fail)
		case errors.Is(err, fs.ErrNotExist) && hasMeta(name):
			before := len(found)
			for _, match := range glob(name, fail) {
				found = appendMatch(found, match, fail)
			}
			if len(found) == before {
				fail(name, errNoMatch, "check the glob and its directory; "+hintNames)
			}
		case errors.Is(err, fs.ErrNotExist):
			fail(name, fs.ErrNotExist, "check the name and the working directory")
		default:
			fail(name, reasonOf(err), hintReadable)
		}
	}
	return found, errors.Join(errs...)
}

type failer func(name string, err error, hint string)

// reasonOf strips the path and the operation, which the message has already.
func reasonOf(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// appendFile adds a file, unless it can't be opened.
func appendFile(found []*input, name string, info fs.FileInfo, fail failer) []*input {
	in := &input{name: name, size: -1}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		f, err := os.Open(name)
		if err != nil {
			fail(name, reasonOf(err), hintReadable)
			return found
		}
		f.Close()
		in.size = info.Size()
	case mode&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0:
		in.live = true
	case mode&fs.ModeDevice != 0:
	default:
		fail(name, errNoFile, "leave it out")
		return found
	}
	return append(found, in)
}

// appendMatch adds what a glob matched: a file, or a directory's files.
func appendMatch(found []*input, name string, fail failer) []*input {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		fail(name, reasonOf(err), hintReadable)
		return found
	case info.IsDir():
		return append(found, walk(name, fail)...)
	}
	return appendFile(found, name, info, fail)
}

func hidden(name string) bool { return name[0] == '.' || name[0] == '_' }

// walk finds the regular files in a directory and below, sorted by name within each directory.
// Links to files are followed, links to directories are not.
func walk(dir string, fail failer) []*input {
	var found []*input
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			fail(name, reasonOf(err), hintReadable)
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case name == dir:
			return nil
		case hidden(d.Name()):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		}
		info, err := os.Stat(name)
		switch {
		case err != nil:
			fail(name, reasonOf(err), hintReadable)
		case info.Mode().IsRegular():
			found = appendFile(found, name, info, fail)
		}
		return nil
	})
	if err != nil {
		fail(dir, reasonOf(err), hintReadable)
	}
	return found
}

func hasMeta(name string) bool { return strings.ContainsAny(name, `*?[`) }

// glob gives the names that match a pattern, sorted and once each: path.Match within each element, "**" for any
// number of directories, also none. Elements are compared bytewise.
func glob(pattern string, fail failer) []string {
	slashed := filepath.ToSlash(pattern)
	root := filepath.VolumeName(pattern)
	slashed = slashed[len(root):]
	if strings.HasPrefix(slashed, "/") {
		root += "/"
	}
	var elements []string
	for e := range strings.SplitSeq(slashed, "/") {
		if e == "" || e == "**" && len(elements) > 0 && elements[len(elements)-1] == "**" {
			continue
		}
		if _, err := path.Match(e, ""); err != nil {
			fail(pattern, err, `close the "[", or write "\\[" for the character itself`)
			return nil
		}
		elements = append(elements, e)
	}
	names := []string{root}
	for i, e := range elements {
		names = matchElement(names, e, i == len(elements)-1, fail)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(slices.Compare(strings.Split(a, "/"), strings.Split(b, "/")), strings.Compare(a, b))
	})
	return slices.Compact(names)
}

// matchElement extends each name by what its directory has that matches the next element.
func matchElement(names []string, element string, last bool, fail failer) []string {
	var out []string
	for _, name := range names {
		switch {
		case element == "**":
			out = append(out, below(name, last, fail)...)
		case !hasMeta(element) && !strings.Contains(element, `\`):
			joined := join(name, element)
			if _, err := os.Stat(joined); err == nil {
				out = append(out, joined)
			}
		default:
			for _, d := range entries(name, fail) {
				if ok, _ := path.Match(element, d.Name()); ok && (!hidden(d.Name()) || element[0] == d.Name()[0]) {
					out = append(out, join(name, d.Name()))
				}
			}
		}
	}
	return out
}

// below gives a directory and those below it, or, with files set, the files in all of them.
func below(dir string, files bool, fail failer) []string {
	var out []string
	if !files {
		out = append(out, dir)
	}
	for queue := []string{dir}; len(queue) > 0; {
		next := queue[0]
		queue = queue[1:]
		for _, d := range entries(next, fail) {
			name := join(next, d.Name())
			switch {
			case hidden(d.Name()):
			case d.IsDir():
				queue = append(queue, name)
				if !files {
					out = append(out, name)
				}
			case files:
				out = append(out, name)
			}
		}
	}
	return out
}

// entries reads a directory; what is no directory has none.
func entries(dir string, fail failer) []fs.DirEntry {
	info, err := os.Stat(cmp.Or(dir, "."))
	if err != nil || !info.IsDir() {
		return nil
	}
	list, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		fail(dir, reasonOf(err), hintReadable)
	}
	return list
}

func join(dir, name string) string {
	if dir == "" || strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}
