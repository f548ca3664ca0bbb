package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// document is what the configuration file said.
type document struct {
	values  map[string]any    // by key; the types that Leaf.parse gives
	origins map[string]string // by key: "run.yaml:12"
	faults  Faults
}

// reader walks the one document of a file.
type reader struct {
	name   string
	leaves map[string]Leaf // by key
	keys   []string        // of all leaves, in order
	doc    document
}

// readYAML checks a file's text and takes its values. The decoder of the YAML library does not
// report all faults at once, nor with keys, nor keys that differ in case only: so this walks the
// nodes.
func readYAML(name string, text []byte) document {
	r := reader{name: name, leaves: map[string]Leaf{}}
	r.doc.values, r.doc.origins = map[string]any{}, map[string]string{}
	for _, l := range Leaves() {
		r.leaves[l.Key] = l
		r.keys = append(r.keys, l.Key)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	var node yaml.Node
	switch err := d.Decode(&node); {
	case errors.Is(err, io.EOF):
		return r.doc // empty: every option keeps its default
	case err != nil:
		r.syntax(err)
		return r.doc
	}
	r.root(node.Content[0])
	var second yaml.Node
	if err := d.Decode(&second); err == nil {
		r.fault(&second, "", "a second YAML document begins here", "one document", "")
	} else if !errors.Is(err, io.EOF) {
		r.syntax(err)
	}
	return r.doc
}

// syntax reports what is no YAML at all; the library says "yaml: line 3: ...".
func (r *reader) syntax(err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	origin := r.name
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if line, problem, ok := strings.Cut(rest, ": "); ok {
			origin, text = r.name+":"+line, problem
		}
	}
	r.doc.faults = append(r.doc.faults, Fault{Origin: origin, Problem: "not YAML: " + text})
}

func (r *reader) fault(n *yaml.Node, key, problem, accepted, nearest string) {
	r.doc.faults = append(r.doc.faults, Fault{
		Key: key, Origin: r.origin(n), Problem: problem, Accepted: accepted, Nearest: nearest,
	})
}

func (r *reader) origin(n *yaml.Node) string { return r.name + ":" + strconv.Itoa(n.Line) }

// root reads the sections.
func (r *reader) root(n *yaml.Node) {
	if isNull(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.fault(n, "", "the file holds "+nodeName(n), "sections, such as input:", "")
		return
	}
	r.pairs(n, "", func(key string, k, v *yaml.Node) {
		if !r.isSection(key) {
			r.unknown(k, key)
			return
		}
		if isNull(v) {
			return
		}
		if v.Kind != yaml.MappingNode {
			r.fault(v, key, "holds "+nodeName(v), "options, such as "+r.firstOf(key)+":", "")
			return
		}
		r.pairs(v, key+".", func(key string, k, v *yaml.Node) {
			leaf, ok := r.leaves[key]
			if !ok {
				r.unknown(k, key)
				return
			}
			r.leaf(leaf, v)
		})
	})
}

// pairs yields the entries of a mapping, each key once whatever its case.
func (r *reader) pairs(n *yaml.Node, prefix string, yield func(key string, k, v *yaml.Node)) {
	seen := map[string]int{} // line by lower-cased key
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], deref(n.Content[i+1])
		key := prefix + k.Value
		lower := strings.ToLower(key)
		if line, again := seen[lower]; again {
			r.fault(k, key, fmt.Sprintf("given twice: also in line %d", line), "", "")
			continue
		}
		seen[lower] = k.Line
		yield(key, k, v)
	}
}

func (r *reader) isSection(name string) bool {
	for _, k := range r.keys {
		if strings.HasPrefix(k, name+".") {
			return true
		}
	}
	return false
}

func (r *reader) firstOf(section string) string {
	for _, k := range r.keys {
		if name, ok := strings.CutPrefix(k, section+"."); ok {
			return name
		}
	}
	return ""
}

func (r *reader) unknown(n *yaml.Node, key string) {
	names := r.keys
	if !strings.Contains(key, ".") {
		names = nil
		for _, k := range r.keys {
			if section, _, _ := strings.Cut(k, "."); len(names) == 0 || names[len(names)-1] != section {
				names = append(names, section)
			}
		}
		if near := Nearest(key, names); near != "" {
			r.fault(n, key, "unknown key", "", near)
			return
		}
		names = r.keys
	}
	r.fault(n, key, "unknown key", "", nearestKey(key, names))
}

