package normalize

import (
	"bytes"

	"github.com/urisieve/urisieve/normalize/uri"
	"github.com/urisieve/urisieve/normalize/whatwg"
)

// webOutputFactor is how much longer than a reference its href can be: an ideographic character
// in a query whose document encoding lacks it becomes "%26%23" and its number; see package whatwg.
const webOutputFactor = 14

// appendWeb is Append for the profile whatwg: the href of the URL standard, its validation errors
// as flags. The policies on userinfo and ports act on the href.
func (n *Normalizer) appendWeb(dst []byte, base *Base, ref []byte) ([]byte, Result) {
	start := len(dst)
	var on *whatwg.Base
	if base.used != BaseNone {
		on = &base.web
	}
	out, w := n.web.Append(dst, on, ref)
	r := Result{Flags: webErrors(w.Errors)}
	if base.skipped && (w.Relative || w.Failure == whatwg.NoBase || w.Failure == whatwg.OpaqueBase) {
		r.Flags |= FlagBaseSkipped
	}
	if w.Failure != whatwg.OK {
		r.Reason, r.Component, r.At = webReasons[w.Failure], webComponents[w.Component], w.At
		return dst, r
	}
	r.Parts = w.Parts
	r.Flags |= n.webRemarks(ref, w)
	switch {
	case w.Relative:
		r.BaseUsed = base.used
		r.Changed = RuleResolve
		if uri.Split(bytes.Trim(ref, spaceAndControls)).HasScheme() {
			r.Flags |= FlagSameScheme
		}
	case !bytes.Equal(out[start:], ref):
		r.Changed = RuleURLStandard
	}
	if r.Parts.HasUserinfo() {
		if n.on&RuleRefuseUserinfo != 0 {
			return dst, Result{Flags: r.Flags, Reason: UserinfoRefused, Component: ComponentUserinfo}
		}
		out = n.webUserinfo(out, start, &r)
	}
	if len(out)-start > n.maxOut {
		return dst, Result{Flags: r.Flags, Reason: OutputTooLong, Component: ComponentReference}
	}
	if !n.webResult(out[start:], w, &r) {
		return dst, Result{Flags: r.Flags, Reason: BadPort, Component: ComponentPort}
	}
	return out, r
}

// webRemarks are the flags of what the URL standard mends in silence, or under a name that tells
// less.
func (n *Normalizer) webRemarks(ref []byte, w whatwg.Result) (flags Flags) {
	if w.Errors&(whatwg.InvalidReverseSolidus|whatwg.SpecialSchemeMissingFollowingSolidus) != 0 && backslashInAuthority(ref, w.Relative) {
		flags |= FlagBackslashAuthority
	}
	if bytes.IndexByte(ref, '%') >= 0 {
		p := uri.Split(ref)
		if hasEncodedDots(p.Path(ref), "\\") {
			flags |= FlagEncodedDots
		}
	}
	if w.Host == whatwg.HostDomain && w.Errors&(whatwg.DomainToASCII|whatwg.DomainPercentEncoded|whatwg.InvalidURLUnit) != 0 || !isASCII(ref) {
		text := bytes.Trim(ref, spaceAndControls)
		p := uri.Split(text)
		n.teller.ascii = appendUnescaped(n.teller.ascii[:0], p.Host(text))
		if holdsInvisible(n.teller.ascii) {
			flags |= FlagInvisibleRemoved
		}
	}
	return flags
}

// backslashInAuthority reports whether there is a backslash in the authority of a reference, or
// where one begins. relative says whether the reference was resolved against its base, in spite of
// a scheme too.
func backslashInAuthority(ref []byte, relative bool) bool {
	text := bytes.Trim(ref, spaceAndControls)
	p := uri.Split(text)
	switch {
	case p.HasAuthority():
		return bytes.IndexByte(p.Authority(text), '\\') >= 0
	case p.HasScheme() && !relative:
		if s := schemeOf(p.Scheme(text)); s != nil && isSpecial([]byte(s.name)) && s.name != "file" {
			return startsWithBackslash(text[p.PathStart:])
		}
	}
	at := authorityLookalike(text, p)
	return at >= 0 && text[at] == '\\'
}

