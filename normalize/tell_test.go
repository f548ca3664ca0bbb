package normalize_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

// tellCases are URIs with the flags, of those that the text of a canonical URI has by itself, that
// each profile must tell; "" is none of them.
var tellCases = []struct {
	ref, flags string
}{
	// Addresses: RFC 6890 and the registries that it made, in every form that browsers read.
	{"http://localhost/", "private_host"},
	{"http://LOCALHOST:8080/x", "private_host"},
	{"http://api.localhost./", "private_host"},
	{"http://notlocalhost/", ""},
	{"http://localhost.example/", ""},
	{"http://printer.local/", "private_host"},
	{"http://local/", ""},
	{"http://db.internal/", "private_host"},
	{"http://router.home.arpa/", "private_host"},
	{"http://127.0.0.1/", "private_host"},
	{"http://127.255.255.255/", "private_host"},
	{"http://128.0.0.1/", ""},
	{"http://10.1.2.3/", "private_host"},
	{"http://11.1.2.3/", ""},
	{"http://172.15.255.255/", ""},
	{"http://172.16.0.1/", "private_host"},
	{"http://172.31.255.255/", "private_host"},
	{"http://172.32.0.1/", ""},
	{"http://192.168.1.1/", "private_host"},
	{"http://169.254.169.254/latest/meta-data/", "private_host"},
	{"http://100.64.0.1/", "private_host"},
	{"http://100.128.0.1/", ""},
	{"http://0.0.0.0/", "private_host"},
	{"http://255.255.255.255/", "private_host"},
	{"http://192.0.0.9/", ""},
	{"http://8.8.8.8/", ""},
	// Names that only look like an address.
	{"http://10.example/", ""},
	{"http://ten.10.example/", ""},
	// Paths.
	{"http://h/a%2fb", "encoded_slash"},
	{"http://h/a%5Cb", "encoded_slash"},
	{"http://h/a%252Fb", ""},
	{"http://h/?a%2Fb", ""},
	{"http://h/a/a/a", ""}, // a short path
	{"http://h/x/y/z/a/a/a", "repeated_segments"},
	{"http://h/x/y/z/a/a/a/", "repeated_segments"},
	{"http://h/a/a/b/a", ""},
	{"http://h/x/a/b/a/b/a/b/y", "repeated_segments"},
	{"http://h/a/b/a/b/a/c", ""},
	{"http://h/a/b/c/a/b/c/a/b/c", "repeated_segments"},
	{"http://h/a/b/c/d/a/b/c/d/a/b/c/d", ""},
	{"http://h//////", "repeated_segments"},
	{"http://h/a/b/a/b/a/b", "repeated_segments"},
	{"http://h/a//b", ""},
	{"http://h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20", ""},
	{"http://h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/", "deep_path"},
	// Calendars.
	{"http://h/calendar/2031/05", "calendar"},
	{"http://h/Events/list/2031-05-01/", "calendar"},
	{"http://h/blog/2031/05/01/title", ""},
	{"http://h/calendar/x/y", ""},
	{"http://h/calendar/2031/05/31/", "calendar"},
	{"http://h/calendar/2031/05/32", ""},
	{"http://h/calendar/2031/05/concert", ""},
	{"http://h/events/2031-05-01", "calendar"},
	{"http://h/events/2031-05-01-concert", ""},
	{"http://h/events/2031-05-01/concert", ""},
	{"http://h/?ver=2031-05-01", ""},
	{"http://h/?Start_Date=2031-05-01", "calendar"},
	{"http://h/?tribe-bar-date=2031-05-01T00:00", "calendar"},
	{"http://h/?eventDate=2031-05", "calendar"},
	{"http://h/?lastmodified=2031-05-01", ""},
	{"http://h/?date=2031-05-01", "calendar"},
	{"http://h/?d=2031-05", "calendar"},
	{"http://h/?y=2031&m=5", "calendar"},
	{"http://h/?year=2031&page=5", ""},
	{"http://h/?id=2031-0501", ""},
	{"http://h/?month=13&year=2031", ""},
	{"http://h/?y=1999&m=5", ""},
	// Sessions.
	{"http://h/a;jsessionid=1", "session_id"},
	{"http://h/a;x=1;JSESSIONID=1/b", "session_id"},
	{"http://h/a;jsession=1", ""},
	{"http://h/?PHPSESSID=1", "session_id"},
	{"http://h/?a=1&aspsessionidqq=2", "session_id"},
	{"http://h/?q=phpsessid", ""},
	{"http://h/?sid=9682993c8daa2c5497996114facdc805", "session_id"},
	{"http://h/?sid=12", ""},
	{"http://h/(S(abc))/x.aspx", "session_id"},
	// Length, without the fragment.
	{"http://h/" + strings.Repeat("x", 2047-9), ""},
	{"http://h/" + strings.Repeat("x", 2048-9), "very_long"},
	{"http://h/#" + strings.Repeat("x", 4096), ""},
	// Names of several scripts.
	{"http://p\u0430ypal.example/", "mixed_script_host"},
	{"http://\u0440\u0430\u0443\u0440\u0430.example/", ""},
	{"http://xn--pypal-4ve.example/", "mixed_script_host"},
	{"http://日本語ab.example/", ""},
	{"http://क्\u200dष.example/", "invisible_host"},
	{"http://bücher.example/", ""},
	{"mailto:a@localhost", ""},
	{"foo:a/a/a/a", ""},
}

