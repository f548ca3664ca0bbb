package normalize

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/urisieve/urisieve/normalize/keyrule"
	"github.com/urisieve/urisieve/normalize/uri"
	"github.com/urisieve/urisieve/normalize/uts46"
	"github.com/urisieve/urisieve/normalize/whatwg"
)

// Options says how to normalize. The zero value is the newest rfc3986 profile, repairing.
type Options struct {
	// Profile names the standard: "rfc3986", "rfc2396" or "whatwg" (its newest version), or a version by
	// its own name, such as "rfc3986-1": see Profiles. Default "rfc3986".
	Profile string
	// Strict refuses what the grammar forbids. Default false: it is mended once and flagged.
	Strict bool
	// SameScheme says what becomes of "http:g" beside a base of the same scheme: "strip",
	// "reject" or "keep". Default "": strip when repairing, reject when strict.
	SameScheme string
	// Userinfo is the policy on userinfo in url: "keep", "strip-password", "strip" or "refuse".
	// Default "keep".
	Userinfo string
	// RefuseBadPorts refuses the ports that the fetch standard calls bad. Default false.
	RefuseBadPorts bool
	// RejectFlags names flags (see FlagInfos) that are refused, with the reason Flagged: what the
	// URI, or the reference that it came from, must not have. Base URIs may have them. Default: none.
	RejectFlags []string
	// TrapFlags tells, beside the other flags, of what a crawler may be caught in (repeated_segments,
	// calendar, session_id, deep_path, very_long). It costs a look at path and query. Default false;
	// RejectFlags that names one of them implies it. Like all flags it changes neither url nor key, and
	// is no part of the settings id.
	TrapFlags bool
	// MaxURIBytes bounds the reference, in bytes. Default 64 KiB, 1 B to 64 MiB. The canonical
	// form, with its fragment, is bounded by four times that and 1 KiB: see OutputBound.
	MaxURIBytes int
	// DefaultPorts adds default ports to those that the profile knows. A scheme that the profile
	// gives another port is a fault.
	DefaultPorts []DefaultPort
	// Key are the key rules. Default: none, the key is the URI. They never change the URI.
	Key keyrule.Options
	// Encoding is the label of the character encoding of documents (Encoding standard), in which the
	// profile whatwg writes queries. Default "": UTF-8. The other profiles take none.
	Encoding string
	// DefaultBase is the application's default base (RFC 3986 section 5.1.4); "" for none.
	// It isn't part of the settings id: it says where input came from, not how URIs compare.
	DefaultBase string
}

// DefaultPort is a scheme and the port that its URIs have when they name none.
type DefaultPort struct {
	Scheme string
	Port   uint16
}

// Bounds and default of Options.MaxURIBytes, in bytes.
const (
	DefaultMaxURIBytes = 64 << 10
	MaxMaxURIBytes     = 64 << 20
)

// The values of Options.SameScheme and Options.Userinfo.
const (
	sameStrip  = "strip"
	sameReject = "reject"
	sameKeep   = "keep"

	userinfoKeep          = "keep"
	userinfoStripPassword = "strip-password"
	userinfoStrip         = "strip"
	userinfoRefuse        = "refuse"
)

// OutputBound is the longest canonical form, url and fragment together, that comes of references
// of at most maxURIBytes. Escaping makes three bytes of one; the rest leaves room for the base,
// and the 1 KiB for host names that A-labels make longer in short references. What would pass it
// is refused as output_too_long.
func OutputBound(maxURIBytes int) int { return 4*maxURIBytes + 1<<10 }

