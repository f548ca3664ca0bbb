package config

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// WriteYAML writes the whole configuration as a file that Load takes, with the origin of each value
// as a comment. Secrets, which a file can't hold, are comments: "***" when set. A password in a
// URI is masked.
func (l *Loaded) WriteYAML(w io.Writer) error {
	section := ""
	for _, leaf := range Leaves() {
		name, option, _ := strings.Cut(leaf.Key, ".")
		if name != section {
			section = name
			if _, err := fmt.Fprintf(w, "%s:\n", section); err != nil {
				return err
			}
		}
		line := fmt.Sprintf("  %s: %s", option, leaf.YAML(&l.Config))
		if leaf.Kind == KindSecret {
			line = "  # " + strings.TrimSpace(option+": "+leaf.Text(&l.Config))
		}
		if _, err := fmt.Fprintf(w, "%-48s # %s\n", line, l.Origin(leaf.Key)); err != nil {
			return err
		}
	}
	return nil
}

// YAML is the option's value on one line of YAML.
func (l Leaf) YAML(c *Config) string {
	switch v := l.value(c).Interface().(type) {
	case bool, int64, Size, ErrorRate:
		return fmt.Sprint(v)
	case []string:
		items := make([]string, len(v))
		for i, s := range v {
			items[i] = yamlText(s)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case []DefaultPort:
		items := make([]string, len(v))
		for i, p := range v {
			items[i] = "{scheme: " + yamlText(p.Scheme) + ", port: " + strconv.Itoa(int(p.Port)) + "}"
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return yamlText(l.Text(c))
}

// yamlText writes a text plain where that reads back as the same text even within a list, else in
// quotes.
func yamlText(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%+-") == "" {
		var back any
		if yaml.Unmarshal([]byte(s), &back) == nil && back == any(s) {
			return s
		}
	}
	return strconv.Quote(s)
}