// startsWithBackslash reports whether there is a backslash among the slashes that a text starts with.
func startsWithBackslash(text []byte) bool {
	for _, c := range text {
		switch c {
		case '/', '\t', '\n', '\r':
		default:
			return c == '\\'
		}
	}
	return false
}

// appendUnescaped appends text with all its escapes decoded.
func appendUnescaped(dst, text []byte) []byte {
	for i := 0; i < len(text); i++ {
		if uri.IsEscape(text, i) {
			dst = append(dst, uri.Unhex(text[i+1])<<4|uri.Unhex(text[i+2]))
			i += 2
			continue
		}
		dst = append(dst, text[i])
	}
	return dst
}

// webUserinfo applies the policies that take userinfo, or its password, away.
func (n *Normalizer) webUserinfo(out []byte, start int, r *Result) []byte {
	from, to := start+int(r.Parts.AuthStart), start+int(r.Parts.HostStart)
	colon := bytes.IndexByte(out[from:to], ':')
	switch {
	case n.on&RuleStripUserinfo != 0:
		r.Flags |= FlagUserinfoStripped
		r.Changed |= RuleStripUserinfo
		if colon >= 0 {
			r.Flags |= FlagPasswordStripped
		}
	case n.on&RuleStripPassword != 0 && colon >= 0:
		r.Flags |= FlagPasswordStripped
		r.Changed |= RuleStripPassword
		if colon > 0 { // the name stays, with its "@"
			from, to = from+colon, to-1
		}
	default:
		return out
	}
	cut := uint32(to - from)
	out = append(out[:from], out[to:]...)
	p := &r.Parts
	p.HostStart -= cut
	p.HostEnd -= cut
	p.PathStart -= cut
	if p.HasQuery() {
		p.QueryStart -= cut
	}
	if p.HasFragment() {
		p.FragStart -= cut
	}
	return out
}

// webResult sets the flags that tell of the href. It reports false for a port that the policy
// refuses.
func (n *Normalizer) webResult(href []byte, w whatwg.Result, r *Result) bool {
	p := r.Parts
	if p.HasUserinfo() {
		r.Flags |= FlagUserinfo
		if bytes.IndexByte(p.Userinfo(href), ':') >= 0 {
			r.Flags |= FlagPassword
		}
	}
	switch w.Host {
	case whatwg.HostIPv4, whatwg.HostIPv6:
		r.Flags |= FlagIPAddress
	case whatwg.HostDomain:
		if bytes.Contains(p.Host(href), []byte("xn--")) {
			r.Flags |= FlagIDN
		}
	case whatwg.HostNull:
		if bytes.HasPrefix(p.Path(href), []byte("/.//")) {
			r.Flags |= FlagPathGuarded
		}
	case whatwg.HostEmpty, whatwg.HostOpaque:
	}
	if bytes.IndexByte(href, '%') >= 0 && hasEscapedControl(href) {
		r.Flags |= FlagEscapedControl
	}
	if !p.HasPort() {
		return true
	}
	port := portNumber(p.Port(href))
	if isBadPort(port) {
		if n.on&RuleRefuseBadPort != 0 {
			return false
		}
		r.Flags |= FlagBadPort
	}
	if port < 1024 {
		r.Flags |= FlagReservedPort
	}
	return true
}

// addWebLayer is addLayer for the profile whatwg. The URL standard takes no embedded base whose
// scheme is data or javascript (HTML standard section 4.2.3, "set the frozen base URL").
func (n *Normalizer) addWebLayer(b *Base, layer BaseUsed, text []byte) Result {
	if text == nil {
		return Result{}
	}
	var result Result
	out := n.appendTo(b.spare[:0], b, text, &result)
	b.spare = out
	if result.Reason == OK && layer == BaseEmbedded {
		if s := string(result.Parts.Scheme(out)); s == "data" || s == "javascript" {
			result = Result{Reason: OpaqueBase, Component: ComponentScheme}
		}
	}
	if result.Reason != OK {
		b.skipped = true
		return result
	}
	url := out[:result.Parts.URLEnd(len(out))]
	result.Parts.FragStart = uri.Absent
	n.web.SetBase(&b.web, nil, url)
	b.spare, b.text = b.text, url
	b.parts, b.used, b.flags, b.opaque = result.Parts, layer, result.Flags&resultFlags&^toldFlags, b.web.Opaque()
	return result
}

