package normalize

import (
	"github.com/urisieve/urisieve/normalize/uri"
	"github.com/urisieve/urisieve/normalize/whatwg"
)

// Normalizer normalizes references under one set of options. It belongs to one goroutine at a
// time: it owns scratch space. Clone makes another for the next goroutine.
type Normalizer struct {
	opts     Options // defaults written out
	id       string
	ports    []DefaultPort // added by the options, sorted
	on       RuleSet       // the rules that act: all that the options ask for
	fast     bool          // whether most references may take the fast path; tests turn it off
	maxIn    int
	maxOut   int
	fallback Base // the default base, for a nil *Base and as outermost layer
	mapper   mapper
	key      keyer
	teller   teller
	reject   Flags          // Options.RejectFlags
	traps    bool           // whether to tell of traps
	web      *whatwg.Parser // of the profile whatwg; nil for the others
	old      bool           // the profile is RFC 2396's
	marks    uri.Class      // what is unreserved: escapes of these characters are decoded
	port     []byte         // scratch space for the digits of a port
	work     uint64
}

// New makes a Normalizer, or reports every fault of the options.
func New(o Options) (*Normalizer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	n := newNormalizer(o)
	n.setDefaultBase()
	return n, nil
}

// newNormalizer makes a Normalizer of options without fault, but for its default base.
func newNormalizer(o Options) *Normalizer {
	o = o.withDefaults()
	n := &Normalizer{
		opts: o, id: o.settingsID(), ports: o.addedPorts(),
		on: allRules, fast: true,
		maxIn: o.MaxURIBytes, maxOut: OutputBound(o.MaxURIBytes),
		key: newKeyer(o.Key),
		old: o.isOld(), marks: uri.Unreserved, reject: o.rejectedFlags(),
		traps: o.TrapFlags || o.rejectedFlags()&trapFlags != 0,
	}
	if n.old {
		n.marks = uri.Unreserved2396
		n.on &^= RuleRemoveDots    // RFC 2396 section 5.2: a step of merging alone
		n.on &^= RuleFileAuthority // RFC 1738 section 3.10 gives "file:/x" no meaning
	} else {
		n.on &^= RuleCurrentDocument
	}
	if o.isWeb() {
		n.web, n.fast = whatwg.New(whatwg.Options{Encoding: o.Encoding}), false
		n.maxOut = webOutputFactor*o.MaxURIBytes + 1<<10
	}
	off := func(unless bool, rules RuleSet) {
		if !unless {
			n.on &^= rules
		}
	}
	off(!o.Strict, RuleTrim)
	off(o.Strict, RuleCheckGrammar)
	off(o.SameScheme == sameStrip, RuleStripSameScheme)
	off(o.SameScheme == sameReject, RuleRejectSameScheme)
	off(o.Userinfo == userinfoStripPassword, RuleStripPassword)
	off(o.Userinfo == userinfoStrip, RuleStripUserinfo)
	off(o.Userinfo == userinfoRefuse, RuleRefuseUserinfo)
	off(o.RefuseBadPorts, RuleRefuseBadPort)
	return n
}

// Clone makes an equal Normalizer for another goroutine.
func (n *Normalizer) Clone() *Normalizer {
	c := *n
	c.mapper, c.teller, c.port = mapper{}, teller{}, nil // scratch space
	c.key = n.key.clone()
	if n.web != nil {
		c.web = n.web.Clone()
	}
	return &c
}

// SettingsID names everything that can change an output byte: profile, Unicode version and a
// short hash of the settings: "rfc3986-1.u17+b1e7c6c5".
func (n *Normalizer) SettingsID() string { return n.id }

// MaxURIBytes is the longest reference that is taken, in bytes.
func (n *Normalizer) MaxURIBytes() int { return n.maxIn }

// Result is what became of one reference.
type Result struct {
	Parts     uri.Parts // of the bytes appended: url, then "#" and the fragment where there is one
	Changed   RuleSet   // the rules that changed something
	Flags     Flags     // what is remarkable about the reference or the result
	At        uint32    // refused: offset in ref, as it came in, of the first offending byte
	Component Component // refused: where that byte is
	Reason    Reason    // why it was refused; OK otherwise
	BaseUsed  BaseUsed  // the base layer that the reference was resolved against, BaseNone if it needed none
}

// Append appends the canonical form of ref to dst: url and, where ref has a fragment, "#" and
// the canonical fragment. Result.Parts describes the appended bytes, so that url is
// appended[:Parts.URLEnd(len(appended))]. Refused: dst comes back as it was. base may be nil: then
// it is the default base, if there is one. ref and base must not share bytes with dst's spare room.
func (n *Normalizer) Append(dst []byte, base *Base, ref []byte) (out []byte, result Result) {
	// The result is filled in place: to copy one that was just written costs as much as the rest
	// of the short way.
	out = n.appendTo(dst, base, ref, &result)
	if n.reject&result.Flags != 0 && result.Reason == OK {
		result.refuseFlagged(n.reject)
		return dst, result
	}
	return out, result
}

// appendTo is Append but for the flags that are refused. It fills result, which is zero before.
func (n *Normalizer) appendTo(dst []byte, base *Base, ref []byte, result *Result) (out []byte) {
	holds := oddAll
	if len(ref) > n.maxIn {
		result.Reason, result.Component, result.At = TooLong, ComponentReference, uint32(n.maxIn)
		return dst
	}
	if base == nil {
		base = &n.fallback
	}
	ok := false
	switch {
	case n.web != nil:
		out, *result = n.appendWeb(dst, base, ref)
	case n.fast && n.key.gsb == nil:
		if out, holds, ok = n.appendQuick(dst, base, ref, result); ok {
			break
		}
		holds = oddAll
		*result = Result{}
		fallthrough
	default:
		out = n.rebuild(dst, base, ref, result, nil)
	}
	if result.Reason != OK {
		return out
	}
	if n.key.gsb != nil {
		n.keepResolved(base, ref, *result)
	}
	n.tell(out[len(dst):], result, holds)
	return out
}

// refuseFlagged makes a refusal of a result that has a flag of the set. The flags stay, so that it
// can be seen which it was.
func (r *Result) refuseFlagged(set Flags) {
	flag := r.Flags & set
	*r = Result{Reason: Flagged, Component: flag.component(), Flags: r.Flags}
}
