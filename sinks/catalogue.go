package sinks

import (
	"bytes"
	"math"
	"strconv"

	"github.com/zeebo/xxh3"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
)

// Schema names of what is written, with their versions. A version grows when a column changes its
// meaning or goes away, not when one is added.
const (
	SchemaMain    = "canon_uri/1"
	SchemaRejects = "canon_uri_rejects/1"
)

// Preset names.
const (
	presetMin   = "min"
	presetCC    = "cc"
	presetCrawl = "crawl"
	presetLog   = "log"
)

// Presets are the names of the column presets, with what each is for.
func Presets() [][2]string {
	return [][2]string{
		{presetMin, "the canonical URI and its fingerprint, nothing else"},
		{presetCC, "the URL columns that web archive indexes have, by the same names"},
		{presetCrawl, "what a crawl frontier needs; the default"},
		{presetLog, "what the analysis of access logs needs"},
	}
}

// Columns is the catalogue of the main output, schema canon_uri version 1, in order.
func Columns() []ColumnInfo { return infos(mainColumns(columnEnv{})) }

// RejectColumns is the catalogue of the rejects, schema canon_uri_rejects version 1, in order.
func RejectColumns() []ColumnInfo { return infos(rejectColumns(columnEnv{})) }

func infos(columns []column) []ColumnInfo {
	list := make([]ColumnInfo, len(columns))
	for i := range columns {
		list[i] = columns[i].ColumnInfo
	}
	return list
}

// columnEnv is what the columns of a run depend on beside the references.
type columnEnv struct {
	Info
	queueKey string
}

// mainColumns defines every column of canon_uri. The order is the catalogue's.
func mainColumns(env columnEnv) []column {
	columns := urlColumns(env)
	columns = append(columns, hostColumns()...)
	columns = append(columns, partColumns()...)
	columns = append(columns, canonColumns(env)...)
	columns = append(columns, frontierColumns(env)...)
	return append(columns, originColumns(env)...)
}

func presets(names ...string) []string { return names }

func urlColumns(env columnEnv) []column {
	return []column{
		{
			ColumnInfo: ColumnInfo{
				ID: 1, Name: surtColumn, Presets: presets(presetCC, presetCrawl),
				Doc:     "Sort key of url: its host's labels reversed, then port, path and query. No www is stripped; IP addresses and opaque URIs stay as they are.",
				Example: `"com,example)/a?b=1"`,
			},
			value: func(v *refs, i int) cell {
				start := len(v.arena)
				v.arena = appendSURT(v.arena, v, i)
				return cell{text: v.made(start)}
			},
		}, {
			ColumnInfo: ColumnInfo{
				ID: 2, Name: "url", Presets: presets(presetMin, presetCC, presetCrawl, presetLog),
				Doc:     "The canonical URI, without its fragment; safe to fetch. ASCII.",
				Example: `"http://example.com/a?b=1"`,
			},
			value: func(v *refs, i int) cell { return cell{text: v.b.URL(v.recs[i])} },
		}, {
			ColumnInfo: ColumnInfo{
				ID: 3, Name: "url_fp", Kind: KindHash, Presets: presets(presetMin, presetCC, presetCrawl, presetLog),
				Doc:     "Fingerprint of url: XXH3-128 with seed 0, as 16 bytes big-endian (the canonical form of the XXH3 library); lower-case hex in JSON.",
				Example: `"` + exampleFingerprint + `"`,
			},
			store: storeRaw, bloom: true,
			value: func(v *refs, i int) cell { return v.fingerprint(v.b.URL(v.recs[i])) },
		}, {
			ColumnInfo: ColumnInfo{
				ID: 4, Name: "url_key", Presets: presets(presetCC, presetCrawl, presetLog),
				Doc:     "The text that was compared to find duplicates. Only where key rules are on.",
				Example: `"http://example.com/a"`,
			},
			value: func(v *refs, i int) cell { return cell{text: v.keyText(i)} },
		}, {
			ColumnInfo: ColumnInfo{
				ID: 5, Name: "url_key_fp", Kind: KindHash, Presets: presets(presetCC, presetCrawl, presetLog),
				Doc:     "Fingerprint of url_key, made as url_fp is. Only where key rules are on.",
				Example: `"` + exampleKeyFingerprint + `"`,
			},
			store: storeRaw, bloom: true,
			value: func(v *refs, i int) cell { return v.fingerprint(v.keyText(i)) },
		},
	}
}