// The dot segments that RFC 2396 keeps at the front of a path are no repetition.
func TestTell_KeptDotsDoNotRepeat(t *testing.T) {
	n := newNormalizer(t, normalize.Options{Profile: "rfc2396", TrapFlags: true})
	const ref = "../../../../../../../../x"
	got, r := outcome(n, retrieval("http://h/a/b"), ref)
	if r.Reason != normalize.OK || r.Flags&normalize.FlagRepeatedSegments != 0 {
		t.Errorf("%q is %s with flags %v", ref, got, r.Flags.Names())
	}
}

// told are the flags that the cases are about.
var told = []string{
	"private_host", "mixed_script_host", "invisible_host", "encoded_slash", "repeated_segments", "calendar", "session_id", "deep_path", "very_long",
}

func TestTell_EveryProfileTellsTheSame(t *testing.T) {
	for _, profile := range []string{"rfc3986", "rfc2396", "whatwg"} {
		n := newNormalizer(t, normalize.Options{Profile: profile, TrapFlags: true})
		for _, c := range tellCases {
			got, r := outcome(n, layers{}, c.ref)
			if r.Reason != normalize.OK {
				t.Fatalf("%s: %q: %s", profile, c.ref, got)
			}
			checkTold(t, profile, c.ref, r.Flags, c.flags)
			// A relative reference to it tells the same, whatever its base has in its path.
			if strings.HasPrefix(c.ref, "http://") {
				_, r := outcome(n, retrieval("http://10.0.0.1/a/a/a/?date=2031-05-01"), strings.TrimPrefix(c.ref, "http:"))
				checkTold(t, profile+", relative", c.ref, r.Flags, c.flags)
			}
		}
	}
}

func checkTold(t *testing.T, profile, ref string, flags normalize.Flags, want string) {
	t.Helper()
	var got []string
	for _, name := range flags.Names() {
		if slices.Contains(told, name) {
			got = append(got, name)
		}
	}
	if strings.Join(got, " ") != want {
		t.Errorf("%s: %q has the flags %v, want %q", profile, ref, got, want)
	}
}

// The path of a base is not what a relative reference's own path tells.
func TestTell_BasePathIsNotInherited(t *testing.T) {
	n := newNormalizer(t, normalize.Options{TrapFlags: true})
	_, r := outcome(n, retrieval("http://10.0.0.1/a/a/a;jsessionid=1/?date=2031-05-01"), "/x")
	checkTold(t, "rfc3986", "/x", r.Flags, "private_host")
}