// leaf takes the value of one option.
func (r *reader) leaf(l Leaf, n *yaml.Node) {
	value, problem := leafValue(l, n)
	if problem != "" {
		r.fault(n, l.Key, problem, l.Accepted(), "")
		return
	}
	r.doc.values[l.Key], r.doc.origins[l.Key] = value, r.origin(n)
}

// leafValue gives the value, or says what is wrong with it.
func leafValue(l Leaf, n *yaml.Node) (value any, problem string) {
	switch {
	case l.Kind == KindSecret:
		return nil, "a secret does not belong in a configuration file: set " + l.Env + ", or name a file by " + l.Key + "_file"
	case isNull(n):
		return nil, `has no value: leave the key out for the default, or write "" for none`
	case l.Kind == KindStrings:
		return textList(n)
	case l.Kind == KindPorts:
		return portList(n)
	case n.Kind != yaml.ScalarNode:
		return nil, "holds " + nodeName(n)
	}
	if problem = wrongScalar(l.Kind, n); problem != "" {
		return nil, problem
	}
	value, err := l.parse(n.Value)
	if err != nil {
		return nil, quote(n.Value) + " is not accepted"
	}
	return value, ""
}

// wrongScalar says what is wrong with the YAML type of a scalar, "" when it fits.
func wrongScalar(k Kind, n *yaml.Node) string {
	tag := n.ShortTag()
	number := tag == "!!int" || tag == "!!float"
	switch k {
	case KindBool:
		if tag != "!!bool" {
			return quote(n.Value) + " is not a boolean"
		}
	case KindInt:
		if tag != "!!int" {
			return quote(n.Value) + " is not a whole number"
		}
	case KindSize, KindDuration:
		if number && n.Value != "0" {
			return n.Value + " has no unit"
		}
	case KindRejectLimit:
		if tag != "!!str" && tag != "!!int" {
			return quote(n.Value) + " is not accepted"
		}
	case KindErrorRate:
		if tag != "!!str" && !number {
			return quote(n.Value) + " is not accepted"
		}
	default:
		if tag != "!!str" {
			return n.Value + " is not a text here: put it in quotes"
		}
	}
	return ""
}

func textList(n *yaml.Node) (value any, problem string) {
	if n.Kind != yaml.SequenceNode {
		return nil, "holds " + nodeName(n)
	}
	list := make([]string, 0, len(n.Content))
	for _, item := range n.Content {
		item = deref(item)
		if item.Kind != yaml.ScalarNode || isNull(item) {
			return nil, "holds, in its list, " + nodeName(item)
		}
		// A number is a text without harm here: fields are named by number.
		if tag := item.ShortTag(); tag != "!!str" && tag != "!!int" {
			return nil, item.Value + " is not a text: put it in quotes"
		}
		list = append(list, item.Value)
	}
	return list, ""
}

func portList(n *yaml.Node) (value any, problem string) {
	if n.Kind != yaml.SequenceNode {
		return nil, "holds " + nodeName(n)
	}
	ports := make([]DefaultPort, 0, len(n.Content))
	for _, item := range n.Content {
		item = deref(item)
		fields := map[string]string{}
		for i := 0; item.Kind == yaml.MappingNode && i+1 < len(item.Content); i += 2 {
			fields[item.Content[i].Value] = deref(item.Content[i+1]).Value
		}
		p, err := ParseDefaultPort(fields["scheme"] + "=" + fields["port"])
		if err != nil || len(fields) != 2 {
			return nil, fmt.Sprintf("line %d is not a scheme and its port", item.Line)
		}
		ports = append(ports, p)
	}
	return ports, ""
}

// deref follows an alias; an anchor can't hold itself (the library refuses that).
func deref(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func nodeName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys of its own"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		if isNull(n) {
			return "nothing"
		}
		return "the value " + quote(n.Value)
	default: // an alias was followed, and a document is no value
		return "something else"
	}
}
