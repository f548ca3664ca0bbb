#!/usr/bin/env python3
"""An independent reading of the profile rfc3986, to judge urisieve by.

It is a transcription of RFC 3986 sections 5.2 and 6.2 with the rows of the requirements that
refine them, as slow and as literal as the text: no tables, no fast paths, and nothing shared
with the Go code. It reads JSON lines on standard input and answers each with a JSON line:

    {"ref": "../x?a b", "base": "http://h/p/q"}
    {"url": "http://h/x?a%20b", "fragment": null, "reason": "ok", "idn": false}

Keys in: ref, embedded_base, entity_base, base (the retrieval URI); each may be null or absent.
Bytes that are not UTF-8 stand in the string as they are; where that is awkward, ref_b64 (and
base_b64, ...) holds the text in base64 instead.

Keys out: url and fragment (null where refused or absent), reason, and idn: whether the answer
depends on Unicode's tables, whose version may differ from the other side's.
"""

import argparse
import base64
import ipaddress
import json
import re
import sys
import unicodedata

try:
    import idna
    from idna import core as idna_core
except ImportError:  # hosts that need it are then reported as skipped, see compare.py
    idna = None

ALPHA = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
DIGIT = b"0123456789"
HEXDIG = b"0123456789ABCDEFabcdef"
UNRESERVED = ALPHA + DIGIT + b"-._~"  # RFC 3986 section 2.3
SUB_DELIMS = b"!$&'()*+,;="  # RFC 3986 section 2.2
PCHAR = UNRESERVED + SUB_DELIMS + b":@"  # RFC 3986 section 3.3
USERINFO = UNRESERVED + SUB_DELIMS + b":"  # RFC 3986 section 3.2.1
REG_NAME = UNRESERVED + SUB_DELIMS  # RFC 3986 section 3.2.2
PATH = PCHAR + b"/"  # RFC 3986 section 3.3
QUERY = PCHAR + b"/?"  # RFC 3986 sections 3.4 and 3.5
C0_AND_SPACE = bytes(range(0x21))  # G13

# G21: scheme -> default port. The first six are the specification's own, the others are what
# the scheme's definition says: RFC 2244, 7252, 8323, 2229, 4266, 3507, 5092, 3510, 7472, 4516,
# 2224, 5538, 2384, 5781, 7826, 2326, 4088, 4248, 3617, 7869, and sftp's is ssh's.
DEFAULT_PORTS = {
    b"http": 80, b"https": 443, b"ftp": 21, b"ssh": 22, b"ws": 80, b"wss": 443,
    b"acap": 674, b"coap": 5683, b"coaps": 5684, b"coap+tcp": 5683, b"coaps+tcp": 5684, b"coap+ws": 80,
    b"coaps+ws": 443, b"dict": 2628, b"gopher": 70, b"icap": 1344, b"imap": 143, b"ipp": 631, b"ipps": 631,
    b"ldap": 389, b"nfs": 2049, b"nntp": 119, b"pop": 110, b"rsync": 873, b"rtsp": 554, b"rtspu": 554,
    b"rtsps": 322, b"snmp": 161, b"telnet": 23, b"tftp": 69, b"vnc": 5900, b"sftp": 22,
}
DNS_SCHEMES = set(DEFAULT_PORTS) | {b"file"}  # G14; file: RFC 8089 section 2
SPECIAL_SCHEMES = {b"http", b"https", b"ftp", b"ws", b"wss", b"file"}  # G13: browsers read "\" as "/" there
HIERARCHICAL_SCHEMES = DNS_SCHEMES  # G44
NEED_HOST = {b"http", b"https"}  # G07, RFC 9110 section 4.2
MAX_LABEL_BYTES = 1024  # G14


mapped_names = []  # the names that took Unicode's tables to judge the line at hand


class Refused(Exception):
    """A reference that has no canonical form; the argument is the reason."""


class NeedsIDNA(Exception):
    """The host needs the idna package, which is not installed."""


class URI:
    """The five components of section 3, None where undefined (5.3 tells that from empty)."""

    def __init__(self, scheme=None, authority=None, path=b"", query=None, fragment=None):
        self.scheme, self.authority, self.path = scheme, authority, path
        self.query, self.fragment = query, fragment

    def is_opaque(self):
        """G10: a scheme, no authority, and a path that does not start with "/"."""
        return self.scheme is not None and self.authority is None and not self.path.startswith(b"/")