// surtColumn is the column that sorted output is in the order of.
const surtColumn = "url_surtkey"

// appendSURT appends a reference's value of surtColumn.
func appendSURT(dst []byte, v *refs, i int) []byte {
	r := v.recs[i]
	return normalize.AppendSURT(dst, v.b.URL(r), r.Result.Parts)
}

// The fingerprints of "http://example.com/a?b=1" and "http://example.com/a", pinned by a test and
// in docs/formats.md, so that others can check how they work them out.
const (
	exampleFingerprint    = "1cb911130fad604796f16b6a9ce850d1"
	exampleKeyFingerprint = "5a13983746445ea16c1f769f92388a80"
)

// fingerprint hashes a text into the arena.
func (v *refs) fingerprint(text []byte) cell {
	sum := xxh3.Hash128(text).Bytes()
	start := len(v.arena)
	v.arena = append(v.arena, sum[:]...)
	return cell{text: v.made(start)}
}

// keyText is what was compared: the key text, or url where it is the same.
func (v *refs) keyText(i int) []byte {
	if key := v.b.KeyText(v.recs[i]); key != nil {
		return key
	}
	return v.b.URL(v.recs[i])
}

const noHostNull = "The URI has no host."

const noNameNull = "The URI has no host, or the host is an IP address."

func hostColumns() []column {
	hostColumn := func(id int32, name, doc, null, example string, part func(*host) []byte, presets ...string) column {
		return column{
			ColumnInfo: ColumnInfo{ID: id, Name: name, Nullable: true, Doc: doc, Null: null, Example: example, Presets: presets},
			store:      storeDict, needsHost: true,
			value: func(v *refs, i int) cell { return textOrNull(part(v.hosts[i])) },
		}
	}
	return []column{
		hostColumn(6, "url_host_name", "The host of url, as it stands there: lower case, IDNs as A-labels, IPv6 in brackets.",
			noHostNull, `"www.example.co.uk"`, func(h *host) []byte { return h.name }, presetCC, presetCrawl, presetLog),
		hostColumn(7, "url_host_tld", "The last label of the host.",
			noNameNull, `"uk"`, func(h *host) []byte { return h.tld }, presetCC),
		hostColumn(8, "url_host_registry_suffix", "The public suffix of the host by the ICANN section of the public suffix list; its last label where no rule matches.",
			noNameNull, `"co.uk"`, func(h *host) []byte { return h.registrySuffix }, presetCC),
		hostColumn(9, "url_host_registered_domain", "The registry suffix and one label more.",
			"No host, an IP address, or the host is itself a suffix.", `"example.co.uk"`, func(h *host) []byte { return h.registeredDomain }, presetCC, presetCrawl, presetLog),
		hostColumn(10, "url_host_private_suffix", "The public suffix by both sections of the list (\"github.io\").",
			noNameNull, `"co.uk"`, func(h *host) []byte { return h.privateSuffix }, presetCC),
		hostColumn(11, "url_host_private_domain", "The private suffix and one label more.",
			"No host, an IP address, or the host is itself a suffix.", `"example.co.uk"`, func(h *host) []byte { return h.privateDomain }, presetCC),
		hostColumn(12, "url_host_name_reversed", "The labels of the host from the last to the first.",
			noNameNull, `"uk.co.example.www"`, func(h *host) []byte { return h.reversed }, presetCC),
	}
}

