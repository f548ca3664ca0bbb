package sinks

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/weppos/publicsuffix-go/publicsuffix"
)

// SuffixList is a public suffix list (publicsuffix.org). It is read-only once made.
type SuffixList struct {
	rules   map[string]suffixRule
	labels  int // of the longest rule, with the one that a wildcard stands for
	version string
}

// suffixRule is what the list says about one name. More than one kind may hold for it: "ck" can stand
// beside "*.ck".
type suffixRule uint8

const (
	ruleNormal suffixRule = 1 << iota
	ruleWildcard
	ruleException
	ruleNormalPrivate // the same, from the private section
	ruleWildcardPrivate
	ruleExceptionPrivate
)

const privateShift = 3

// Version names the list: its VERSION line or the like.
func (l *SuffixList) Version() string { return l.version }

// builtinSuffixes is the list that the program was built with.
func builtinSuffixes() *SuffixList {
	l := &SuffixList{rules: make(map[string]suffixRule, 12_000), version: publicsuffix.ListVersion}
	for _, r := range publicsuffix.DefaultRules() {
		kind := ruleNormal
		switch r.Type {
		case publicsuffix.WildcardType:
			kind = ruleWildcard
		case publicsuffix.ExceptionType:
			kind = ruleException
		}
		l.add(r.Value, kind, r.Private)
	}
	return l
}

func (l *SuffixList) add(name string, kind suffixRule, private bool) {
	if private {
		kind <<= privateShift
	}
	l.rules[name] |= kind
	l.labels = max(l.labels, strings.Count(name, ".")+2)
}

// openSuffixes reads the list from a file, "" for the built-in one. Where no column needs the built-in one,
// its name will do: its ten thousand rules take some milliseconds to load.
func openSuffixes(path string, needed bool) (*SuffixList, error) {
	switch {
	case path == "" && needed:
		return builtinSuffixes(), nil
	case path == "":
		return &SuffixList{version: publicsuffix.ListVersion}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("public suffix list: %w", err)
	}
	defer f.Close()
	l, err := ReadSuffixList(f)
	if err != nil {
		return nil, fmt.Errorf("public suffix list %s: %w", path, err)
	}
	return l, nil
}

// ReadSuffixList reads a list in the format of publicsuffix.org: a rule a line, up to the first space;
// "//" begins a comment; the markers "===BEGIN PRIVATE DOMAINS===" and "===END PRIVATE DOMAINS===" bound the
// private section; the comments "VERSION: ..." and "COMMIT: ..." name it. A file without any rule is an error:
// it is something else.
func ReadSuffixList(r io.Reader) (*SuffixList, error) {
	l := &SuffixList{rules: map[string]suffixRule{}, version: "unversioned"}
	private := false
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if comment, ok := strings.CutPrefix(line, "//"); ok {
			l.comment(comment, &private)
			continue
		}
		if line, _, _ = strings.Cut(strings.ReplaceAll(line, "\t", " "), " "); line == "" {
			continue
		}
		if err := l.addLine(line, private); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(l.rules) == 0 {
		return nil, errors.New("no rule in it: want the format of publicsuffix.org")
	}
	return l, nil
}

func (l *SuffixList) comment(text string, private *bool) {
	switch {
	case strings.Contains(text, "===BEGIN PRIVATE DOMAINS==="):
		*private = true
	case strings.Contains(text, "===END PRIVATE DOMAINS==="):
		*private = false
	}
	if version, ok := strings.CutPrefix(strings.TrimSpace(text), "VERSION:"); ok {
		l.version = strings.TrimSpace(version)
	}
}

func (l *SuffixList) addLine(line string, private bool) error {
	kind := ruleNormal
	if name, ok := strings.CutPrefix(line, "!"); ok {
		kind, line = ruleException, name
	} else if name, ok := strings.CutPrefix(line, "*."); ok {
		kind, line = ruleWildcard, name
	} else if line == "*" {
		return nil // what holds anyway where no rule does
	}
	name, err := publicsuffix.ToASCII(strings.ToLower(strings.Trim(line, ".")))
	if err != nil || name == "" || strings.ContainsAny(name, "*!/") {
		return fmt.Errorf("%q is no rule", line)
	}
	l.add(name, kind, private)
	return nil
}

// cut splits a domain at its public suffix, with or without the rules of the private section:
// suffix, and the suffix with one label more, nil when there is none. The prevailing rule is an
// exception, else the one with the most labels; without any, the last label is the suffix
// (publicsuffix.org/list, "Algorithm"). domain is lower case, A-labels, without a dot at the end.
func (l *SuffixList) cut(domain []byte, private bool) (suffix, registered []byte) {
	best := bytes.LastIndexByte(domain, '.') + 1 // the default rule "*"
	// From the longest candidate to the shortest; before is where the label before it begins.
	for at, before := l.longest(domain), -1; ; {
		rule := l.rules[string(domain[at:])]
		if private {
			rule |= rule >> privateShift
		}
		dot := bytes.IndexByte(domain[at:], '.')
		if rule&ruleException != 0 && dot >= 0 {
			best = at + dot + 1
			break
		}
		if rule&ruleWildcard != 0 && before >= 0 {
			best = before
			break
		}
		if rule&ruleNormal != 0 {
			best = at
			break
		}
		if dot < 0 {
			break
		}
		before, at = at, at+dot+1
	}
	suffix = domain[best:]
	if best == 0 {
		return suffix, nil
	}
	return suffix, domain[bytes.LastIndexByte(domain[:best-1], '.')+1:]
}

// longest is where the longest name begins that a rule can be about, so that a host of thousands
// of labels costs no more than another.
func (l *SuffixList) longest(domain []byte) int {
	at := len(domain)
	for range l.labels {
		if at = bytes.LastIndexByte(domain[:at], '.'); at < 0 {
			return 0
		}
	}
	return at + 1
}