def split(text):
    """RFC 3986 appendix B. What stands before ":" is a scheme only by section 3.1 (G11)."""
    m = re.match(rb"^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$", text, re.S)
    return URI(*m.groups())


def recompose(u):
    """RFC 3986 section 5.3, without the fragment (G01)."""
    result = b""
    if u.scheme is not None:
        result += u.scheme + b":"
    if u.authority is not None:
        result += b"//" + u.authority
    result += u.path
    if u.query is not None:
        result += b"?" + u.query
    return result


def remove_dot_segments(path):
    """RFC 3986 section 5.2.4, steps 2A to 2E, on an input buffer and an output of segments."""
    rest, out = path, []
    while rest:
        if rest.startswith(b"../"):  # 2A
            rest = rest[3:]
        elif rest.startswith(b"./"):
            rest = rest[2:]
        elif rest.startswith(b"/./"):  # 2B
            rest = rest[2:]
        elif rest == b"/.":
            rest = b"/"
        elif rest.startswith(b"/../"):  # 2C
            rest = rest[3:]
            if out:
                out.pop()
        elif rest == b"/..":
            rest = b"/"
            if out:
                out.pop()
        elif rest in (b".", b".."):  # 2D
            rest = b""
        else:  # 2E
            end = rest.find(b"/", 1)
            end = len(rest) if end < 0 else end
            out.append(rest[:end])
            rest = rest[end:]
    return b"".join(out)


def merge(base, ref_path):
    """RFC 3986 section 5.2.3."""
    if base.authority is not None and base.path == b"":
        return b"/" + ref_path
    return base.path[: base.path.rfind(b"/") + 1] + ref_path


def transform(base, r):
    """RFC 3986 section 5.2.2, strict: a scheme is never ignored (G44 did that before)."""
    if r.scheme is not None:
        return URI(r.scheme, r.authority, clean(r), r.query, r.fragment)
    if r.authority is not None:
        return URI(base.scheme, r.authority, remove_dot_segments(r.path), r.query, r.fragment)
    if r.path == b"":
        query = r.query if r.query is not None else base.query
        return URI(base.scheme, base.authority, base.path, query, r.fragment)
    if r.path.startswith(b"/"):
        path = remove_dot_segments(r.path)
    else:
        path = remove_dot_segments(merge(base, r.path))
    return URI(base.scheme, base.authority, path, r.query, r.fragment)


def clean(u):
    """G27, G10: dot segments go in hierarchical URIs, stay in opaque ones."""
    return u.path if u.is_opaque() else remove_dot_segments(u.path)


def units(text):
    """The bytes of a component, each with whether it came as an escape (RFC 3986 section 2.1)."""
    i = 0
    while i < len(text):
        if text[i] == 0x25 and len(text) >= i + 3 and text[i + 1] in HEXDIG and text[i + 2] in HEXDIG:
            yield int(text[i + 1 : i + 3], 16), True
            i += 3
        else:
            yield text[i], False
            i += 1


def normalize_component(text, allowed, fold=False):
    """G22, G23, G24, G25, G26, G12, G03: every byte is looked at once.

    An escape of an unreserved byte is undone, any other keeps its escape in upper case. A byte
    that the grammar forbids here is escaped; that is also what becomes of a stray "%".
    """
    out = b""
    for byte, escaped in units(text):
        if byte in UNRESERVED or (not escaped and byte in allowed):
            out += bytes([byte]).lower() if fold else bytes([byte])
        else:
            out += b"%%%02X" % byte
    return out


def check_grammar(text, allowed, reason):
    """U02: strict refuses a stray "%" (G12) and what the grammar forbids in a component."""
    for byte, escaped in units(text):
        if escaped:
            continue
        if byte == 0x25:
            raise Refused("bad_escape")
        if byte not in allowed:
            raise Refused(reason)


def split_authority(authority):
    """RFC 3986 section 3.2; G07: the last "@" splits. Gives userinfo, host, port."""
    userinfo, port = None, None
    host = authority
    if b"@" in host:
        userinfo, host = host.rsplit(b"@", 1)
    colon = host.rfind(b":")
    if colon > host.rfind(b"]"):
        host, port = host[:colon], host[colon + 1 :]
    return userinfo, host, port


