package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// What a JSON string holds is what the standard library says, where that keeps the bytes.
func FuzzJSONString(f *testing.F) {
	f.Add(`a\u00e9\n\/\ud83d\ude00`)
	f.Fuzz(func(t *testing.T, s string) {
		text := `"` + s + `"`
		var want string
		if !utf8.ValidString(s) || json.Unmarshal([]byte(text), &want) != nil || strings.ContainsRune(want, utf8.RuneError) {
			return
		}
		scan := Scan{Data: []byte(text)}
		from, _, ok := scan.Text()
		if got := string(AppendUnescaped(nil, scan.Data[from:max(from, scan.Pos-1)])); !ok || got != want {
			t.Fatalf("%s: got %q, %v, want %q", text, got, ok, want)
		}
	})
}

// What is JSON is what the standard library says.
func FuzzSkip(f *testing.F) {
	for _, text := range []string{`{"a":[1,-0.5e+7,true,null,{"b":"\u00e9"}]} `, `[`, `{"a":1,}`, `[1,2]]`, "01", `"\x"`, "", " \t1", "{\"a\" :\r\n{}}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 5000 {
			return // the standard library has a limit of depth
		}
		s := Scan{Data: text}
		got := s.Skip()
		got = got && s.Space() == 0 && s.Pos == len(text)
		if want := json.Valid(text); got != want {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
	})
}
