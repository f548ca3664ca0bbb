package sources

import (
	"errors"
	"strconv"
	"strings"
)

// pathNode is a place that some wanted path leads through: "links[].href" is the root, its key
// "links", each of its elements, the key "href" of these. The paths of a decoder are one tree, so
// that a record is walked once. Its depth is that of the longest path, whatever the input.
type pathNode struct {
	targets []int // what the paths that end here are for
	keys    []pathKey
	indices []pathIndex
	each    *pathNode
	ref     bool // each: a reference's path leads through it

	object   int // number of the object that the key was last seen in
	from, to int // the matches that came from there
}

type pathKey struct {
	name string
	node *pathNode
}

type pathIndex struct {
	n    int
	node *pathNode
}

var errPath = errors.New("is no path")

// step is one step of a path.
type step struct {
	key   string
	index int
	kind  stepKind
}

type stepKind uint8

const (
	stepKey   stepKind = iota // .key or ["key"]
	stepIndex                 // [0]
	stepEach                  // []
)

// parsePath reads a path: keys with "." between them, "[0]", "[]" for every element, `["a.b"]` for
// a key with any characters in it; "." is the whole value. Its steps are told apart by syntax
// alone, so a key "0" isn't an index.
func parsePath(path string) ([]step, error) {
	if path == "." {
		return nil, nil
	}
	var steps []step
	for i := 0; i < len(path); {
		switch {
		case path[i] == '[':
			s, n, err := parseBracket(path[i:])
			if err != nil {
				return nil, err
			}
			steps = append(steps, s)
			i += n
		case path[i] == '.' && i == 0:
			return nil, errPath
		default:
			if i > 0 {
				if path[i] != '.' {
					return nil, errPath
				}
				i++
			}
			n := strings.IndexAny(path[i:], ".[")
			if n < 0 {
				n = len(path) - i
			}
			if n == 0 {
				return nil, errPath
			}
			steps = append(steps, step{key: path[i : i+n]})
			i += n
		}
	}
	if len(steps) == 0 {
		return nil, errPath
	}
	return steps, nil
}

// parseBracket reads "[]", "[0]" or `["key"]` and gives its length.
func parseBracket(s string) (step, int, error) {
	if strings.HasPrefix(s, `["`) {
		quoted, err := strconv.QuotedPrefix(s[1:])
		if err != nil || !strings.HasPrefix(s[1+len(quoted):], "]") {
			return step{}, 0, errPath
		}
		key, err := strconv.Unquote(quoted)
		return step{key: key}, len(quoted) + 2, err
	}
	end := strings.IndexByte(s, ']')
	switch {
	case end < 0:
		return step{}, 0, errPath
	case end == 1:
		return step{kind: stepEach}, 2, nil
	}
	n, err := strconv.Atoi(s[1:end])
	if err != nil || n < 0 || s[1] == '+' || s[1] == '-' {
		return step{}, 0, errPath
	}
	return step{index: n, kind: stepIndex}, end + 1, nil
}

// many reports whether a path may lead to several values.
func many(steps []step) bool {
	for _, s := range steps {
		if s.kind == stepEach {
			return true
		}
	}
	return false
}

// add makes the path lead to the target.
func (n *pathNode) add(steps []step, target int, ref bool) {
	for _, s := range steps {
		n = n.next(s)
		if s.kind == stepEach && ref {
			n.ref = true
		}
	}
	n.targets = append(n.targets, target)
}

func (n *pathNode) next(s step) *pathNode {
	switch s.kind {
	case stepEach:
		if n.each == nil {
			n.each = &pathNode{}
		}
		return n.each
	case stepIndex:
		for _, i := range n.indices {
			if i.n == s.index {
				return i.node
			}
		}
		n.indices = append(n.indices, pathIndex{s.index, &pathNode{}})
		return n.indices[len(n.indices)-1].node
	default: // stepKey
	}
	if k := n.key([]byte(s.key)); k != nil {
		return k
	}
	n.keys = append(n.keys, pathKey{s.key, &pathNode{}})
	return n.keys[len(n.keys)-1].node
}

// key is the node that a key leads to, nil for a key that no path has.
func (n *pathNode) key(name []byte) *pathNode {
	for i := range n.keys {
		if n.keys[i].name == string(name) {
			return n.keys[i].node
		}
	}
	return nil
}