func partColumns() []column {
	return []column{
		{
			ColumnInfo: ColumnInfo{ID: 13, Name: "url_protocol", Presets: presets(presetCC), Doc: "The scheme of url.", Example: `"https"`},
			store:      storeDict,
			value: func(v *refs, i int) cell {
				return cell{text: v.recs[i].Result.Parts.Scheme(v.b.Canon(v.recs[i]))}
			},
		}, {
			ColumnInfo: ColumnInfo{
				ID: 14, Name: "url_port", Kind: KindInt32, Nullable: true, Presets: presets(presetCC),
				Doc: "The port of url.", Null: "url names no port: it is the scheme's default.", Example: "8080",
			},
			value: portCell,
		}, {
			ColumnInfo: ColumnInfo{ID: 15, Name: "url_path", Presets: presets(presetCC, presetLog), Doc: "The path of url, escaped as there; what follows the scheme of an opaque URI.", Example: `"/a"`},
			value: func(v *refs, i int) cell {
				return cell{text: v.recs[i].Result.Parts.Path(v.b.Canon(v.recs[i]))}
			},
		}, {
			ColumnInfo: ColumnInfo{
				ID: 16, Name: "url_query", Nullable: true, Presets: presets(presetCC, presetLog),
				Doc: "The query of url, escaped as there, without \"?\".", Null: "url has no \"?\"; an empty query is an empty text.", Example: `"b=1"`,
			},
			value: func(v *refs, i int) cell {
				return textOrNull(v.recs[i].Result.Parts.Query(v.b.Canon(v.recs[i])))
			},
		}, {
			ColumnInfo: ColumnInfo{
				ID: 17, Name: "url_fragment", Nullable: true, Presets: presets(presetCC, presetCrawl),
				Doc: "The canonical fragment, which is no part of url, without \"#\".", Null: "The reference has no \"#\"; an empty fragment is an empty text.", Example: `"top"`,
			},
			value: func(v *refs, i int) cell { return textOrNull(v.b.Fragment(v.recs[i])) },
		},
	}
}

// portCell is the port as a number. A canonical one has digits alone; one that no 32 bits hold can only be
// of a scheme without DNS hosts, and is null.
func portCell(v *refs, i int) cell {
	port := v.recs[i].Result.Parts.Port(v.b.Canon(v.recs[i]))
	if len(port) == 0 {
		return null
	}
	n := int64(0)
	for _, c := range port {
		if n = n*10 + int64(c-'0'); n > math.MaxInt32 {
			return null
		}
	}
	return number(n)
}

func canonColumns(env columnEnv) []column {
	profile := []byte(env.SettingsID)
	return []column{
		{
			ColumnInfo: ColumnInfo{
				ID: 18, Name: "canon_profile", Presets: presets(presetCC, presetCrawl, presetLog),
				Doc: "The settings id: profile, Unicode version and a hash of every setting that can change url.", Example: `"rfc3986-0.u15+00000000"`,
			},
			store: storeDict,
			value: func(*refs, int) cell { return cell{text: profile} },
		}, {
			ColumnInfo: ColumnInfo{
				ID: 19, Name: "canon_flags", Kind: KindBits, Presets: presets(presetCC, presetCrawl, presetLog),
				Doc: "What is remarkable about the reference or the result, a bit each; the file's metadata names the bits, and JSON has the names.", Example: `["trimmed"]`,
			},
			store: storeDict, bits: flagNames(),
			value: func(v *refs, i int) cell { return number(uint64(v.recs[i].Result.Flags)) },
		}, {
			ColumnInfo: ColumnInfo{
				ID: 20, Name: "canon_changed", Kind: KindBits, Presets: presets(presetCrawl),
				Doc: "The rules that changed something, a bit each, as in canon_flags.", Example: `["lower_scheme","lower_host"]`,
			},
			store: storeDict, bits: ruleNames(),
			value: func(v *refs, i int) cell { return number(uint64(v.recs[i].Result.Changed)) },
		}, {
			ColumnInfo: ColumnInfo{
				ID: 21, Name: "url_original", Kind: KindBytes, Presets: presets(presetLog),
				Doc: "The reference as it came in, byte for byte; passwords, too.", Example: `"HTTP://Example.com/a?b=1"`,
			},
			noBounds: true,
			value:    func(v *refs, i int) cell { return cell{text: v.b.Raw(v.recs[i])} },
		}, {
			ColumnInfo: ColumnInfo{
				ID: 22, Name: "base_used", Nullable: true, Presets: presets(presetCrawl),
				Doc: "The layer of the base URI that the reference was resolved against: embedded, entity, retrieval or default.", Null: "It needed none.", Example: `"retrieval"`,
			},
			store: storeDict, value: baseUsedCell,
		},
	}
}

