package config

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/viper"
)

// Override is an option that a flag of the command line set.
type Override struct {
	Key    string   // "input.format"
	Origin string   // "--input-format"; "arguments" for input.paths
	Values []string // one text; a list may have any number
}

// Loaded is a configuration and where each of its values came from.
type Loaded struct {
	Config
	// Notices are for the log: variables that were left out of account, and why.
	Notices []string

	origins map[string]string // by key; without the defaults
}

// Load reads the configuration: defaults, the file (none for ""), the environment of the process,
// the flags. The error is of type [Faults], unless the file could not be read.
//
// A variable that is set to nothing counts as not set.
func Load(file string, flags []Override) (*Loaded, error) {
	l := &Loaded{origins: map[string]string{}}
	v := viper.New()
	doc := document{}
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("configuration file: %w", err)
		}
		doc = readYAML(file, text)
	}
	faults := doc.faults
	defaults := Default()
	for _, leaf := range Leaves() {
		v.SetDefault(leaf.Key, leaf.value(&defaults).Interface())
		if err := v.BindEnv(leaf.Key, leaf.Env); err != nil {
			return nil, err
		}
		if value, ok := doc.values[leaf.Key]; ok {
			if err := v.MergeConfigMap(nested(leaf.Key, value)); err != nil {
				return nil, err
			}
			l.origins[leaf.Key] = doc.origins[leaf.Key]
		}
	}
	faults = append(faults, l.environment()...)
	faults = append(faults, l.flags(v, flags)...)
	if err := faults.err(); err != nil {
		return nil, err
	}
	if err := v.UnmarshalExact(&l.Config, decoding); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return l, nil
}

// environment checks the variables. viper reads their values by itself.
func (l *Loaded) environment() Faults {
	var faults Faults
	leaves := map[string]Leaf{}
	var names []string
	for _, leaf := range Leaves() {
		leaves[leaf.Env] = leaf
		names = append(names, leaf.Env)
	}
	environ := os.Environ()
	slices.Sort(environ)
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, EnvPrefix) || value == "" {
			continue
		}
		leaf, known := leaves[name]
		switch {
		case !known && injected(name):
			l.Notices = append(l.Notices, name+" is left out of account: Kubernetes sets it for a service named urisieve")
		case !known:
			faults = append(faults, Fault{
				Key: name, Origin: name, Problem: "unknown variable", Nearest: Nearest(name, names),
			})
		default:
			if fault, bad := leaf.check(name, value); bad {
				faults = append(faults, fault)
			}
			l.origins[leaf.Key] = name
		}
	}
	return faults
}

// injected tells the variables that Kubernetes makes for a service of the name urisieve:
// URISIEVE_SERVICE_HOST, URISIEVE_PORT, URISIEVE_PORT_80_TCP.
func injected(name string) bool {
	rest := name[len(EnvPrefix):]
	return strings.HasPrefix(rest, "SERVICE_") || rest == "PORT" || strings.HasPrefix(rest, "PORT_")
}

// flags puts what the command line set over everything else.
func (l *Loaded) flags(v *viper.Viper, flags []Override) Faults {
	var faults Faults
	leaves := map[string]Leaf{}
	for _, leaf := range Leaves() {
		leaves[leaf.Key] = leaf
	}
	for _, f := range flags {
		leaf, known := leaves[f.Key]
		if !known {
			faults = append(faults, Fault{Key: f.Key, Origin: f.Origin, Problem: "there is no such option"})
			continue
		}
		l.origins[f.Key] = f.Origin
		if leaf.Kind == KindStrings {
			v.Set(f.Key, slices.Clone(f.Values)) // whole: a file's name may hold a comma
			continue
		}
		value := f.Values[len(f.Values)-1]
		if leaf.Kind == KindPorts {
			value = strings.Join(f.Values, ",")
		}
		if fault, bad := leaf.check(f.Origin, value); bad {
			faults = append(faults, fault)
			continue
		}
		v.Set(f.Key, value)
	}
	return faults
}

// check reports whether a text is no value of the option.
func (l Leaf) check(origin, value string) (fault Fault, bad bool) {
	if _, err := l.parse(value); err == nil {
		return Fault{}, false
	}
	problem := quote(value) + " is not accepted"
	switch {
	case l.Kind == KindSecret:
		problem = "the value is not accepted"
	case (l.Kind == KindSize || l.Kind == KindDuration) && isNumber(value):
		problem = value + " has no unit"
	}
	fault = Fault{Key: l.Key, Origin: origin, Problem: problem, Accepted: l.Accepted()}
	if names := strings.Fields(l.tag.Get("oneof")); len(names) > 0 {
		fault.Nearest = Nearest(value, names)
	}
	return fault, true
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789.-") == ""
}

// Origin says where the value of a key came from: "default", "run.yaml:12", a variable, a flag.
func (l *Loaded) Origin(key string) string {
	if o, ok := l.origins[key]; ok {
		return o
	}
	return "default"
}

// Fault makes a fault of what a part of the program says about the value of a key.
func (l *Loaded) Fault(key, problem, accepted string) Fault {
	f := Fault{Key: key, Problem: problem, Accepted: accepted}
	if o := l.Origin(key); o != "default" {
		f.Origin = o
	}
	return f
}

// nested makes {"input": {"format": value}} of "input.format".
func nested(key string, value any) map[string]any {
	section, name, _ := strings.Cut(key, ".")
	return map[string]any{section: map[string]any{name: value}}
}

// decoding reads the texts that the environment and flags give into the types of the struct, by
// the same functions that checked them; it tolerates no other conversion.
func decoding(c *mapstructure.DecoderConfig) {
	c.TagName = "yaml"
	c.WeaklyTypedInput = false
	c.DecodeHook = mapstructure.DecodeHookFuncType(func(from, to reflect.Type, data any) (any, error) {
		kind, known := kinds[to]
		text, isText := data.(string)
		if !known || !isText || kind == KindString {
			return data, nil
		}
		value, err := Leaf{Kind: kind, tag: `auto:"true"`}.parse(text)
		if err != nil {
			return nil, errors.New("a value that was checked before is not accepted")
		}
		return value, nil
	})
}