def normalize_authority(scheme, authority):
    """G07, G08, G14, G20, G21."""
    userinfo, host, port = split_authority(authority)
    out = b""
    if userinfo is not None:
        out += normalize_component(userinfo, USERINFO) + b"@"
    host = normalize_host(scheme, host)
    if host == b"" and scheme in NEED_HOST:
        raise Refused("no_host")  # G07
    out += host
    if port:
        if not all(b in DIGIT for b in port):
            raise Refused("bad_port")
        number = int(port)
        if number > 65535 and scheme in DNS_SCHEMES:
            raise Refused("bad_port")  # G07
        if DEFAULT_PORTS.get(scheme) != number:
            out += b":%d" % number  # G21: as a number, no leading zeros
    if scheme == b"file" and out == b"localhost":
        out = b""  # RFC 8089 section 2
    return out


def normalize_host(scheme, host):
    """G08 for literals, G14 for names."""
    if host.startswith(b"["):
        return normalize_literal(host)
    if scheme in DNS_SCHEMES:
        return normalize_dns(host)
    return normalize_component(host, REG_NAME, fold=True)


def normalize_literal(host):
    """RFC 3986 section 3.2.2 IP-literal; RFC 5952 section 4 and 5 for the text of IPv6."""
    m = re.fullmatch(rb"\[v[0-9A-F]+\.[A-Z0-9\-._~!$&'()*+,;=:]+\]", host, re.I)
    if m:
        return host.lower()  # IPvFuture: section 6.2.2.1, a host's case is folded
    if not re.fullmatch(rb"\[[0-9A-Fa-f:.]+\]", host):
        raise Refused("bad_host")  # zones too: RFC 6874 is not part of the grammar
    try:
        address = ipaddress.IPv6Address(host[1:-1].decode("ascii"))
    except ValueError:
        raise Refused("bad_host") from None
    if address.ipv4_mapped is not None:
        return b"[::ffff:%s]" % str(address.ipv4_mapped).encode("ascii")  # RFC 5952 section 5
    return b"[%s]" % hexadecimal(int(address)).encode("ascii")


def hexadecimal(number):
    """RFC 5952 section 4: no leading zeros, "::" for the longest run of two or more, the first of equals."""
    groups = [(number >> shift) & 0xFFFF for shift in range(112, -1, -16)]
    best, length = -1, 1
    for start in range(8):
        end = start
        while end < 8 and groups[end] == 0:
            end += 1
        if end - start > length:
            best, length = start, end - start
    texts = ["%x" % g for g in groups]
    if best < 0:
        return ":".join(texts)
    return ":".join(texts[:best]) + "::" + ":".join(texts[best + length :])


def normalize_dns(host):
    """G14: unescape, check, map by UTS 46 where a label needs it, check again."""
    raw = b""
    for byte, escaped in units(host):
        if byte < 0x80 and byte not in UNRESERVED and (escaped or byte not in SUB_DELIMS):
            raise Refused("bad_host")
        raw += bytes([byte])
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("bad_host") from None
    if text.isascii() and not any(is_ace(label) for label in text.lower().split(".")):
        return raw.lower()
    for label in text.split("."):
        if (not label.isascii() or is_ace(label.lower())) and len(label.encode("utf-8")) > MAX_LABEL_BYTES:
            raise Refused("bad_host")
    return domain_to_ascii(text)


def is_ace(label):
    return label.startswith("xn--")


def domain_to_ascii(text):
    """UTS 46 section 4 ToASCII, for the labels that need it: non-transitional, UseSTD3ASCIIRules
    off, CheckBidi and CheckJoiners on, CheckHyphens and VerifyDnsLength off."""
    mapped_names.append(text)
    if idna is None:
        raise NeedsIDNA()
    labels = []
    for label in re.split("[.\u3002\uff0e\uff61]", text):  # the full stops of UTS 46 section 4
        labels += label_to_ascii(label)
    if any(is_rtl(shown) for shown, _, _ in labels):
        for shown, _, kept in labels:
            if shown and not kept and not bidi_ok(shown):
                raise Refused("bad_host")
    result = ".".join(ascii for _, ascii, _ in labels)
    if result == "":
        raise Refused("bad_host")
    return result.encode("ascii")