// Validate reports all faults at once, joined; each is an *OptionError.
func (o Options) Validate() error {
	var faults []error
	fault := func(key, value, accepted string) {
		faults = append(faults, &OptionError{Key: key, Value: value, Accepted: accepted})
	}
	oneOf := func(key, value string, accepted ...string) {
		if value != "" && !slices.Contains(accepted, value) {
			fault(key, strconv.Quote(value), strings.Join(accepted, ", "))
		}
	}
	if _, ok := profileNamed(o.withDefaults().Profile); !ok {
		var names []string
		for _, p := range Profiles() {
			if p.Newest {
				names = append(names, p.Family)
			}
			names = append(names, p.Name)
		}
		fault("profile", strconv.Quote(o.Profile), strings.Join(names, ", "))
	}
	oneOf("same_scheme", o.SameScheme, sameStrip, sameReject, sameKeep)
	oneOf("userinfo", o.Userinfo, userinfoKeep, userinfoStripPassword, userinfoStrip, userinfoRefuse)
	if o.MaxURIBytes < 0 || o.MaxURIBytes > MaxMaxURIBytes {
		fault("max_uri_bytes", strconv.Itoa(o.MaxURIBytes), "1 to "+strconv.Itoa(MaxMaxURIBytes)+" bytes, or 0 for the default")
	}
	for i, p := range o.DefaultPorts {
		if value, accepted := o.portFault(i); accepted != "" {
			fault("default_ports["+strconv.Itoa(i)+"]", strconv.Quote(p.Scheme)+": "+value, accepted)
		}
	}
	for i, name := range o.RejectFlags {
		if flagNamed(name) == 0 {
			fault("reject_flags["+strconv.Itoa(i)+"]", strconv.Quote(name), strings.Join((flagEnd-1).Names(), ", "))
		}
	}
	faults = append(faults, o.keyFaults()...)
	faults = append(faults, o.webFaults()...)
	if len(faults) == 0 && o.DefaultBase != "" {
		n := newNormalizer(o)
		if r := n.setDefaultBase(); r.Reason != OK {
			fault("base", strconv.Quote(maskSecrets(o.DefaultBase)), "an absolute URI ("+r.Reason.String()+" at byte "+strconv.Itoa(int(r.At))+")")
		}
	}
	return errors.Join(faults...)
}

// isWeb reports whether the profile is whatwg's.
func (o Options) isWeb() bool { return o.family() == familyWeb }

// isOld reports whether the profile is RFC 2396's.
func (o Options) isOld() bool { return o.family() == familyOld }

// family is the family of the profile, "" if there is no such profile.
func (o Options) family() string {
	p, _ := profileNamed(o.Profile)
	return p.Family
}

// webFaults reports options that don't go with the profile.
func (o Options) webFaults() (faults []error) {
	fault := func(wrong bool, key, value, accepted string) {
		if wrong {
			faults = append(faults, &OptionError{Key: key, Value: value, Accepted: accepted})
		}
	}
	if !o.isWeb() {
		fault(o.Encoding != "", "encoding", strconv.Quote(o.Encoding), "none, but with the profile whatwg: the others write UTF-8")
		return faults
	}
	fault(o.Strict, "strict", "true", "false with the profile whatwg: the URL standard has no strict reading")
	fault(o.SameScheme == sameReject || o.SameScheme == sameKeep, "same_scheme", strconv.Quote(o.SameScheme), "strip with the profile whatwg")
	fault(len(o.DefaultPorts) > 0, "default_ports", strconv.Itoa(len(o.DefaultPorts)), "none with the profile whatwg: the URL standard knows its own five")
	fault(o.Encoding != "" && !whatwg.IsEncoding(o.Encoding), "encoding", strconv.Quote(o.Encoding), "a label of the Encoding standard, such as utf-8, windows-1252 or shift_jis")
	return faults
}

// portFault says what is wrong with an added default port, and what would be accepted.
func (o Options) portFault(i int) (value, accepted string) {
	p := o.DefaultPorts[i]
	value = strconv.Itoa(int(p.Port))
	if !isScheme([]byte(p.Scheme)) {
		return value, "a scheme: a letter, then letters, digits, +, - and ."
	}
	if p.Port == 0 {
		return value, "a port from 1 to 65535"
	}
	name := strings.ToLower(p.Scheme)
	if s := schemeNamed([]byte(name)); s != nil && s.port != 0 && s.port != p.Port {
		return value, "no other port than " + strconv.Itoa(int(s.port)) + ", which is the scheme's own"
	}
	for _, q := range o.DefaultPorts[:i] {
		if strings.EqualFold(p.Scheme, q.Scheme) && p.Port != q.Port {
			return value, "one port for a scheme, and " + strconv.Itoa(int(q.Port)) + " is given before"
		}
	}
	return "", ""
}

