package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// kind says how an answer differs from the one that a case wants.
type kind uint8

const (
	// further: this program goes on where the other stops. What it makes of the other's answer is
	// what it makes of the input: both sides call the two equal, and spell them in different ways.
	further kind = iota + 1
	// refuses: this program refuses what the other takes.
	refuses
	// accepts: this program takes what the other refuses.
	accepts
	// apart: what the other makes one, this program keeps apart.
	apart
	// form: another spelling of what isn't a URI, such as a sort key.
	form
)

var kindNames = [...]string{further: "further", refuses: "refused", accepts: "accepted", apart: "apart", form: "form"}

func (k kind) String() string { return kindNames[k] }

// reason is why a case is answered otherwise than it wants.
type reason struct {
	code    string
	kind    kind
	section string // the standard's, or the requirement's
	text    string // a sentence
}

// readReasons reads lines "code | kind | section | sentence"; "#" begins a comment.
func readReasons(dir string) ([]reason, error) {
	name := filepath.Join(dir, "reasons.txt")
	lines, err := readLines(name)
	if err != nil {
		return nil, err
	}
	var all []reason
	seen := map[string]bool{}
	for _, line := range lines {
		fields := strings.Split(line, " | ")
		if len(fields) != 4 {
			return nil, fmt.Errorf("%s: %q is not code | kind | section | sentence", name, line)
		}
		r := reason{code: fields[0], section: fields[2], text: fields[3]}
		for k, kindName := range kindNames {
			if kindName != "" && kindName == fields[1] {
				r.kind = kind(k)
			}
		}
		switch {
		case r.kind == 0:
			return nil, fmt.Errorf("%s: %s has no kind that there is: %q", name, r.code, fields[1])
		case seen[r.code]:
			return nil, fmt.Errorf("%s: %s stands there twice", name, r.code)
		}
		seen[r.code] = true
		all = append(all, r)
	}
	return all, nil
}

// readDifferences reads the list of a file: the code of a reason, and on the lines under it the
// numbers of its cases, "0007" or "0010-0014". It gives the codes by number. No list is no
// difference.
func readDifferences(dir, file string) (map[string]string, error) {
	name := filepath.Join(dir, "differences", file+".txt")
	lines, err := readLines(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	listed := map[string]string{}
	code := ""
	for _, line := range lines {
		for word := range strings.FieldsSeq(line) {
			if word[0] < '0' || word[0] > '9' {
				code = word
				continue
			}
			numbers, err := expand(word)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			for _, number := range numbers {
				if code == "" || listed[number] != "" {
					return nil, fmt.Errorf("%s: %s has no reason, or two", name, number)
				}
				listed[number] = code
			}
		}
	}
	return listed, nil
}

// expand gives the numbers of "0010-0012": "0010", "0011", "0012".
func expand(word string) ([]string, error) {
	from, to, isRange := strings.Cut(word, "-")
	if !isRange {
		return []string{word}, nil
	}
	first, err1 := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	if err := errors.Join(err1, err2); err != nil || first >= last {
		return nil, fmt.Errorf("%q is no range: %w", word, err)
	}
	var numbers []string
	for n := first; n <= last; n++ {
		numbers = append(numbers, fmt.Sprintf("%0*d", len(from), n))
	}
	return numbers, nil
}

// readLines reads the lines that are neither empty nor comments.
func readLines(name string) ([]string, error) {
	all, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var lines []string
	for line := range bytes.Lines(all) {
		line := strings.TrimSpace(string(line))
		if line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines, nil
}