def label_to_ascii(label):
    """The label, or the labels that it maps to: each as Unicode, as ASCII, and whether it is kept
    although nothing valid (G14)."""
    if label.isascii() and not is_ace(label.lower()):
        return [(label.lower(), label.lower(), False)]
    try:
        mapped = idna.uts46_remap(label, False, False)
    except idna.IDNAError:
        raise Refused("bad_host") from None
    if not label.isascii() and not unreserved(mapped):
        raise Refused("bad_host")  # G14: a delimiter (RFC 3986 section 2.2) or "%" in what was mapped
    return [mapped_to_ascii(part) for part in mapped.split(".")]


def mapped_to_ascii(label):
    if is_ace(label):
        if not label.isascii():
            raise Refused("bad_host")  # UTS 46 section 4 step 4.1, and not to be kept in ASCII
        try:
            shown = label[4:].encode("ascii").decode("punycode")
        except (UnicodeError, ValueError):
            return label, label, True  # G14: does not decode, and is kept
        return shown, label, not valid_a_label(label, shown)
    if label.isascii():
        return label, label, False
    if not valid_label(label):
        raise Refused("bad_host")
    return label, "xn--" + label.encode("punycode").decode("ascii"), False


def valid_a_label(label, shown):
    """Whether an "xn--" label stands for something valid; otherwise it is kept too (G14)."""
    try:
        same = idna.uts46_remap(shown, False, False) == shown and "xn--" + shown.encode("punycode").decode("ascii") == label
    except (UnicodeError, idna.IDNAError):
        return False
    return same and not shown.isascii() and valid_label(shown) and unreserved(shown) and (bidi_ok(shown) or not is_rtl(shown))


def unreserved(label):
    return all(ord(c) >= 0x80 or ord(c) in UNRESERVED for c in label)


def is_rtl(label):
    """RFC 5893 section 1.4: an RTL label has a character of class R, AL or AN."""
    return any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in label)


def valid_label(label):
    """UTS 46 section 4.1 validity criteria that the mapping does not already give."""
    if unicodedata.category(label[0]).startswith("M") or unicodedata.normalize("NFC", label) != label:
        return False
    for i, c in enumerate(label):
        if c in "\u200c\u200d" and not idna_core.valid_contextj(label, i):
            return False
    return True


def bidi_ok(label):
    """RFC 5893 section 2, with the idna package's check."""
    try:
        return idna_core.check_bidi(label, check_ltr=True)
    except idna.IDNAError:
        return False


def check_before_authority(scheme, text):
    """G13: what would be read as an authority where section 3 sees none is refused.

    Browsers drop tab, LF and CR anywhere, and take "\\" for "/" in the schemes they know and in
    relative references, which may stand beside one. A space or control between the colon of such
    a scheme and the slashes stands before an authority, too.
    """
    rest = text if scheme is None else text[len(scheme) + 1 :]
    seen = bytes(b for b in re.match(rb"^[^?#]*", rest).group() if b not in b"\t\n\r")
    known = scheme is None or scheme.lower() in HIERARCHICAL_SCHEMES
    if scheme is not None and known:
        seen = seen.lstrip(C0_AND_SPACE)
    if re.match(rb"[/\\]{2}" if known else rb"//", seen) and not rest.startswith(b"//"):
        raise Refused("bad_authority")


def parse(text, strict):
    """Trims, splits and judges one reference by itself, before any base: G13, G11, U02."""
    trimmed = text.strip(C0_AND_SPACE)
    if strict and trimmed != text:
        raise Refused("surrounding")
    ref = split(trimmed)
    if ref.scheme is None and ref.authority is None and b":" in ref.path.split(b"/")[0]:
        raise Refused("bad_scheme")  # RFC 3986 section 4.2: path-noscheme
    check_before_authority(ref.scheme, trimmed)
    if ref.authority is not None and any(b in C0_AND_SPACE or b == 0x5C for b in ref.authority):
        raise Refused("bad_authority")  # G13
    if strict:
        check_components(ref)
    return ref


