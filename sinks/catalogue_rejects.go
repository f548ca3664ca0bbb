package sinks

import (
	"encoding/hex"

	"github.com/zeebo/xxh3"
)

// maxRejectRaw is how much of a refused reference a reject keeps, in bytes. Longer ones have raw_length
// and raw_hash to tell them apart, which a source that kept the start alone has of the whole.
const maxRejectRaw = 64 << 10

// rejectColumns defines every column of canon_uri_rejects, which has no presets: it is written whole.
// The ids are of their own, apart from canon_uri's.
func rejectColumns(env columnEnv) []column {
	profile := []byte(env.SettingsID)
	columns := []column{
		{
			ColumnInfo: ColumnInfo{
				ID: 1, Name: "raw", Kind: KindBytes,
				Doc: "The reference as it came in, byte for byte, passwords too; its first 64 KiB when it is longer.", Example: `"http://exa mple.com/"`,
			},
			noBounds: true,
			value: func(v *refs, i int) cell {
				raw := v.b.Raw(v.recs[i])
				return cell{text: raw[:min(len(raw), maxRejectRaw)]}
			},
		},
		{
			ColumnInfo: ColumnInfo{ID: 2, Name: "raw_length", Kind: KindInt64, Doc: "The length of the whole reference in bytes.", Example: "20"},
			value: func(v *refs, i int) cell {
				if cut, ok := v.b.CutOf(v.recs[i]); ok {
					return number(cut.Bytes)
				}
				return number(v.recs[i].RawLen)
			},
		},
		{
			ColumnInfo: ColumnInfo{ID: 3, Name: "raw_hash", Kind: KindHash, Doc: "XXH3-128 of the whole reference, made as url_fp is.", Example: `"` + hexHash("http://exa mple.com/") + `"`},
			store:      storeRaw,
			value: func(v *refs, i int) cell {
				if cut, ok := v.b.CutOf(v.recs[i]); ok {
					start := len(v.arena)
					v.arena = append(v.arena, cut.Hash[:]...)
					return cell{text: v.made(start)}
				}
				return v.fingerprint(v.b.Raw(v.recs[i]))
			},
		},
		{
			ColumnInfo: ColumnInfo{ID: 4, Name: "raw_cut", Kind: KindBool, Doc: "Whether raw was cut.", Example: "false"},
			value: func(v *refs, i int) cell {
				if _, cut := v.b.CutOf(v.recs[i]); cut || v.recs[i].RawLen > maxRejectRaw {
					return number(int64(1))
				}
				return number(int64(0))
			},
		},
		{
			ColumnInfo: ColumnInfo{ID: 5, Name: "reason", Doc: "Why it was refused.", Example: `"bad_host"`},
			store:      storeDict,
			value:      func(v *refs, i int) cell { return v.word(v.recs[i].Result.Reason.String()) },
		},
		{
			ColumnInfo: ColumnInfo{ID: 6, Name: "component", Nullable: true, Doc: "The part of the reference that broke it.", Null: "No single part did.", Example: `"host"`},
			store:      storeDict,
			value: func(v *refs, i int) cell {
				if name := v.recs[i].Result.Component.String(); name != "" {
					return v.word(name)
				}
				return null
			},
		},
		{
			ColumnInfo: ColumnInfo{ID: 7, Name: "byte_offset", Kind: KindInt64, Doc: "The byte offset in the whole reference of the first byte that broke it.", Example: "10"},
			value:      func(v *refs, i int) cell { return number(v.recs[i].Result.At) },
		},
		layerColumn(8, "embedded_base", "The base URI that the document's content gave, as it came in.", `"/forum/"`, 0),
		layerColumn(9, "entity_base", "The base URI of the enclosing entity, as it came in.", `"http://example.com/"`, 1),
		layerColumn(10, "base", "The retrieval URI of the document, as it came in.", `"http://example.com/index.html"`, 2),
		{
			ColumnInfo: ColumnInfo{ID: 11, Name: "canon_profile", Doc: "The settings id, as in canon_uri.", Example: `"rfc3986-0.u15+00000000"`},
			store:      storeDict,
			value:      func(*refs, int) cell { return cell{text: profile} },
		},
	}
	columns = append(columns, sourceColumns(env, 12)...)
	return append(columns, column{
		ColumnInfo: ColumnInfo{
			ID: 18, Name: "canon_flags", Kind: KindBits,
			Doc: "What was remarkable about the reference until it was refused, and all of it where the reason is flagged; as in canon_uri.", Example: `["private_host"]`,
		},
		store: storeDict, bits: flagNames(),
		value: func(v *refs, i int) cell { return number(uint64(v.recs[i].Result.Flags)) },
	})
}

func layerColumn(id int32, name, doc, example string, layer int) column {
	return column{
		ColumnInfo: ColumnInfo{ID: id, Name: name, Kind: KindBytes, Nullable: true, Doc: doc, Null: "The input has none.", Example: example},
		store:      storeDict, noBounds: true,
		value: func(v *refs, i int) cell {
			embedded, entity, retrieval := v.b.Layers(v.row(i))
			return textOrNull([...][]byte{embedded, entity, retrieval}[layer])
		},
	}
}

// hexHash is the fingerprint of a text as JSON has it.
func hexHash(text string) string {
	sum := xxh3.HashString128(text).Bytes()
	return hex.EncodeToString(sum[:])
}