// webErrors are the flags of validation errors. Those that end in a refusal have none: the reason
// tells.
func webErrors(errs whatwg.Errors) Flags {
	if errs == 0 {
		return 0
	}
	var flags Flags
	for _, e := range &webFlags {
		if errs&e.err != 0 {
			flags |= e.flag
		}
	}
	return flags
}

var webFlags = [...]struct {
	err  whatwg.Errors
	flag Flags
}{
	{whatwg.InvalidUTF8, FlagInvalidUTF8},
	{whatwg.DomainToASCII, FlagDomainToASCII},
	{whatwg.DomainPercentEncoded, FlagDomainPercentEncoded},
	{whatwg.IPv4EmptyPart, FlagIPv4EmptyPart},
	{whatwg.IPv4TooFewParts, FlagIPv4TooFewParts},
	{whatwg.IPv4NonDecimalPart, FlagIPv4NonDecimalPart},
	{whatwg.IPv4OutOfRangePart, FlagIPv4OutOfRangePart},
	{whatwg.IPv4NonASCIIInput, FlagIPv4NonASCIIInput},
	{whatwg.IPv6PieceLeadingZero, FlagIPv6PieceLeadingZero},
	{whatwg.InvalidURLUnit, FlagInvalidURLUnit},
	{whatwg.SpecialSchemeMissingFollowingSolidus, FlagMissingSolidus},
	{whatwg.InvalidReverseSolidus, FlagReverseSolidus},
	{whatwg.InvalidCredentials, FlagInvalidCredentials},
	{whatwg.FileInvalidWindowsDriveLetter, FlagDriveLetter},
	{whatwg.FileInvalidWindowsDriveLetterHost, FlagDriveLetterHost},
}

// webReasons are the reasons of the URL standard's failures.
var webReasons = map[whatwg.Failure]Reason{
	whatwg.NoBase: NoBase, whatwg.OpaqueBase: OpaqueBase, whatwg.NoHost: NoHost,
	whatwg.BadOpaqueHost: BadHost, whatwg.BadDomain: BadHost, whatwg.EmptyDomain: BadHost,
	whatwg.ForbiddenDomainByte: BadHost, whatwg.BadIPv4: BadHost, whatwg.BadIPv6: BadHost,
	whatwg.BadPort: BadPort, whatwg.PortTooBig: BadPort, whatwg.TooLong: TooLong,
}

var webComponents = [...]Component{
	whatwg.ComponentNone:      ComponentNone,
	whatwg.ComponentReference: ComponentReference,
	whatwg.ComponentHost:      ComponentHost,
	whatwg.ComponentPort:      ComponentPort,
}

// addWeb notes the steps of appendWeb: what the standard's parser made of the reference as a whole,
// and the policies on userinfo.
func (t *trace) addWeb(r Result, ref, out []byte) {
	if r.Reason != OK {
		return
	}
	const section = "URL standard sections 4.4 and 4.5"
	add := func(rule RuleSet, c Component, before, after []byte) {
		t.add(rule, c, append([]byte{}, before...), after) // an empty reference is one
		t.steps[len(t.steps)-1].Section = section
	}
	switch {
	case r.Changed&RuleURLStandard != 0:
		add(RuleURLStandard, ComponentReference, ref, out)
	case r.Changed&RuleResolve != 0:
		add(RuleResolve, ComponentReference, ref, out)
	}
	if policy := r.Changed & (RuleStripUserinfo | RuleStripPassword); policy != 0 {
		before := uri.Split(ref).Userinfo(ref)
		t.add(policy, ComponentUserinfo, append([]byte{}, before...), append([]byte{}, r.Parts.Userinfo(out)...))
	}
}
