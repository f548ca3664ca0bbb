package main

import (
	"strings"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
)

// safeBrowsingSuites are those of the canonical form of Google Safe Browsing.
func safeBrowsingSuites() []suite {
	return []suite{
		{"google-safebrowsing", "tool:google-safebrowsing", "", "key rule gsb: the published examples", safeBrowsing, false},
		{"google-safebrowsing", "", "canonicalize", "key rule gsb, less the query", safeBrowsingLibrary(func(a answer) answer {
			a.text, _, _ = strings.Cut(a.text, "?")
			return a
		}), false},
		{"google-safebrowsing", "", "host-ipv4", "key rule gsb, the host", func(l *layers, c testCase) (got, want answer) {
			return l.safeBrowsing("http://" + c.Input + "/").host(), c.expected()
		}, true},
		{"google-safebrowsing", "", "host", "key rule gsb, the host", safeBrowsingLibrary(answer.host), true},
		{"google-safebrowsing", "", "path", "key rule gsb, the path", safeBrowsingLibrary(answer.path), true},
	}
}

// safeBrowsingLibrary compares a part of the canonical form. What the library refuses must be
// refused by the profile: the rule itself takes everything that the profile lets pass.
func safeBrowsingLibrary(part func(answer) answer) func(*layers, testCase) (got, want answer) {
	return func(l *layers, c testCase) (got, want answer) {
		if c.Expected == nil {
			return l.url(rfc3986, nil, c.Input), c.expected()
		}
		return part(l.safeBrowsing(c.Input)), c.expected()
	}
}

func safeBrowsing(l *layers, c testCase) (got, want answer) {
	return l.safeBrowsing(c.Input), c.expected()
}

// surtSuites are those of the sort keys of web archives.
func surtSuites() []suite {
	return []suite{
		{"surt", "tool:surt", "key", "preset surt, AppendSURT; `scheme://(` and the trailing comma are left out of what is wanted", surtKey, true},
		{"surt", "tool:surt-GoogleURLCanonicalizer", "", "key rule gsb", safeBrowsing, false},
		{"surt", "tool:surt-handyurl", "", repairing, canonical, false},
		{"surt", "", "canonicalize", "preset surt without fold-scheme", archived, false},
		{"heritrix3", "tool:heritrix-surt", "", "rfc3986, AppendSURT; `scheme://(` and the trailing comma are left out of what is wanted", func(l *layers, c testCase) (got, want answer) {
			return l.surt(rfc3986, c.Input), c.surtWanted()
		}, true},
		{"heritrix3", "tool:heritrix-FixupQueryString", "", "drop-empty-query", keyed(rfc3986, keyrule.Options{Rules: []string{"drop-empty-query"}}), false},
		{"heritrix3", "tool:heritrix-StripSession*", "", "the parameter set session", keyed(rfc3986, keyrule.Options{ParamSets: []string{"session"}}), false},
		{"heritrix3", "tool:heritrix-StripUserinfoRule", "", "drop-userinfo", keyed(rfc3986, keyrule.Options{Rules: []string{"drop-userinfo"}}), false},
		{"heritrix3", "tool:heritrix-StripWWWNRule", "", "strip-www-number", keyed(rfc3986, keyrule.Options{Rules: []string{"strip-www-number"}}), false},
		{"heritrix3", "tool:heritrix-StripWWWRule", "", "strip-www", keyed(rfc3986, keyrule.Options{Rules: []string{"strip-www"}}), false},
	}
}

// keyed compares keys.
func keyed(o normalize.Options, key keyrule.Options) func(*layers, testCase) (got, want answer) {
	o.Key = key
	return func(l *layers, c testCase) (got, want answer) {
		return alone(c, func(base *string, ref string) answer { return l.key(o, base, ref) })
	}
}

// asKey compares keys, of references as they are.
func asKey(o normalize.Options) func(*layers, testCase) (got, want answer) {
	return func(l *layers, c testCase) (got, want answer) { return l.key(o, c.Base, c.Input), c.expected() }
}

// presetSURT are the rules of the preset surt, but for some.
func presetSURT(without ...string) keyrule.Options {
	var rules []string
	for _, p := range keyrule.Presets() {
		if p.Name != "surt" {
			continue
		}
	names:
		for _, name := range p.Rules.Names() {
			for _, out := range without {
				if name == out {
					continue names
				}
			}
			rules = append(rules, name)
		}
		return keyrule.Options{Rules: rules, ParamSets: p.Sets}
	}
	return keyrule.Options{}
}

// surtKey compares sort keys. The option host_massage is what strips "www".
func surtKey(l *layers, c testCase) (got, want answer) {
	o := rfc3986
	o.Key = presetSURT()
	if strings.Contains(c.Note, "'host_massage': False") {
		o.Key = presetSURT("strip-www", "strip-www-number")
	}
	return l.surt(o, c.Input), c.surtWanted()
}

// surtWanted is the sort key that the case wants, in the form that this program writes: http and
// https without their scheme, no comma after the last label.
func (c testCase) surtWanted() answer {
	want := c.expected()
	for _, prefix := range []string{"http://(", "https://("} {
		want.text = strings.TrimPrefix(want.text, prefix)
	}
	host, rest, ok := strings.Cut(want.text, ")")
	if !ok {
		return want
	}
	host = strings.Replace(host, ",:", ":", 1)
	return text(strings.TrimSuffix(host, ",") + ")" + rest)
}

