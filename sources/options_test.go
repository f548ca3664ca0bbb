package sources

import (
	"strings"
	"testing"
)

func TestOptionFaults(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Format: "csv", Delimiter: "ab"}, `delimiter: "ab" is no delimiter`},
		{Options{Format: "csv", Delimiter: "\""}, "is no delimiter"},
		{Options{Format: "csv", Header: "maybe"}, `header: "maybe" is not known`},
		{Options{Format: "csv", Header: "no", RefFields: []string{"url"}}, `ref_field: "url" is a name, but there is no header`},
		{Options{Format: "jsonl", RefFields: []string{"a["}}, `ref_field: "a[" is no path`},
		{Options{Format: "jsonl", BaseField: "a[].b"}, `base_field: "a[].b" may be many values`},
		{Options{Format: "jsonl", Pass: []string{"a.b", "a-b"}}, `pass: "a-b" becomes the column x_a_b, as does a.b`},
		{Options{Format: "csv", RefFields: []string{"a", "b", "a"}}, `ref_field: "a" is named twice`},
		{Options{Format: "jsonl", Delimiter: ","}, `delimiter: "," has no meaning for this format`},
		{Options{RefFields: []string{"a"}}, `ref_field: "a" has no meaning for text`},
		{Options{Format: "clf", Pass: []string{"agent"}}, `pass: "agent" is not known: want client, protocol, user`},
		{Options{Format: "combined", VhostScheme: "https"}, `vhost_scheme: "https" has no meaning for combined`},
		{Options{Format: "vclf", VhostScheme: "ht tp"}, `is no scheme`},
		{Options{Format: "vclf", BaseField: "a"}, `base_field: "a" has no meaning for an access log`},
		{Options{MaxRecordBytes: 1 << 40}, "max_record_bytes: \"1099511627776\" is out of range"},
		{Options{MaxWindowBytes: 5}, "max_window_bytes: \"5\" is out of range"},
		{Options{Format: "jsonl", RefFields: strings.Split(strings.Repeat("x,", 256), ",")}, "257 fields"},
	} {
		if err := c.o.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v\n got %v\nwant %s", c.o, err, c.want)
		}
	}
	for _, o := range []Options{
		{},
		{Format: "csv", Delimiter: "tab", Header: "yes"},
		{Format: "vcombined", Pass: []string{"vhost", "agent"}},
		{Format: "jsonl", RefFields: []string{"links[].href", "."}},
		{Format: "tsv", RefFields: []string{"2"}, Header: "no"},
	} {
		if err := o.Validate(); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