// isScheme reports whether text is a scheme (RFC 3986 section 3.1).
func isScheme(text []byte) bool {
	if len(text) == 0 || !uri.Is(text[0], uri.Alpha) {
		return false
	}
	for _, c := range text {
		if !uri.Is(c, uri.SchemeChar) {
			return false
		}
	}
	return true
}

// OptionError is one fault of Options.
type OptionError struct {
	Key      string // the field as configuration spells it: "same_scheme"
	Value    string // what was given
	Accepted string // what would be taken, for a person to read
}

func (e *OptionError) Error() string {
	return e.Key + ": " + e.Value + " is not accepted: want " + e.Accepted
}

// withDefaults writes every default out.
func (o Options) withDefaults() Options {
	o.Profile = cmp.Or(o.Profile, "rfc3986")
	if p, ok := profileNamed(o.Profile); ok {
		o.Profile = p.Name
	}
	if o.SameScheme == "" {
		o.SameScheme = sameStrip
		if o.Strict {
			o.SameScheme = sameReject
		}
	}
	o.Userinfo = cmp.Or(o.Userinfo, userinfoKeep)
	o.MaxURIBytes = cmp.Or(o.MaxURIBytes, DefaultMaxURIBytes)
	return o
}

// settingsID is the profile, the Unicode version of its tables, and the first eight hexadecimal
// digits of the SHA-256 of the settings, defaults written out, a line each. MaxURIBytes and
// DefaultBase are not among them: they never change what becomes of a URI, only whether it is
// taken and where it came from. o has its defaults written out.
func (o Options) settingsID() string {
	var b strings.Builder
	b.WriteString("strict=" + strconv.FormatBool(o.Strict) + "\n")
	b.WriteString("same_scheme=" + o.SameScheme + "\n")
	b.WriteString("userinfo=" + o.Userinfo + "\n")
	b.WriteString("refuse_bad_ports=" + strconv.FormatBool(o.RefuseBadPorts) + "\n")
	for _, p := range o.addedPorts() {
		b.WriteString("default_port=" + p.Scheme + ":" + strconv.Itoa(int(p.Port)) + "\n")
	}
	if names := o.rejectedFlags().Names(); len(names) > 0 {
		b.WriteString("reject_flags=" + strings.Join(names, ",") + "\n")
	}
	if o.isWeb() {
		encoding := whatwg.OutputEncoding(o.Encoding)
		if encoding == whatwg.OutputEncoding("") {
			encoding = ""
		}
		b.WriteString("encoding=" + encoding + "\n")
	}
	if rules, err := keyrule.Compile(o.Key); err == nil {
		b.Write(rules.AppendSettings(nil))
	}
	sum := sha256.Sum256([]byte(b.String()))
	major, _, _ := strings.Cut(uts46.UnicodeVersion, ".")
	return o.Profile + ".u" + major + "+" + hex.EncodeToString(sum[:4])
}

// rejectedFlags is the set that RejectFlags names.
func (o Options) rejectedFlags() (set Flags) {
	for _, name := range o.RejectFlags {
		set |= flagNamed(name)
	}
	return set
}

// addedPorts are the default ports that the options really add, in lower case, sorted, once each.
func (o Options) addedPorts() []DefaultPort {
	var ports []DefaultPort
	for _, p := range o.DefaultPorts {
		p.Scheme = strings.ToLower(p.Scheme)
		if s := schemeNamed([]byte(p.Scheme)); s == nil || s.port == 0 {
			ports = append(ports, p)
		}
	}
	slices.SortFunc(ports, func(a, b DefaultPort) int { return strings.Compare(a.Scheme, b.Scheme) })
	return slices.Compact(ports)
}