func baseUsedCell(v *refs, i int) cell {
	used := v.recs[i].Result.BaseUsed
	if used == normalize.BaseNone {
		return null
	}
	return v.word(used.String())
}

// word gives a constant's text. It goes through the arena: a string's bytes can't be had without a copy.
func (v *refs) word(s string) cell {
	start := len(v.arena)
	v.arena = append(v.arena, s...)
	return cell{text: v.made(start)}
}

func frontierColumns(env columnEnv) []column {
	return []column{
		{
			ColumnInfo: ColumnInfo{
				ID: 23, Name: "dedup_state", Nullable: true, Presets: presets(presetCrawl, presetLog),
				Doc: "new or duplicate.", Null: "Deduplication is off.", Example: `"new"`,
			},
			store: storeDict,
			value: func(v *refs, i int) cell {
				switch {
				case !env.Dedup:
					return null
				case v.recs[i].Outcome == pipeline.Duplicate:
					return v.word("duplicate")
				}
				return v.word("new")
			},
		},
		nullColumn(24, "first_seen", KindTimestamp, "When the key was first seen.", "Nothing aggregates over time.", `"2000-10-10T20:55:36Z"`),
		nullColumn(25, "last_seen", KindTimestamp, "When the key was last seen.", "Nothing aggregates over time.", `"2000-10-10T20:55:36Z"`),
		nullColumn(26, "seen_count", KindInt64, "How often the key was seen.", "Nothing aggregates.", "3"),
		{
			ColumnInfo: ColumnInfo{
				ID: 27, Name: "queue_key", Nullable: true, Presets: presets(presetCrawl),
				Doc: "What a frontier waits between fetches by: the host, the authority without userinfo, or the registered domain (the host where there is none), by the option queue_key.", Null: noHostNull, Example: `"www.example.co.uk"`,
			},
			store: storeDict, needsHost: true, value: queueKey(env.queueKey),
		},
		{
			ColumnInfo: ColumnInfo{
				ID: 28, Name: "discovered_from", Nullable: true, Presets: presets(presetCrawl),
				Doc: "The retrieval URI of the document that held the reference, as the input gave it.", Null: "The input gives none.", Example: `"http://example.com/index.html"`,
			},
			store: storeDict,
			value: func(v *refs, i int) cell {
				_, _, retrieval := v.b.Layers(v.row(i))
				return textOrNull(v.utf8Text(retrieval))
			},
		},
		passColumn(env, 29, "depth", KindInt32, "Hops from a seed, passed through.", "2", presetCrawl),
		passColumn(env, 30, "priority", KindFloat, "Passed through.", "0.5", presetCrawl),
	}
}

func nullColumn(id int32, name string, kind Kind, doc, why, example string) column {
	return column{
		ColumnInfo: ColumnInfo{ID: id, Name: name, Kind: kind, Nullable: true, Doc: doc, Null: why, Example: example},
		value:      func(*refs, int) cell { return null },
	}
}

func queueKey(by string) func(v *refs, i int) cell {
	switch by {
	case "authority":
		return func(v *refs, i int) cell {
			r := v.recs[i]
			if v.hosts[i].name == nil {
				return null
			}
			p := r.Result.Parts
			return cell{text: v.b.Canon(r)[p.HostStart:p.PathStart]}
		}
	case "registered_domain":
		return func(v *refs, i int) cell {
			if domain := v.hosts[i].registeredDomain; domain != nil {
				return cell{text: domain}
			}
			return textOrNull(v.hosts[i].name)
		}
	}
	return func(v *refs, i int) cell { return textOrNull(v.hosts[i].name) }
}

func originColumns(env columnEnv) []column {
	return append([]column{
		passColumn(env, 31, "fetch_time", KindTimestamp, "When the page was fetched or the request was served, passed through; logs give it.", `"2000-10-10T20:55:36Z"`, presetCC, presetCrawl, presetLog),
		passColumn(env, 32, "fetch_status", KindInt32, "The HTTP status, passed through; logs give it.", "200", presetCC, presetCrawl, presetLog),
	}, sourceColumns(env, 33, presetCrawl, presetLog)...)
}