// Addresses in forms that only some programs read, and IPv6.
func TestTell_AddressesInOtherForms(t *testing.T) {
	for _, c := range []struct{ profile, ref, flags string }{
		{"rfc3986", "http://0x7f.1/", "private_host host_differs numeric_host"},
		{"rfc3986", "http://0177.0.0.1/", "private_host host_differs"},
		{"rfc3986", "http://2130706433/", "private_host host_differs"},
		{"rfc3986", "http://127.1./", "private_host host_differs"},
		{"rfc3986", "http://256.256.256.256/", "-private_host host_differs"},
		{"rfc3986", "http://0x08080808/", "-private_host host_differs"},
		{"rfc2396", "http://0x7f.1/", "private_host host_differs"},
		{"whatwg", "http://0x7f.1/", "private_host -host_differs"},
		{"whatwg", "http://2130706433/", "private_host"},
		{"rfc3986", "http://[::1]/", "private_host"},
		{"whatwg", "http://[::]/", "private_host"},
		{"rfc3986", "http://[::ffff:10.0.0.1]/", "private_host"},
		{"whatwg", "http://[::ffff:10.0.0.1]/", "private_host"},
		{"rfc3986", "http://[::ffff:8.8.8.8]/", "-private_host"},
		{"rfc3986", "http://[64:ff9b::7f00:1]/", "private_host"},
		{"rfc3986", "http://[2002:c0a8:1::]/", "private_host"},
		{"rfc3986", "http://[fe80::1]/", "private_host"},
		{"rfc3986", "http://[fec0::1]/", "private_host"},
		{"rfc3986", "http://[fd12:3456::1]/", "private_host"},
		{"rfc3986", "http://[2001:db8::1]/", "private_host"},
		{"rfc3986", "http://[2606:4700::1]/", "-private_host -host_differs"},
		{"rfc3986", "http://[v1.x]/", "-private_host host_differs"},
		{"rfc3986", "http://[::2]/", "private_host"},
		{"rfc3986", "http://[::808:808]/", "-private_host"},
		{"rfc3986", "http://[2001::1]/", "private_host"},
		{"whatwg", "http://[2001:2::1]/", "private_host"},
		{"rfc3986", "http://[2001:1::1]/", "-private_host"},
		{"rfc3986", "http://[2001:1::4]/", "private_host"},
		{"rfc3986", "http://[2001:3::1]/", "-private_host"},
		{"rfc3986", "http://[2001:4:112::1]/", "-private_host"},
		{"rfc3986", "http://[2001:20::1]/", "-private_host"},
		{"rfc3986", "http://[2001:30::1]/", "-private_host"},
		{"rfc3986", "http://[2001:40::1]/", "private_host"},
		{"rfc3986", "http://[2001:200::1]/", "-private_host"},
		{"whatwg", "gopher://127.0.0.1:6379/", "private_host"},
		{"whatwg", "ssh://127.1/", "private_host"},
		{"whatwg", "ssh://0X7F.1/", "private_host"},
		{"whatwg", "ssh://LocalHost/", "private_host"},
		{"whatwg", "ssh://%6Cocalhost/", "private_host"},
		{"whatwg", "ssh://127%2E0.0.1/", "private_host"},
		{"whatwg", "ssh://[::1]/", "private_host"},
		{"whatwg", "ssh://8.8.8.8/", "-private_host"},
		{"rfc3986", "foo://127.0.0.1/", "private_host"},
		{"rfc3986", "foo://0x7f.1/", "private_host"},
		{"rfc2396", "foo://127.1/", "private_host"},
		{"rfc3986", "foo://de/", "-private_host"},
		{"rfc3986", "ftp:foo", "host_differs"},
		{"rfc3986", "wss:/foo", "host_differs"},
		{"rfc3986", "file:/foo", "-host_differs"},
		{"rfc3986", "mailto:foo", "-host_differs"},
		{"whatwg", `https:\evil.com`, "backslash_authority"},
		{"whatwg", `https:\\evil.com`, "backslash_authority"},
		{"whatwg", `https:/\evil.com`, "backslash_authority"},
		{"whatwg", `https:evil.com\x`, "-backslash_authority"},
		{"whatwg", `http:\x`, "-backslash_authority"},
		{"whatwg", `\x`, "-backslash_authority"},
		{"whatwg", `http://a"b.example/`, "host_differs"},
		{"whatwg", "http://a_b.example/", "-host_differs"},
		{"whatwg", "foo://Host/", "-host_differs"},
		{"rfc3986", "http://example.com/", "-host_differs"},
		{"rfc3986", "http://bücher.example/", "-host_differs"},
		{"whatwg", `http://good.com\@evil.com/`, "backslash_authority"},
		{"whatwg", `\\evil.com/`, "backslash_authority"},
		{"whatwg", `http://h\a`, "backslash_authority"},
		{"whatwg", `http://h/a\b`, "-backslash_authority"},
		{"whatwg", "http://h/%2e%2e/x", "encoded_dots"},
		{"whatwg", `http://h/a\.%2e\x`, "encoded_dots"},
		{"rfc3986", "http://h/a/%2E/x", "encoded_dots"},
		{"rfc2396", "http://h/a/.%2e/x", "encoded_dots"},
		{"rfc3986", "http://h/a/%2ex", "-encoded_dots"},
		{"rfc3986", "http://h/a/../x%41", "-encoded_dots"},
		{"rfc3986", "http://h/?/%2e/", "-encoded_dots"},
		{"rfc3986", "http://ex\u00adample.com/", "invisible_removed -invisible_host"},
		{"rfc3986", "http://ex%C2%ADample.com/", "invisible_removed"},
		{"whatwg", "http://ex\u00adample.com/", "invisible_removed"},
		{"whatwg", "http://ex%C2%ADample.com/", "invisible_removed"},
		{"whatwg", "http://example.com/\u00ad", "-invisible_removed"},
	} {
		got, r := outcome(newNormalizer(t, normalize.Options{Profile: c.profile}), retrieval("http://base.example/"), c.ref)
		for flag := range strings.FieldsSeq(c.flags) {
			name, not := strings.CutPrefix(flag, "-")
			if r.Reason != normalize.OK || slices.Contains(r.Flags.Names(), name) == not {
				t.Errorf("%s: %q is %s with flags %v, want %s", c.profile, c.ref, got, r.Flags.Names(), flag)
			}
		}
	}
}

