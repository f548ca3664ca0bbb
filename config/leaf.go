package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EnvPrefix begins the name of every variable that is an option.
const EnvPrefix = "URISIEVE_"

// Kind is the type of an option's value.
type Kind uint8

// Kinds.
const (
	KindString Kind = iota
	KindBool
	KindInt
	KindSize
	KindDuration
	KindRejectLimit
	KindErrorRate
	KindSecret
	KindStrings // a list of texts
	KindPorts   // a list of DefaultPort
)

// Leaf is one option.
type Leaf struct {
	Key  string // "input.format"
	Env  string // "URISIEVE_INPUT_FORMAT"
	Kind Kind

	index [2]int // of its section in Config, and in that
	tag   reflect.StructTag
}

var kinds = map[reflect.Type]Kind{
	reflect.TypeFor[string]():        KindString,
	reflect.TypeFor[bool]():          KindBool,
	reflect.TypeFor[int64]():         KindInt,
	reflect.TypeFor[Size]():          KindSize,
	reflect.TypeFor[time.Duration](): KindDuration,
	reflect.TypeFor[RejectLimit]():   KindRejectLimit,
	reflect.TypeFor[ErrorRate]():     KindErrorRate,
	reflect.TypeFor[Secret]():        KindSecret,
	reflect.TypeFor[[]string]():      KindStrings,
	reflect.TypeFor[[]DefaultPort](): KindPorts,
}

// Leaves are all options, in the order of the struct.
func Leaves() []Leaf {
	var leaves []Leaf
	t := reflect.TypeFor[Config]()
	for i := range t.NumField() {
		section := t.Field(i)
		for j := range section.Type.NumField() {
			f := section.Type.Field(j)
			key := section.Tag.Get("yaml") + "." + f.Tag.Get("yaml")
			leaves = append(leaves, Leaf{
				Key: key, Env: EnvPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_")),
				Kind: kinds[f.Type], index: [2]int{i, j}, tag: f.Tag,
			})
		}
	}
	return leaves
}

// Accepted says which values the option takes, for a person.
func (l Leaf) Accepted() string {
	if names := l.tag.Get("oneof"); names != "" {
		return strings.Join(strings.Fields(names), ", ")
	}
	lo, hi := l.tag.Get("min"), l.tag.Get("max")
	between := ""
	switch {
	case lo != "" && hi != "":
		between = " from " + lo + " to " + hi
	case lo != "":
		between = ", " + lo + " or more"
	}
	switch l.Kind {
	case KindBool:
		return "true or false"
	case KindInt:
		return "a whole number" + between
	case KindSize:
		if l.tag.Get("auto") != "" {
			return errSize.Error() + ", or auto"
		}
		return errSize.Error()
	case KindDuration:
		return "a duration with its unit, such as 500ms, 30s, 5m, 24h" + between
	case KindRejectLimit:
		return errRejectLimit.Error()
	case KindErrorRate:
		return errErrorRate.Error()
	case KindStrings:
		return "a list"
	case KindPorts:
		return "a list of {scheme: coap, port: 5683}"
	case KindString, KindSecret:
	}
	return "a text"
}

// value is the option's field in c.
func (l Leaf) value(c *Config) reflect.Value {
	return reflect.ValueOf(c).Elem().Field(l.index[0]).Field(l.index[1])
}

var errNotAccepted = errors.New("not accepted")

// parse reads the text of a single value, as the environment and flags give it. Lists are joined
// by commas.
func (l Leaf) parse(text string) (any, error) {
	switch l.Kind {
	case KindBool:
		switch text {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
		return nil, errNotAccepted
	case KindInt:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, errNotAccepted
		}
		return n, l.inRange(n, func(s string) int64 { n, _ := strconv.ParseInt(s, 10, 64); return n })
	case KindSize:
		s, err := ParseSize(text)
		if err != nil || (s == Auto && l.tag.Get("auto") == "") {
			return nil, errNotAccepted
		}
		return s, nil
	case KindDuration:
		d, err := parseDuration(text)
		if err != nil {
			return nil, errNotAccepted
		}
		return d, l.inRange(int64(d), func(s string) int64 { d, _ := time.ParseDuration(s); return int64(d) })
	case KindRejectLimit:
		return ParseRejectLimit(text)
	case KindErrorRate:
		return ParseErrorRate(text)
	case KindSecret:
		return Secret(text), nil
	case KindStrings:
		return splitList(text), nil
	case KindPorts:
		return parsePorts(splitList(text))
	case KindString:
	}
	if names := strings.Fields(l.tag.Get("oneof")); len(names) > 0 && !slices.Contains(names, text) {
		return nil, errNotAccepted
	}
	return text, nil
}

// inRange holds n against the leaf's tags min and max.
func (l Leaf) inRange(n int64, parse func(string) int64) error {
	if lo := l.tag.Get("min"); lo != "" && n < parse(lo) {
		return errNotAccepted
	}
	if hi := l.tag.Get("max"); hi != "" && n > parse(hi) {
		return errNotAccepted
	}
	return nil
}

// Text is the value as a flag or a variable would give it.
func (l Leaf) Text(c *Config) string {
	switch v := l.value(c).Interface().(type) {
	case []string:
		return strings.Join(v, ",")
	case []DefaultPort:
		texts := make([]string, len(v))
		for i, p := range v {
			texts[i] = p.Scheme + "=" + strconv.Itoa(int(p.Port))
		}
		return strings.Join(texts, ",")
	case time.Duration:
		return durationText(v)
	case string:
		if l.tag.Get("mask") == "userinfo" {
			return maskPassword(v)
		}
		return v
	default:
		return fmt.Sprint(v)
	}
}

// parseDuration is time.ParseDuration that takes days, too: "30d".
func parseDuration(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(text)
}

// durationText is d without the zero units that String has: 5m, not 5m0s.
func durationText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// maskPassword hides what stands between ":" and the last "@" of a URI's authority.
func maskPassword(text string) string {
	start := strings.Index(text, "//")
	if start < 0 {
		return text
	}
	start += 2
	end := len(text)
	if i := strings.IndexAny(text[start:], "/?#"); i >= 0 {
		end = start + i
	}
	at := strings.LastIndexByte(text[start:end], '@')
	if at < 0 {
		return text
	}
	user, _, found := strings.Cut(text[start:start+at], ":")
	if !found {
		return text
	}
	return text[:start] + user + ":***" + text[start+at:]
}

func splitList(text string) []string {
	var list []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

func parsePorts(texts []string) ([]DefaultPort, error) {
	ports := make([]DefaultPort, 0, len(texts))
	for _, t := range texts {
		p, err := ParseDefaultPort(t)
		if err != nil {
			return nil, err
		}
		ports = append(ports, p)
	}
	return ports, nil
}
