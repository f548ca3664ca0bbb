package sources

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestCSVByNumber(t *testing.T) {
	runGolden(t, Options{Format: "csv", RefFields: []string{"2"}, BaseField: "1", Pass: []string{"3"}}, []golden{
		{"fields", "b,r,p\n", []string{"1@0 |r base=b x_3=p"}},
		{"quotes", "\"b,b\",\"r\",\"p\"\"q\"\"\"\r\n", []string{"1@0 |r base=b,b x_3=p\"q\""}},
		{"line ends in quotes", "b,r,\"p\nq\r\ns\"\nb,r2,\n", []string{"1@0 |r base=b x_3=p\nq\r\ns", "2@13 |r2 base=b x_3="}},
		{"quotes inside a plain field", "b,r\"x\",p\n", []string{"1@0 |r\"x\" base=b x_3=p"}},
		{"empty reference", "b,,p\n", []string{"1@0 | base=b x_3=p"}},
		{"empty base is absent", ",r,p\n", []string{"1@0 |r x_3=p"}},
		{"too short for the reference", "b\n", []string{"1@0 |b !missing_field:record@1"}},
		{"too short for the column", "b,r\n", []string{"1@0 |r base=b"}},
		{"empty line", "\nb,r\n", []string{"1@1 |r base=b"}},
		{"behind a closing quote", "\"b\"x,r,p\nb,r,p\n", []string{"1@0 |\"b\"x,r,p !bad_record:record@3", "2@9 |r base=b x_3=p"}},
		{"CR behind a closing quote", "\"b\"\rx,r\n", []string{"1@0 |\"b\"\rx,r !bad_record:record@4"}},
		{"quote left open costs one line", "\"b,r,p\nb,r,p\n", []string{"1@0 |\"b,r,p !bad_record:record@0", "2@7 |r base=b x_3=p"}},
		{"quote left open at the end", "b,r,\"", []string{"1@0 |b,r,\" !bad_record:record@4"}},
		{"quoted last field at the end", "b,r,\"p\"", []string{"1@0 |r base=b x_3=p"}},
		{"quoted last field and CR at the end", "b,r,\"p\"\r", []string{"1@0 |r base=b x_3=p"}},
		{"break in the second line of a row", "\"b\nc\",\"r\"x\n1,2,3\n", []string{"1@0 |\"b !bad_record:record@2", "2@3 |c\",\"r\"x !bad_record:record@6", "3@11 |2 base=1 x_3=3"}},
		{"delimiter last", "b,r,\n", []string{"1@0 |r base=b x_3="}},
	})
}

func TestCSVWithHeader(t *testing.T) {
	runGolden(t, Options{Format: "csv", RefFields: []string{"to", "via"}, BaseField: "from", Pass: []string{"n m"}}, []golden{
		{"by name, several references", "from,to,n m,via\nb,r,7,v\n", []string{"1@16 to|r base=b x_n_m=7", "1@16.1 via|v base=b x_n_m=7"}},
		{"byte order mark before it", "\xef\xbb\xbffrom,to,n m,via\nb,r,7,v\n", []string{"1@19 to|r base=b x_n_m=7", "1@19.1 via|v base=b x_n_m=7"}},
		{"quoted names", "\"from\",\"to\",\"n m\",\"via\"\nb,r,7,v", []string{"1@24 to|r base=b x_n_m=7", "1@24.1 via|v base=b x_n_m=7"}},
		{"an unquoted delimiter in a reference", "from,to,n m,via\nb,r,r,7,v\n", []string{"1@16 to|b,r,r,7,v !bad_record:record@8"}},
		{"too few", "from,to,n m,via\nb,r,7\n", []string{"1@16 to|b,r,7 !missing_field:record@5"}},
		{"delimiters behind a last field that is a reference", "from,to,n m,via\nb,r,7,v,\n", []string{"1@16 to|b,r,7,v, !bad_record:record@8"}},
		{"header alone", "from,to,n m,via", nil},
	})
	runGolden(t, Options{Format: "tsv"}, []golden{
		{"auto: a field url, and a base", "id\turl\tbase\n1\tr\tb\n", []string{"1@12 |r base=b"}},
		{"auto: ref before url", "url\tref\tdocument\tembedded_base\tentity_base\nu\tr\td\tem\ten\n", []string{"1@43 |r embedded=em entity=en base=d"}},
		{"auto: no header", "a\tb\n", []string{"1@0 |a"}},
	})
	runGolden(t, Options{Format: "csv", RefFields: []string{"u"}}, []golden{
		{"delimiters behind the row", "u,x\nr,1,,\nr,1,,y\n", []string{"1@4 |r", "2@10 |r,1,,y !bad_record:record@4"}},
	})
	runGolden(t, Options{Format: "csv", Header: "yes"}, []golden{{"one field of any name", "link\nr\n", []string{"1@5 |r"}}})
	runGolden(t, Options{Format: "csv", Ragged: true, RefFields: []string{"u"}, Delimiter: "semicolon"}, []golden{
		{"ragged", "u;v\nr\nr;v;w\n;\n", []string{"1@4 |r", "2@6 |r", "3@12 |"}},
	})
	runGolden(t, Options{Format: "tsv", Quotes: "no"}, []golden{
		{"quotes as data", "\"r\tx\nb\"\n", []string{"1@0 |\"r", "2@5 |b\""}},
	})
}

func TestCSVTooLong(t *testing.T) {
	runGolden(t, Options{Format: "csv", MaxRecordBytes: 10}, []golden{
		{"plain", "12345678901,x\nr\n", []string{"1@0 |12345678901,x !too_long:record@10", "2@14 |r"}},
		{"quote left open", "\"234567\nr\ns\nt\n", []string{"1@0 |\"234567 !bad_record:record@0", "2@8 |r", "3@10 |s", "4@12 |t"}},
		{"plain behind a line end in quotes", "\"a\nb\",7890123456\nr\n", []string{"1@0 |\"a\nb\",7890123456 !too_long:record@10", "2@17 |r"}},
	})
}

func TestCSVHeaderFaults(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"missing": {"a,b\n1,2\n", `input "in": the header has no field "u", or has it twice; its fields are "a", "b": name one of these`},
		"twice":   {"u,u\n1,2\n", `no field "u", or has it twice`},
		"broken":  {"\"u\"x\n", "the header's quotes are broken at its byte 3"},
	} {
		t.Run(name, func(t *testing.T) {
			f := reader(t, Options{Format: "csv", RefFields: []string{"u"}}, strings.NewReader(c.in))
			err := fillErr(f)
			if err == nil || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if again := fillErr(f); !errors.Is(again, err) {
				t.Errorf("the next Fill gave %v", again)
			}
		})
	}
}

// A file of lines each of which opens a quote for the next one is the worst there is.
func TestCSVStrayQuotesAreLinear(t *testing.T) {
	const lines = 1 << 18
	text := "\"\n" + strings.Repeat("x\",\"y\n", lines)
	f := reader(t, Options{Format: "csv", RefFields: []string{"1"}}, strings.NewReader(text))
	got := readAll(t, f, 0)
	if len(got) < lines/2 {
		t.Errorf("%d records of %d lines", len(got), lines)
	}
	if r := &f.dec.(*csvDecoder).rowEnds; r.wasted > 6*int64(len(text))+2*wasteAllowance {
		t.Errorf("scanned %d bytes in vain for %d", r.wasted, len(text))
	}
}