// sourceColumns say where a reference came from, with ids from id on; rejects have them, too.
func sourceColumns(env columnEnv, id int32, in ...string) []column {
	elements := make([][]byte, len(env.Elements))
	for i, name := range env.Elements {
		elements[i] = []byte(name)
	}
	return []column{
		{
			ColumnInfo: ColumnInfo{ID: id, Name: "element", Nullable: true, Presets: in, Doc: "Which part of the record held the reference: request or referer of a log line, the field of a record.", Null: "The records have one part alone.", Example: `"referer"`},
			store:      storeDict,
			value: func(v *refs, i int) cell {
				if e := int(v.recs[i].Element); e < len(elements) && len(elements[e]) > 0 {
					return cell{text: v.utf8Text(elements[e])}
				}
				return null
			},
		}, {
			ColumnInfo: ColumnInfo{ID: id + 1, Name: "source", Presets: in, Doc: "The file as it was named, \"-\" for standard input, or the topic.", Example: `"links.jsonl.gz"`},
			store:      storeDict,
			value: func(v *refs, i int) cell {
				w := v.word(v.b.SourceName(v.row(i)))
				return cell{text: v.utf8Text(w.text)}
			},
		}, {
			ColumnInfo: ColumnInfo{ID: id + 2, Name: "source_partition", Kind: KindInt32, Nullable: true, Doc: "The partition of the topic.", Null: "The source has no partitions.", Example: "7"},
			store:      storeDict,
			value: func(v *refs, i int) cell {
				if p := v.row(i).Partition; p >= 0 {
					return number(p)
				}
				return null
			},
		}, {
			ColumnInfo: ColumnInfo{ID: id + 3, Name: "source_offset", Kind: KindInt64, Presets: in, Doc: "The byte offset of the record in the decompressed source; in a topic, the offset.", Example: "1834"},
			store:      storeDelta,
			value:      func(v *refs, i int) cell { return number(v.row(i).Offset) },
		}, {
			ColumnInfo: ColumnInfo{ID: id + 4, Name: "source_record", Kind: KindInt64, Presets: in, Doc: "The number of the record in the source, from 1; in a topic, the offset.", Example: "42"},
			store:      storeDelta,
			value:      func(v *refs, i int) cell { return number(v.row(i).Number) },
		}, {
			ColumnInfo: ColumnInfo{ID: id + 5, Name: "source_index", Kind: KindInt32, Presets: in, Doc: "The number of the reference in its record, from 0.", Example: "0"},
			store:      storeDelta,
			value:      func(v *refs, i int) cell { return number(v.recs[i].Index) },
		},
	}
}

// passColumn is a column of the catalogue that a source's column of the same name fills, null
// where there is none. A text that is no such value is null, too: it isn't the sink's to judge.
func passColumn(env columnEnv, id int32, name string, kind Kind, doc, example string, in ...string) column {
	c := column{
		ColumnInfo: ColumnInfo{ID: id, Name: name, Kind: kind, Nullable: true, Presets: in, Doc: doc, Null: "The source has no such column, or no such value in it.", Example: example},
		store:      storePlain,
		value:      func(*refs, int) cell { return null },
	}
	for at, from := range env.Columns {
		if from.Name != name {
			continue
		}
		c.value = func(v *refs, i int) cell {
			value := v.b.Value(v.row(i), at)
			if value.Null {
				return null
			}
			if from.Kind == pipeline.ColumnText {
				return parseCell(kind, v.b.ValueText(value))
			}
			return convertCell(kind, value.Int)
		}
	}
	return c
}

func convertCell(kind Kind, n int64) cell {
	switch kind {
	case KindFloat:
		return cell{num: int64(math.Float32bits(float32(n)))}
	case KindInt32:
		if n != int64(int32(n)) {
			return null
		}
	default:
	}
	return cell{num: n}
}

func parseCell(kind Kind, text []byte) cell {
	text = bytes.TrimSpace(text)
	switch kind {
	case KindFloat:
		f, err := strconv.ParseFloat(string(text), 32)
		if err != nil || math.IsNaN(f) {
			return null
		}
		return cell{num: int64(math.Float32bits(float32(f)))}
	case KindTimestamp:
		return parseTimestamp(text)
	default:
		n, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil {
			return null
		}
		return convertCell(kind, n)
	}
}
