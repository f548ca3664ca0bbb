package normalize

// scheme is what the normalizer knows of a scheme. All of them are hierarchical: their URIs have
// an authority, so that a reference like "http:g" can only be the relative "g".
type scheme struct {
	name     string
	port     uint16 // the default port; 0 for none
	needHost bool   // an empty host is an error
	dns      bool   // hosts are DNS names or IP addresses
}

// schemes are the schemes whose definition gives the authority DNS hosts, and a default port
// unless it says that there is none. Further ports come from Options.DefaultPorts.
var schemes = [...]scheme{
	{"acap", 674, false, true},       // RFC 2244
	{"coap", 5683, false, true},      // RFC 7252 section 6.1
	{"coap+tcp", 5683, false, true},  // RFC 8323 section 8.1
	{"coap+ws", 80, false, true},     // RFC 8323 section 8.3
	{"coaps", 5684, false, true},     // RFC 7252 section 6.2
	{"coaps+tcp", 5684, false, true}, // RFC 8323 section 8.2
	{"coaps+ws", 443, false, true},   // RFC 8323 section 8.4
	{"dict", 2628, false, true},      // RFC 2229 section 5
	{"file", 0, false, true},         // RFC 8089 section 2: it has no ports
	{"ftp", 21, false, true},         // RFC 1738 section 3.2.1
	{"gopher", 70, false, true},      // RFC 4266 section 2.1
	{"http", 80, true, true},         // RFC 9110 section 4.2.1
	{"https", 443, true, true},       // RFC 9110 section 4.2.2
	{"icap", 1344, false, true},      // RFC 3507 section 4.2
	{"imap", 143, false, true},       // RFC 5092
	{"ipp", 631, false, true},        // RFC 3510 section 4.1
	{"ipps", 631, false, true},       // RFC 7472 section 4.2
	{"ldap", 389, false, true},       // RFC 4516 section 2
	{"nfs", 2049, false, true},       // RFC 2224
	{"nntp", 119, false, true},       // RFC 5538 section 3.1
	{"pop", 110, false, true},        // RFC 2384
	{"rsync", 873, false, true},      // RFC 5781 section 2.2
	{"rtsp", 554, false, true},       // RFC 7826 section 4.2
	{"rtsps", 322, false, true},      // RFC 7826 section 4.2
	{"rtspu", 554, false, true},      // RFC 2326 section 3.2
	{"sftp", 22, false, true},        // registered with ssh, whose port it shares
	{"snmp", 161, false, true},       // RFC 4088 section 2.2
	{"ssh", 22, false, true},         // registered; the port is that of RFC 4253 section 4.1
	{"telnet", 23, false, true},      // RFC 4248 section 2
	{"tftp", 69, false, true},        // RFC 3617 section 3
	{"vnc", 5900, false, true},       // RFC 7869 section 2.1.1
	{"ws", 80, false, true},          // RFC 6455 section 3
	{"wss", 443, false, true},        // RFC 6455 section 3
}

// schemeNamed finds a scheme by its name in lower case. It returns nil for an unknown one.
func schemeNamed(name []byte) *scheme {
	switch string(name) { // nearly all of them, before the search
	case "http":
		return &schemes[schemeHTTP]
	case "https":
		return &schemes[schemeHTTPS]
	}
	low, high := 0, len(schemes)
	for low < high {
		middle := int(uint(low+high) >> 1)
		switch s := &schemes[middle]; {
		case s.name == string(name):
			return s
		case s.name < string(name):
			low = middle + 1
		default:
			high = middle
		}
	}
	return nil
}

// Indices into schemes.
const (
	schemeFile  = 8
	schemeHTTP  = 11
	schemeHTTPS = 12
)
