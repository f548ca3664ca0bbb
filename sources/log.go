package sources

import (
	"bytes"
	"slices"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
)

// Elements and columns of the access log formats.
const (
	elementRequest = iota
	elementReferer
)

const (
	columnTime = iota
	columnStatus
	columnMethod
	columnBytes
	logColumns
)

// logPass are the fields of a log line that Options.Pass may name.
var logPass = [...]string{"agent", "client", "protocol", "user", "vhost"}

// logDecoder reads access logs in the common and the combined format of Apache httpd and nginx,
// with or without a leading virtual host:
//
//	[vhost[:port] ]client ident user [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326[ "referer" "agent"[ more]]
//
// The request's target and the referer are two references. Escapes of the log (\xHH, \", \\, \n
// and the like) are decoded first. The retrieval URI is that of the virtual host's root.
type logDecoder struct {
	lineEnds
	vhost    bool
	combined bool
	scheme   string // of the virtual hosts; "" for auto
	pass     []int  // indices into logPass

	line logLine
	base []byte // retrieval URI
	text []byte // what the quoted fields hold, and targets that needed a change
}

func newLog(o *Options) *logDecoder {
	d := &logDecoder{
		vhost:    o.Format == "vclf" || o.Format == "vcombined",
		combined: o.Format == "combined" || o.Format == "vcombined",
		scheme:   o.VhostScheme,
	}
	if d.scheme == "auto" {
		d.scheme = ""
	}
	for _, name := range o.Pass {
		d.pass = append(d.pass, slices.Index(logPass[:], name))
	}
	return d
}

func (d *logDecoder) unseen() []string { return nil }

func (d *logDecoder) decode(b *pipeline.Batch, row pipeline.Row, rec []byte) (kind, error) {
	l := &d.line
	d.text = d.text[:0]
	if fault := l.parse(rec, d.vhost, d.combined); fault >= 0 {
		reject(b, row, rec, normalize.BadRecord, normalize.ComponentRecord, fault)
		return aRecord, nil
	}
	var base []byte
	if d.vhost && string(l.vhost) != "-" {
		if at := d.setBase(l.vhost); at >= 0 {
			reject(b, row, rec, normalize.BadRecord, normalize.ComponentRecord, at)
			return aRecord, nil
		}
		base = d.base
	}
	row.Base = b.AddBase(nil, nil, base)
	b.AddRow(row)
	d.setColumns(b)
	d.addRequest(b)
	if d.combined && len(l.referer) > 0 && string(l.referer) != "-" {
		b.AddRef(elementReferer, d.unescaped(l.referer))
	}
	return aRecord, nil
}

// setBase makes the base of a virtual host, or gives the offset of a byte that no host has: the
// grammar of RFC 3986 section 3.2.2 and a port, so that a host can't bring its own path along.
func (d *logDecoder) setBase(vhost []byte) int {
	for i, c := range vhost {
		if c <= ' ' || c == 0x7F || bytes.IndexByte([]byte(`/?#@\"<>`), c) >= 0 {
			return i
		}
	}
	scheme := d.scheme
	if scheme == "" {
		scheme = "http"
		if bytes.HasSuffix(vhost, []byte(":443")) {
			scheme = "https"
		}
	}
	d.base = append(d.base[:0], scheme...)
	d.base = append(d.base, "://"...)
	d.base = append(d.base, vhost...)
	d.base = append(d.base, '/')
	return -1
}

func (d *logDecoder) setColumns(b *pipeline.Batch) {
	l := &d.line
	b.SetInt(columnTime, l.time)
	if l.status >= 0 {
		b.SetInt(columnStatus, l.status)
	}
	if l.bytes >= 0 {
		b.SetInt(columnBytes, l.bytes)
	}
	for i, field := range d.pass {
		text := [len(logPass)][]byte{l.agent, l.client, nil, l.user, l.vhost}[field]
		if field == 2 {
			_, _, text = splitRequest(d.unescaped(l.request))
		} else if field == 0 || field == 3 {
			text = d.unescaped(text)
		}
		if text != nil && string(text) != "-" {
			b.SetText(logColumns+i, text)
		}
	}
}

// addRequest adds the reference of the request, or its refusal.
func (d *logDecoder) addRequest(b *pipeline.Batch) {
	request := d.unescaped(d.line.request)
	method, target, _ := splitRequest(request)
	if method == nil {
		rejectRef(b, elementRequest, request, normalize.BadRequest, normalize.ComponentRecord, 0)
		return
	}
	b.SetText(columnMethod, method)
	switch {
	case string(method) == "CONNECT" || string(target) == "*":
		rejectRef(b, elementRequest, target, normalize.NoTarget, normalize.ComponentRecord, 0)
	case len(target) > 1 && target[0] == '/' && target[1] == '/':
		// A path that begins with an empty segment (RFC 9112 section 3.2.1), which would read as
		// an authority in a reference. "/." before it takes that away and leaves nothing behind.
		from := len(d.text)
		d.text = append(append(d.text, "/."...), target...)
		b.AddRef(elementRequest, d.text[from:])
	case len(target) > 0 && target[0] == '/', isAbsoluteForm(target):
		b.AddRef(elementRequest, target)
	default:
		rejectRef(b, elementRequest, target, normalize.NoTarget, normalize.ComponentRecord, 0)
	}
}

// unescaped is a quoted field without its escapes: the field itself if it has none.
func (d *logDecoder) unescaped(field []byte) []byte {
	if bytes.IndexByte(field, '\\') < 0 {
		return field
	}
	from := len(d.text)
	d.text = appendLogUnescaped(d.text, field)
	return d.text[from:]
}

// isAbsoluteForm reports whether a target is an absolute URI with an authority: what proxies get
// (RFC 9112 section 3.2.2).
func isAbsoluteForm(target []byte) bool {
	i := bytes.Index(target, []byte("://"))
	if i <= 0 {
		return false
	}
	for k, c := range target[:i] {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (k == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return true
}