// Without TrapFlags nobody looks for traps.
func TestTell_TrapsOnRequest(t *testing.T) {
	const ref = "http://10.0.0.1/cal/2031/05;jsessionid=1?date=2031-05"
	_, r := outcome(newNormalizer(t, normalize.Options{}), layers{}, ref)
	checkTold(t, "rfc3986", ref, r.Flags, "private_host")
	_, r = outcome(newNormalizer(t, normalize.Options{TrapFlags: true}), layers{}, ref)
	checkTold(t, "rfc3986", ref, r.Flags, "private_host calendar session_id")
	if got, _ := outcome(newNormalizer(t, normalize.Options{RejectFlags: []string{"calendar"}}), layers{}, ref); !agrees(got, "!flagged") {
		t.Errorf("reject_flags does not look for the trap that it names: %s", got)
	}
}

// RejectFlags: each flag can be refused; what is refused tells it, leaves no bytes, and is a base all
// the same.
func TestRejectFlags(t *testing.T) {
	for _, profile := range []string{"rfc3986", "rfc2396", "whatwg"} {
		for _, info := range normalize.FlagInfos() {
			plain := newNormalizer(t, normalize.Options{Profile: profile, TrapFlags: true})
			base := retrieval("http://base.example/a/")
			if _, r := outcome(plain, base, info.Example); r.Reason != normalize.OK || r.Flags&info.Bit == 0 {
				continue // of another profile, or of an option
			}
			n := newNormalizer(t, normalize.Options{Profile: profile, RejectFlags: []string{info.Name}})
			var b normalize.Base
			n.SetBase(&b, base[0], base[1], base[2])
			out, r := n.Append([]byte("x"), &b, []byte(info.Example))
			if string(out) != "x" || r.Reason != normalize.Flagged || r.Flags&info.Bit == 0 || r.Component == normalize.ComponentNone || r.Changed != 0 {
				t.Errorf("%s, %s: %q gave %q, %+v", profile, info.Name, info.Example, out, r)
			}
			e := n.Explain(nil, nil, base[2], []byte(info.Example), normalize.ExplainOptions{})
			if e.Reason != normalize.Flagged || e.Flags&info.Bit == 0 || e.URL != "" || e.Key != "" {
				t.Errorf("%s, %s: explained as %s, %v", profile, info.Name, e.Reason, e.Flags.Names())
			}
			if n.SettingsID() == plain.SettingsID() {
				t.Errorf("%s is not part of the settings id", info.Name)
			}
		}
	}
	n := newNormalizer(t, normalize.Options{RejectFlags: []string{"private_host"}})
	if got, _ := outcome(n, retrieval("http://10.0.0.1/a"), "//h.example/b"); got != "http://h.example/b" {
		t.Errorf("a base with the flag is none: %s", got)
	}
	if got, _ := outcome(n, retrieval("http://10.0.0.1/a"), "b"); !agrees(got, "!flagged") {
		t.Errorf("what is relative to such a base passes: %s", got)
	}
	err := normalize.Options{RejectFlags: []string{"idn", "nonsense"}}.Validate()
	if err == nil || !strings.Contains(err.Error(), "reject_flags[1]") || !strings.Contains(err.Error(), "private_host") {
		t.Errorf("the fault of an unknown flag is %v", err)
	}
}

func TestTell_NoAllocation(t *testing.T) {
	for _, profile := range []string{"rfc3986", "rfc2396", "whatwg"} {
		n := newNormalizer(t, normalize.Options{Profile: profile, RejectFlags: []string{"deep_path"}})
		var out []byte
		run := func() {
			for _, c := range tellCases {
				out, _ = n.Append(out[:0], nil, []byte(c.ref))
			}
		}
		run()
		if allocs := testing.AllocsPerRun(10, run); allocs > float64(len(tellCases)) { // one for each []byte(c.ref)
			t.Errorf("%s: %v allocations", profile, allocs)
		}
	}
}
