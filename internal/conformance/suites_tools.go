package main

import (
	"strings"

	"github.com/urisieve/urisieve/normalize/keyrule"
)

// toolSuites are the files that say what one tool does, by its own options. Each option goes to the
// profile and the key rules that are nearest.
func toolSuites() []suite {
	return []suite{
		{"purell", "", "", "rfc3986 (whatwg where numbers of hosts are decoded), a key rule for each flag", purell, false},
		{"url-normalize", "", "", "rfc3986 with drop-empty-query, drop-trailing-dot, collapse-slashes", urlNormalize, false},
		{"normalize-url-js", "", "", "whatwg, a key rule for each option", normalizeURL, false},
		{"seomoz-url", "", "", "rfc3986, the key rule of the step", seomoz, false},
		{"sabre-uri", "", "", repairing, canonical, false},
		{"cweb-url-testing", "", "", "whatwg", parseAsBrowsersDid, false},
	}
}

// purell: the note names flags, some of which stand for many.
func purell(l *layers, c testCase) (got, want answer) {
	_, flags, ok := strings.Cut(c.Note, ": ")
	if !ok {
		flags = c.Note
	}
	has := func(names string) bool {
		for name := range strings.FieldsSeq(names) {
			if strings.Contains(flags, name) {
				return true
			}
		}
		return false
	}
	o := rfc3986
	for _, rule := range []struct{ name, flags string }{
		{"drop-empty-query", "FlagRemoveEmptyQuerySeparator FlagsSafe FlagsUsuallySafe FlagsUnsafe FlagsAll"},
		{"fold-trailing-slash", "FlagRemoveTrailingSlash FlagsUsuallySafeGreedy FlagsUnsafeGreedy FlagsAllGreedy"},
		{"drop-index", "FlagRemoveDirectoryIndex FlagsUnsafe FlagsAll"},
		{"fold-scheme", "FlagForceHTTP FlagsUnsafe FlagsAll"},
		{"collapse-slashes", "FlagRemoveDuplicateSlashes FlagsUnsafe FlagsAll"},
		{"strip-www", "FlagRemoveWWW FlagsUnsafeGreedy FlagsAllGreedy"},
		{"sort-query-pairs", "FlagSortQuery FlagsUnsafe FlagsAll"},
		{"drop-trailing-dot", "FlagRemoveUnnecessaryHostDots FlagsAll"},
	} {
		if has(rule.flags) {
			o.Key.Rules = append(o.Key.Rules, rule.name)
		}
	}
	if !has("FlagRemoveFragment FlagsUnsafe FlagsAll") {
		o.Key.Rules = append(o.Key.Rules, "keep-fragment")
	}
	if has("FlagDecodeDWORDHost FlagDecodeOctalHost FlagDecodeHexHost") {
		o.Profile = whatwg.Profile
		o.Key.Rules = append(o.Key.Rules, "hex-case", "unreserved")
	}
	return alone(c, func(base *string, ref string) answer { return l.key(o, base, ref) })
}

// urlNormalize: the note may name a list of parameters to keep, for which there is no rule.
func urlNormalize(l *layers, c testCase) (got, want answer) {
	o := withKey(rfc3986, "drop-empty-query", "drop-trailing-dot", "collapse-slashes", "keep-fragment")
	return alone(c, func(base *string, ref string) answer { return l.key(o, base, ref) })
}

// normalizeURL: the note names the options that aren't the tool's defaults.
func normalizeURL(l *layers, c testCase) (got, want answer) {
	option := func(name string, byDefault bool) bool {
		switch {
		case strings.Contains(c.Note, name+": true"):
			return true
		case strings.Contains(c.Note, name+": false"):
			return false
		}
		return byDefault
	}
	o := withKey(whatwg, "collapse-slashes", "drop-empty-query", "unreserved")
	rule := func(on bool, name string) {
		if on {
			o.Key.Rules = append(o.Key.Rules, name)
		}
	}
	rule(option("stripWWW", true), "strip-www")
	rule(option("stripAuthentication", true), "drop-userinfo")
	rule(option("removeTrailingSlash", true), "fold-trailing-slash")
	rule(option("sortQueryParameters", true), "sort-query")
	rule(option("forceHttp", false), "fold-scheme")
	rule(!option("stripHash", false), "keep-fragment")
	rule(true, "drop-trailing-dot")
	if strings.Contains(c.Note, "removeDirectoryIndex") {
		o.Key.Rules = append(o.Key.Rules, "drop-index")
		switch {
		case strings.Contains(c.Note, "['index.html', 'index.php']"):
			o.Key.IndexPages = []string{"index.html", "index.php"}
		case strings.Contains(c.Note, "remove.html"):
			o.Key.IndexPages = []string{"index.html", "index.php", "remove.html"}
		}
	}
	switch {
	case strings.Contains(c.Note, "removeQueryParameters: true"):
		o.Key.Params = []keyrule.ParamList{{Names: []string{"*"}}}
	case strings.Contains(c.Note, "removeQueryParameters: ["):
		o.Key.Params = []keyrule.ParamList{{Names: []string{"utm_*", "ref"}}}
	case option("removeQueryParameters", true):
		o.Key.Params = []keyrule.ParamList{{Names: []string{"utm_*"}}}
	}
	return l.key(o, c.Base, c.Input), c.expected()
}

// seomoz: the note names the step.
func seomoz(l *layers, c testCase) (got, want answer) {
	o := withKey(rfc3986, "keep-fragment")
	switch c.Note {
	case "strip+deparam(['c'])":
		o.Key.Params = []keyrule.ParamList{{Names: []string{"c"}}}
	case "abspath":
		o.Key.Rules = append(o.Key.Rules, "collapse-slashes")
	case "canonical (sorted query)":
		o.Key.Rules = append(o.Key.Rules, "sort-query")
	case "deuserinfo":
		o.Key.Rules = append(o.Key.Rules, "drop-userinfo")
	case "defrag":
		o.Key = keyrule.Options{}
	}
	return alone(c, func(base *string, ref string) answer { return l.key(o, base, ref) })
}

// parseAsBrowsersDid parses. The file writes what a browser of its time could not parse as "http://",
// or as nothing.
func parseAsBrowsersDid(l *layers, c testCase) (got, want answer) {
	got, want = parse(l, c)
	if want.text == "" || want.text == "http:" || want.text == "http://" {
		want = answer{refused: true}
	}
	return got, want
}
