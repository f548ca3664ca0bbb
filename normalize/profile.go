package normalize

import (
	"slices"
	"strings"

	"github.com/urisieve/urisieve/normalize/uts46"
)

// profile1 is the first version of the profile rfc3986. What it makes of a reference never changes:
// testdata/golden holds it.
const profile1 = "rfc3986-1"

// profileOld is RFC 2396, the generic syntax before RFC 3986.
const profileOld = "rfc2396-1"

// profileWeb is the URL standard as it was in June 2026.
const profileWeb = "whatwg-2026-06"

// ProfileInfo describes a profile.
type ProfileInfo struct {
	Name    string // what Options.Profile takes: "rfc3986-1"
	Family  string // the name that stands for its newest version: "rfc3986"
	Newest  bool   // whether it is the newest of its family
	Unicode string // the version of the Unicode tables that host names are mapped by
	Doc     string
}

// Profiles lists the profiles, those of a family together, the newest last.
func Profiles() []ProfileInfo {
	return []ProfileInfo{{
		Name: profile1, Family: "rfc3986", Newest: true, Unicode: uts46.UnicodeVersion,
		Doc: "RFC 3986 (STD 66) with RFC 9110 for http and https, RFC 8089 for file, RFC 5952 for IPv6 and UTS 46 for host names.",
	}, {
		Name: profileOld, Family: familyOld, Newest: true, Unicode: uts46.UnicodeVersion,
		Doc: "RFC 2396 with the seven steps of its section 5.2, as software from before 2005 reads references: no IPv6, registry names, dot segments removed while merging alone.",
	}, {
		Name: profileWeb, Family: familyWeb, Newest: true, Unicode: uts46.UnicodeVersion,
		Doc: "The URL standard (WHATWG) as of June 2026, as browsers read references in HTML: exactly its href, less the fragment.",
	}}
}

// The families that differ from the default one.
const (
	familyOld = "rfc2396"
	familyWeb = "whatwg"
)

// profileNamed is the profile of that name or family.
func profileNamed(name string) (ProfileInfo, bool) {
	for _, p := range Profiles() {
		if name == p.Name || name == p.Family && p.Newest {
			return p, true
		}
	}
	return ProfileInfo{}, false
}

// DefaultPorts lists the schemes whose default port the profile knows, sorted by scheme; nil for
// a profile that does not exist.
func DefaultPorts(profile string) []DefaultPort {
	if _, ok := profileNamed(profile); !ok {
		return nil
	}
	p, _ := profileNamed(profile)
	ports := make([]DefaultPort, 0, len(schemes))
	for _, s := range &schemes {
		if s.port != 0 && (p.Family != familyWeb || slices.Contains(webSchemes[:], s.name)) {
			ports = append(ports, DefaultPort{Scheme: s.name, Port: s.port})
		}
	}
	slices.SortFunc(ports, func(a, b DefaultPort) int { return strings.Compare(a.Scheme, b.Scheme) })
	return ports
}

// webSchemes are the special schemes with a default port (URL standard section 4.2).
var webSchemes = [...]string{"ftp", "http", "https", "ws", "wss"}

// ReservedCharacter is a character that delimits (RFC 3986 section 2.2, RFC 2396 section 2.2). It and
// its escape are never equal.
type ReservedCharacter struct {
	Char    byte
	Escaped string // its pct-encoded form
	Kind    string // "gen-delims" or "sub-delims"; RFC 2396 has one kind, "reserved"
	Purpose string
}

// ReservedCharacters lists the reserved characters of the profile, gen-delims first; nil for a
// profile that does not exist.
func ReservedCharacters(profile string) []ReservedCharacter {
	p, ok := profileNamed(profile)
	if !ok {
		return nil
	}
	chars := append([]ReservedCharacter(nil), reservedCharacters[:]...)
	if p.Family != familyOld {
		return chars
	}
	chars = slices.DeleteFunc(chars, func(c ReservedCharacter) bool { return strings.IndexByte(reserved2396, c.Char) < 0 })
	for i := range chars {
		chars[i].Kind = "reserved"
	}
	return chars
}

// reserved2396 are the reserved characters of RFC 2396 section 2.2. "#" is none: it is excluded from
// URIs (section 2.4.3), since it ends them.
const reserved2396 = ";/?:@&=+$,"

var reservedCharacters = [...]ReservedCharacter{
	{':', "%3A", "gen-delims", "Scheme/port delimiter"},
	{'/', "%2F", "gen-delims", "Path segment delimiter"},
	{'?', "%3F", "gen-delims", "Query string start"},
	{'#', "%23", "gen-delims", "Fragment start"},
	{'[', "%5B", "gen-delims", "IPv6 address bracket, opening"},
	{']', "%5D", "gen-delims", "IPv6 address bracket, closing"},
	{'@', "%40", "gen-delims", "Userinfo delimiter"},
	{'!', "%21", "sub-delims", "Left to the scheme"},
	{'$', "%24", "sub-delims", "Left to the scheme"},
	{'&', "%26", "sub-delims", "Query parameter separator"},
	{'\'', "%27", "sub-delims", "Left to the scheme"},
	{'(', "%28", "sub-delims", "Left to the scheme"},
	{')', "%29", "sub-delims", "Left to the scheme"},
	{'*', "%2A", "sub-delims", "Left to the scheme"},
	{'+', "%2B", "sub-delims", "Space in form-encoded queries"},
	{',', "%2C", "sub-delims", "Separator of values in a segment"},
	{';', "%3B", "sub-delims", "Separator of segment parameters"},
	{'=', "%3D", "sub-delims", "Key-value separator"},
}
