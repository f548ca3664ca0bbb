package main

import "strings"

// redact masks what could be a password in a URI: in each word with an "@", what stands between
// the ":" after "//" or its like (the first ":" where there is none) and the last "@". It rather masks
// too much: "http://h:80/a@b" holds no password, but "http://u:p/w@h" is one that somebody mistyped.
func redact(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		end := strings.IndexAny(text, " \t\r\n\"'`<>")
		if end < 0 {
			end = len(text)
		}
		b.WriteString(redactWord(text[:end]))
		if end < len(text) {
			b.WriteByte(text[end])
			end++
		}
		text = text[end:]
	}
	return b.String()
}

// redactWord masks from the first ":" after the earliest place where an authority may begin: behind
// "//", or behind a scheme and any slashes of either kind, which browsers take for "//".
func redactWord(word string) string {
	at := strings.LastIndexByte(word, '@')
	if at < 0 {
		return word
	}
	before := word[:at]
	first := strings.IndexByte(before, ':')
	if first < 0 {
		return word
	}
	from := first + 1
	for from < at && strings.IndexByte(`/\`, before[from]) >= 0 {
		from++
	}
	if strings.ContainsAny(before[:first], `/\`) || from == first+1 {
		return before[:first+1] + "***" + word[at:]
	}
	if colon := strings.IndexByte(before[from:], ':'); colon >= 0 {
		return before[:from+colon+1] + "***" + word[at:]
	}
	return word
}
