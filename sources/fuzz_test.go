package sources

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"
)

// chopped reads a text in pieces whose sizes a seed gives.
type chopped struct {
	text []byte
	seed uint64
}

func (c *chopped) Read(p []byte) (int, error) {
	if len(c.text) == 0 {
		return 0, io.EOF
	}
	c.seed = c.seed*6364136223846793005 + 1442695040888963407
	n := copy(p, c.text[:min(len(c.text), int(c.seed>>60)+1)])
	c.text = c.text[n:]
	return n, nil
}

// checkPieces: whole or in pieces, in large batches or small: the same records.
func checkPieces(t *testing.T, o Options, text []byte, seed uint64) []string {
	t.Helper()
	o.MaxRecordBytes = 200
	whole := readAll(t, reader(t, o, bytes.NewReader(text)), 0)
	pieces := readAll(t, reader(t, o, &chopped{bytes.Clone(text), seed}), 1)
	if strings.Join(whole, "\n") != strings.Join(pieces, "\n") {
		t.Fatalf("%q\nwhole     %q\nin pieces %q", text, whole, pieces)
	}
	return whole
}

func isPlain(text []byte) bool {
	return !bytes.HasPrefix(text, []byte("\x1f\x8b")) && !bytes.Contains(text[:min(len(text), 10)], []byte{0xFD}) &&
		!bytes.HasPrefix(text, []byte("BZh")) && !bytes.HasPrefix(text, []byte("\x28\xb5")) && !bytes.Contains(text[:min(len(text), 4)], []byte{0x2a}) &&
		!bytes.HasPrefix(text, bomUTF16BE) && !bytes.HasPrefix(text, bomUTF16LE) && !bytes.HasPrefix(text, bomUTF8)
}

func FuzzText(f *testing.F) {
	f.Add([]byte("a\nb\r\n\r\n\xef\xbb\xbfc"), uint64(1))
	f.Add([]byte(strings.Repeat("x", 300)+"\r\r\ny"), uint64(2))
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		got := checkPieces(t, Options{}, text, seed)
		if !isPlain(text) {
			return
		}
		lines := 0
		for line := range bytes.SplitSeq(text, []byte("\n")) {
			if len(bytes.TrimSuffix(line, []byte("\r"))) > 0 {
				lines++
			}
		}
		if strings.Count("\n"+strings.Join(got, "\n"), "@") < lines {
			t.Fatalf("%q has %d lines, got %q", text, lines, got)
		}
	})
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("b,\"r\",p\r\n\"b\nb\",r\n"), uint64(1), false)
	f.Add([]byte("x\",\"y\nx\",\"y\n"), uint64(2), true)
	f.Add([]byte("\"a\"\"b\",\"c\"d\n\"\"\n"), uint64(3), false)
	f.Fuzz(func(t *testing.T, text []byte, seed uint64, named bool) {
		o := Options{Format: "csv", RefFields: []string{"1"}, Ragged: true}
		if named {
			o.Format = "tsv"
		}
		got := checkPieces(t, o, text, seed)
		if !isPlain(text) || named || bytes.ContainsAny(text, "\r") || len(text) > 200 {
			return
		}
		// What the standard library takes is taken, with the same fields.
		rows := csv.NewReader(bytes.NewReader(text))
		rows.FieldsPerRecord, rows.ReuseRecord = -1, true
		var want []string
		for {
			row, err := rows.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				return
			}
			want = append(want, row[0])
		}
		if len(got) > 0 && len(want) != len(readAll(t, reader(t, o, bytes.NewReader(text)), 0)) {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
		for i := range want {
			if _, ref, _ := strings.Cut(got[i], "|"); ref != want[i] {
				t.Fatalf("%q: got %q, want %q", text, got, want)
			}
		}
	})
}

func FuzzJSONLines(f *testing.F) {
	f.Add([]byte(`{"ref":"\ud83d\ude00","base":"b"}`+"\n{"), uint64(1))
	f.Add([]byte(`{"ref":"a","ref":null,"url":"u"}`), uint64(2))
	f.Add([]byte(`{"a":[1,-0.5e+3,{"ref":true}],"url":"\u0041\/"}`), uint64(3))
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		got := checkPieces(t, Options{Format: "jsonl"}, text, seed)
		if !isPlain(text) || bytes.ContainsAny(text, "\n") || len(text) > 200 || len(bytes.TrimSpace(text)) == 0 {
			return
		}
		if len(got) != 1 {
			t.Fatalf("%q: one line, got %q", text, got)
		}
		// A field of the wrong type, and that alone, is refused in JSON as well.
		typed := regexp.MustCompile(`ref|base|url|document|\\\\u`).Match(text)
		if valid := json.Valid(text); !typed && valid == strings.Contains(got[0], "!bad_record") {
			t.Fatalf("%q: JSON %v, got %q", text, valid, got)
		}
	})
}

func FuzzLog(f *testing.F) {
	f.Add([]byte("h:443 1.2.3.4 - a b "+at+" \"GET //x\\x20 HTTP/1.1\" 200 - \"-\" \"\\\"\"\n"), uint64(1))
	f.Add([]byte("h - - "+at+" \"\" - -"), uint64(2))
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		for _, format := range []string{"clf", "vcombined"} {
			checkPieces(t, Options{Format: format}, text, seed)
		}
	})
}

// Whatever bytes come: no panic, and an end.
func FuzzCompressed(f *testing.F) {
	for _, stored := range [][]byte{gz(f, "a\nb\n"), zst(f, "a\nb\n"), bz(f, ""), xzed(f, "a\nb\n")} {
		f.Add(stored)
		f.Add(cat(stored, stored))
		f.Add(stored[:len(stored)-3])
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		readAll(t, reader(t, Options{MaxPlainBytes: 1 << 20, MaxWindowBytes: 1 << 20}, bytes.NewReader(stored)), 0)
	})
}