// archived compares the keys of web archives before they are turned round. Their canonicalizer
// keeps the scheme, and the query's case by an option.
func archived(l *layers, c testCase) (got, want answer) {
	o := rfc3986
	o.Key = presetSURT("fold-scheme")
	if strings.Contains(c.Note, "'query_lowercase': False") {
		o.Key = presetSURT("fold-scheme", "lowercase-query")
	}
	return l.key(o, nil, c.Input), c.expected()
}

// urlcanonSuites are those of urlcanon, whose canonicalizers begin with the URL standard.
func urlcanonSuites() []suite {
	precise := withKey(whatwg, "hex-case", "unreserved", "drop-userinfo", "drop-trailing-dot", "collapse-slashes", "sort-query-pairs", "keep-fragment")
	aggressive := whatwg
	aggressive.Key = presetSURT()
	return []suite{
		{"urlcanon", "tool:urlcanon-semantic_precise", "", "whatwg with hex-case, unreserved, drop-userinfo, drop-trailing-dot, collapse-slashes, sort-query-pairs, keep-fragment", asKey(precise), false},
		{"urlcanon", "tool:urlcanon-aggressive", "", "whatwg with the preset surt", asKey(aggressive), false},
		{"urlcanon", "tool:urlcanon-whatwg", "", "whatwg", parse, false},
		{"urlcanon", "tool:urlcanon-ipv4", "", "whatwg, the host", ipv4, true},
		{"urlcanon", "tool:urlcanon-path-dots", "", "whatwg, the path", webPath, false},
		{"urlcanon", "tool:urlcanon-parse", "", "split and put together", func(_ *layers, c testCase) (got, want answer) {
			return recomposed(c.Input), c.expected()
		}, false},
		{"urlcanon", "tool:urlcanon-google*", "", "key rule gsb", safeBrowsing, false},
		{"urlcanon", "tool:urlcanon-unescapeRepeatedly", "", "key rule gsb, the path, `%` escaped in what is wanted", func(l *layers, c testCase) (got, want answer) {
			return l.safeBrowsing("http://h/" + c.Input).path(), text("/" + strings.ReplaceAll(c.expected().text, "%", "%25"))
		}, true},
		{"urlcanon", "tool:urlcanon-Canonicalizer.*", "", "preset surt without fold-scheme", archived, false},
		{"urlcanon", "tool:urlcanon-alphaRorderQuery", "", "sort-query-pairs, the query", func(l *layers, c testCase) (got, want answer) {
			return l.key(withKey(rfc3986, "sort-query-pairs"), nil, "http://h/?"+c.Input), c.expected().within("http://h/?", "")
		}, false},
		{"urlcanon", "tool:urlcanon-massageHost", "", "strip-www-number, the host", func(l *layers, c testCase) (got, want answer) {
			return l.key(withKey(rfc3986, "strip-www-number"), nil, "http://"+c.Input+"/"), c.expected().within("http://", "/")
		}, false},
		{"urlcanon", "tool:urlcanon-stripPathSessionId", "", "the parameter set session, the path", func(l *layers, c testCase) (got, want answer) {
			o := rfc3986
			o.Key = keyrule.Options{ParamSets: []string{"session"}}
			return l.key(o, nil, "http://h"+c.Input), c.expected().within("http://h", "")
		}, false},
		{"urlcanon", "tool:urlcanon-defaultIASurt", "", "preset surt, AppendSURT", surtKey, true},
		{"urlcanon", "tool:urlcanon-surt*", "", "rfc3986, AppendSURT; `scheme://(` and the trailing comma are left out of what is wanted", func(l *layers, c testCase) (got, want answer) {
			return l.surt(withKey(rfc3986, "keep-fragment"), c.Input), c.surtWanted()
		}, true},
		{"urlcanon", "tool:urlcanon-ssurt", "", "rfc3986, AppendSURT", func(l *layers, c testCase) (got, want answer) {
			return l.surt(rfc3986, c.Input), c.expected()
		}, true},
		{"urlcanon", "", "key", "AppendSURT, the host", func(l *layers, c testCase) (got, want answer) {
			key := l.surt(rfc3986, "http://"+c.Input+"/")
			host, _, _ := strings.Cut(key.text, ")")
			key.text = host
			return key, text(strings.TrimSuffix(c.expected().text, ","))
		}, true},
	}
}

// ipv4 asks what IPv4 address a host stands for. What is none may be a name.
func ipv4(l *layers, c testCase) (got, want answer) {
	got = l.url(whatwg, nil, "http://"+c.Input+"/").host()
	for label := range strings.SplitSeq(got.text, ".") {
		if label == "" || strings.Trim(label, "0123456789") != "" {
			return answer{refused: true, reason: "a name"}, c.expected()
		}
	}
	return got, c.expected()
}

// webPath removes dot segments as a browser does, behind a special scheme or another.
func webPath(l *layers, c testCase) (got, want answer) {
	before := "http://h"
	if !strings.HasPrefix(c.Note, "special") {
		before = "foo://h"
	}
	return l.url(whatwg, nil, before+c.Input), c.expected().within(before, "")
}
