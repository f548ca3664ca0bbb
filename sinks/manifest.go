package sinks

import (
	"encoding/json"
	"fmt"

	"github.com/urisieve/urisieve/pipeline"
)

// Place is a source record's place in its source.
type Place struct {
	Source string `json:"source"`
	Record int64  `json:"record"`
	Offset int64  `json:"offset"`
}

func placeOf(v *refs, i int) Place {
	row := v.row(i)
	return Place{string(v.utf8Text([]byte(v.b.SourceName(row)))), row.Number, row.Offset}
}

// fileEntry is a part file in the manifest.
type fileEntry struct {
	Name  string `json:"name"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
	First *Place `json:"first"` // the first and the last source record in it; null when it has no rows, or sorted ones
	Last  *Place `json:"last"`

	FirstKey *string `json:"first_key,omitempty"` // of sorted rows: url_surtkey of the first and of the last one
	LastKey  *string `json:"last_key,omitempty"`
}

// manifest closes a run of a dataset. It tells nothing that could differ when the same input is
// read again with the same options.
type manifest struct {
	Schema     string      `json:"schema"`
	SettingsID string      `json:"settings_id"`
	Tool       string      `json:"tool"`
	Format     string      `json:"format"`
	Columns    []string    `json:"columns"`
	SuffixList string      `json:"public_suffix_list"`
	Sort       string      `json:"sort,omitempty"` // "file", "global"; not there where rows are in the order of the input
	SortedBy   string      `json:"sorted_by,omitempty"`
	Complete   bool        `json:"complete"` // all input was read
	Rows       int64       `json:"rows"`
	Bytes      int64       `json:"bytes"`
	Counts     Totals      `json:"counts"` // of the run, all outcomes
	Files      []fileEntry `json:"files"`
}

func (m *manifest) marshal() ([]byte, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	return append(text, '\n'), err
}

// fits reports why a run of m can't be added to what older describes.
func (m *manifest) fits(older *manifest) error {
	differ := func(what, theirs, ours string) error {
		return fmt.Errorf("it was written with %s %s, this run has %s: choose another output", what, theirs, ours)
	}
	switch {
	case older.Schema != m.Schema:
		return differ("schema", older.Schema, m.Schema)
	case older.SettingsID != m.SettingsID:
		return differ("settings", older.SettingsID, m.SettingsID)
	case older.Format != m.Format:
		return differ("format", older.Format, m.Format)
	case fmt.Sprint(older.Columns) != fmt.Sprint(m.Columns):
		return differ("columns", fmt.Sprint(older.Columns), fmt.Sprint(m.Columns))
	}
	return nil
}

func parseManifest(text []byte) (*manifest, error) {
	m := &manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, err
	}
	return m, nil
}

// sameRecord reports whether a reference belongs to the source record at p.
func (p *Place) sameRecord(b *pipeline.Batch, row *pipeline.Row) bool {
	return p != nil && p.Record == row.Number && p.Offset == row.Offset && p.Source == b.SourceName(row)
}