def check_components(ref):
    """U02: the grammar of appendix A, component by component; the scheme's own rules come later."""
    if ref.authority is not None:
        userinfo, host, port = split_authority(ref.authority)
        if userinfo is not None:
            check_grammar(userinfo, USERINFO, "bad_userinfo")
        if host.startswith(b"["):
            normalize_literal(host)
        else:
            check_grammar(host, REG_NAME, "bad_host")
        if port is not None and any(b not in DIGIT for b in port):
            raise Refused("bad_port")
    check_grammar(ref.path, PATH, "bad_path")
    if ref.query is not None:
        check_grammar(ref.query, QUERY, "bad_query")
    if ref.fragment is not None:
        check_grammar(ref.fragment, QUERY, "bad_fragment")


def normalize(text, base, strict):
    """The canonical URI of a reference. base is a canonical URI or None."""
    ref = parse(text, strict)
    if ref.scheme is not None:
        ref.scheme = ref.scheme.lower()  # G20
    # G44: the base's scheme repeated, without an authority, in a hierarchical scheme.
    if ref.scheme is not None and ref.authority is None and base is not None and not base.is_opaque():
        file_path = ref.scheme == b"file" and ref.path.startswith(b"/")
        if ref.scheme == base.scheme and ref.scheme in HIERARCHICAL_SCHEMES and not file_path:
            if strict:
                raise Refused("same_scheme")
            ref.scheme = None
    if ref.scheme is None and base is None:
        raise Refused("no_base")  # G43
    if ref.scheme is None and base.is_opaque():
        only_fragment = ref.authority is None and ref.path == b"" and ref.query is None
        if not only_fragment or ref.fragment is None:
            raise Refused("opaque_base")  # G10
    scheme = ref.scheme if ref.scheme is not None else base.scheme
    if ref.authority is not None:
        ref.authority = normalize_authority(scheme, ref.authority)
    elif ref.scheme in NEED_HOST:
        raise Refused("no_host")  # G07
    # G27: dot segments are found after "%2E" is decoded, so components come before resolution.
    ref.path = normalize_component(ref.path, PATH)
    if ref.query is not None:
        ref.query = normalize_component(ref.query, QUERY)
    if ref.fragment is not None:
        ref.fragment = normalize_component(ref.fragment, QUERY)
    target = transform(base, ref)
    if target.scheme == b"file" and target.authority is None and target.path.startswith(b"/"):
        target.authority = b""  # RFC 8089 section 2: file:/x is file:///x
    if target.authority is not None and target.path == b"":
        target.path = b"/"  # G28, RFC 3986 section 6.2.3
    if target.authority is None and target.path.startswith(b"//"):
        target.path = b"/." + target.path  # G27: the guard
    return target


def find_base(layers, strict):
    """G42: from the outermost layer in, each resolved against the next outer usable one."""
    base = None
    for layer in reversed(layers):
        if layer is None:
            continue
        try:
            base = normalize(layer, base, strict)
            base.fragment = None  # RFC 3986 section 5.1: a base has no fragment
        except Refused:
            continue  # skipped
    return base


def answer(line, strict, default_base):
    record = json.loads(line.decode("utf-8", "surrogateescape"))

    def field(name):
        if record.get(name + "_b64") is not None:
            return base64.b64decode(record[name + "_b64"])
        value = record.get(name)
        return None if value is None else value.encode("utf-8", "surrogateescape")

    ref = field("ref")
    layers = [field("embedded_base"), field("entity_base"), field("base"), default_base]
    mapped_names.clear()
    out = {"url": None, "fragment": None, "reason": "ok", "idn": False}
    try:
        u = normalize(ref, find_base(layers, strict), strict)
        out["url"] = recompose(u).decode("ascii")
        out["fragment"] = None if u.fragment is None else u.fragment.decode("ascii")
    except Refused as e:
        out["reason"] = e.args[0]
    except NeedsIDNA:
        out["reason"] = "skipped-idn"
    out["idn"] = bool(mapped_names)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strict", action="store_true", help="refuse what the grammar forbids")
    parser.add_argument("--base", help="the application's default base")
    args = parser.parse_args()
    default_base = None if args.base is None else args.base.encode("utf-8", "surrogateescape")
    for line in sys.stdin.buffer:
        print(json.dumps(answer(line, args.strict, default_base)))


if __name__ == "__main__":
    main()
