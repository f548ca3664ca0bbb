package sources

import (
	"strings"
	"testing"
	"time"
)

const at = "[10/Oct/2000:13:55:36 -0700]"

func TestLogCommon(t *testing.T) {
	const head = "1.2.3.4 - - " + at + " "
	const cols = " fetch_time=971211336000000 fetch_status=200"
	runGolden(t, Options{Format: "clf"}, []golden{
		{"origin form", head + `"GET /a?b HTTP/1.0" 200 2326`, []string{"1@0 request|/a?b" + cols + " x_method=GET x_bytes=2326"}},
		{"bytes and status absent", head + `"GET / HTTP/1.0" - -`, []string{"1@0 request|/ fetch_time=971211336000000 x_method=GET"}},
		{"absolute form", head + `"GET http://h/a HTTP/1.0" 200 -`, []string{"1@0 request|http://h/a" + cols + " x_method=GET"}},
		{"HTTP/0.9", head + `"GET /a" 200 1`, []string{"1@0 request|/a" + cols + " x_method=GET x_bytes=1"}},
		{"spaces in the target", head + `"GET /a b HTTP/1.1" 200 1`, []string{"1@0 request|/a b" + cols + " x_method=GET x_bytes=1"}},
		{"a path that begins with two slashes", head + `"GET //evil.com/x HTTP/1.1" 200 1`, []string{"1@0 request|/.//evil.com/x" + cols + " x_method=GET x_bytes=1"}},
		{"asterisk form", head + `"OPTIONS * HTTP/1.0" 200 -`, []string{"1@0 request|* !no_target:record@0" + cols + " x_method=OPTIONS"}},
		{"authority form", head + `"CONNECT h:443 HTTP/1.1" 200 -`, []string{"1@0 request|h:443 !no_target:record@0" + cols + " x_method=CONNECT"}},
		{"a target of no form", head + `"GET index.html HTTP/1.1" 200 -`, []string{"1@0 request|index.html !no_target:record@0" + cols + " x_method=GET"}},
		{"no request", head + `"-" 200 -`, []string{"1@0 request|- !bad_request:record@0" + cols}},
		{"empty request", head + `"" 200 -`, []string{"1@0 request| !bad_request:record@0" + cols}},
		{"TLS to a plain port", head + `"\x16\x03\x01 \"" 200 -`, []string{"1@0 request|\x16\x03\x01 \" !bad_request:record@0" + cols}},
		{"escapes", head + `"GET /\xC3\xA9\"\\\t\q HTTP/1.1" 200 -`, []string{"1@0 request|/é\"\\\t\\q" + cols + " x_method=GET"}},
		{"quotes of a server that doesn't escape", head + `"GET /a"b" HTTP/1.0" 200 -`, []string{"1@0 request|/a\"b\"" + cols + " x_method=GET"}},
		{"a user with spaces and a bracket", "h - A [B " + at + ` "GET / HTTP/1.0" 200 -`, []string{"1@0 request|/" + cols + " x_method=GET"}},
		{"more behind it", head + `"GET / HTTP/1.0" 200 - "x" "y"`, []string{"1@0 request|/" + cols + " x_method=GET"}},
	})
}

func TestLogLinesThatAreNone(t *testing.T) {
	for in, at := range map[string]string{
		"garbage":      "0",
		"h - - nodate": "4",
		"h - - [32/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200 -":  "4",
		"h - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0":          "35",
		"h - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200":    "55",
		"h - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200 x":  "56",
		"h - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200 1x": "57",
	} {
		got := decoded(t, Options{Format: "clf"}, in)
		if len(got) != 1 || got[0] != "1@0 request|"+in+" !bad_record:record@"+at {
			t.Errorf("%s: got %q, want byte %s", in, got, at)
		}
	}
	got := decoded(t, Options{Format: "combined"}, "h - - "+at+" \"GET / HTTP/1.0\" 200 - \"http://r/")
	if len(got) != 1 || !strings.Contains(got[0], "!bad_record") {
		t.Errorf("combined that ends in its referer: %q", got)
	}
}

func TestLogCombined(t *testing.T) {
	const cols = " fetch_time=971211336000000 fetch_status=200 x_method=GET x_agent=UA \"1\""
	o := Options{Format: "combined", Pass: []string{"agent", "user"}}
	head := "1.2.3.4 - - " + at + ` "GET /a HTTP/1.0" 200 - `
	runGolden(t, o, []golden{
		{"referer", head + `"http://r/\x22" "UA \"1\""`, []string{"1@0 request|/a" + cols, `1@0.1 referer|http://r/"` + cols}},
		{"no referer", head + `"-" "UA \"1\"" 0.003`, []string{"1@0 request|/a" + cols}},
		{"empty referer", head + `"" "UA \"1\""`, []string{"1@0 request|/a" + cols}},
		{"user", strings.Replace(head, "- - [", "- bob [", 1) + `"-" "-"`, []string{"1@0 request|/a fetch_time=971211336000000 fetch_status=200 x_method=GET x_user=bob"}},
	})
}

func TestLogVirtualHost(t *testing.T) {
	const cols = " fetch_time=971211336000000 x_method=GET"
	tail := " 1.2.3.4 - - " + at + ` "GET /a HTTP/1.0" - -`
	runGolden(t, Options{Format: "vclf"}, []golden{
		{"port 80", "h.example:80" + tail, []string{"1@0 request|/a base=http://h.example:80/" + cols}},
		{"port 443", "h.example:443" + tail, []string{"1@0 request|/a base=https://h.example:443/" + cols}},
		{"no port", "h.example" + tail, []string{"1@0 request|/a base=http://h.example/" + cols}},
		{"absent", "-" + tail, []string{"1@0 request|/a" + cols}},
		{"not a host", "h/x" + tail, []string{"1@0 request|h/x" + tail + " !bad_record:record@1"}},
	})
	runGolden(t, Options{Format: "vcombined", VhostScheme: "https", Pass: []string{"vhost", "protocol"}}, []golden{
		{"scheme given", "h:8080" + tail + ` "http://r" "x"`, []string{
			"1@0 request|/a base=https://h:8080/" + cols + " x_vhost=h:8080 x_protocol=HTTP/1.0",
			"1@0.1 referer|http://r base=https://h:8080/" + cols + " x_vhost=h:8080 x_protocol=HTTP/1.0",
		}},
	})
}

func TestLogTimeAgreesWithTheStandardLibrary(t *testing.T) {
	const layout = "02/Jan/2006:15:04:05 -0700"
	zone := time.FixedZone("", 5*3600+1800)
	for d := time.Date(1, 1, 1, 1, 2, 3, 0, zone); d.Year() < 2500; d = d.AddDate(0, 0, 13).Add(7 * time.Minute) {
		if got, ok := logTime([]byte(d.Format(layout))); !ok || got != d.UnixMicro() {
			t.Fatalf("%s: got %d, want %d", d.Format(layout), got, d.UnixMicro())
		}
	}
	for _, bad := range []string{"29/Feb/2001:00:00:00 +0000", "00/Jan/2001:00:00:00 +0000", "01/jan/2001:00:00:00 +0000", "01/Jan/2001:24:00:00 +0000", "01/Jan/2001:00:60:00 +0000", "01/Jan/2001:00:00:61 +0000", "01/Jan/2001:00:00:00 00000", "x"} {
		if _, ok := logTime([]byte(bad)); ok {
			t.Errorf("%s was taken", bad)
		}
	}
}
