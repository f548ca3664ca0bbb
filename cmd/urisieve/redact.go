package main

import "strings"

// redact masks what could be a password in a URI: in each word with an "@", what stands between
// the ":" after "//" (the first ":" where there is no "//") and the last "@". It rather masks too
// much: "http://h:80/a@b" holds no password, but "http://u:p/w@h" is one that somebody mistyped.
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

func redactWord(word string) string {
	at := strings.LastIndexByte(word, '@')
	if at < 0 {
		return word
	}
	from := 0
	if i := strings.Index(word[:at], "//"); i >= 0 {
		from = i + 2
	}
	colon := strings.IndexByte(word[from:at], ':')
	if colon < 0 {
		return word
	}
	return word[:from+colon+1] + "***" + word[at:]
}
