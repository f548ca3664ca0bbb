package sinks

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// unpacked is what a file of lines holds.
func unpacked(t *testing.T, name string, content []byte) []byte {
	t.Helper()
	var r io.Reader = bytes.NewReader(content)
	var err error
	if strings.HasSuffix(name, ".gz") {
		r, err = gzip.NewReader(r)
	} else if strings.HasSuffix(name, ".zst") {
		r, err = zstd.NewReader(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What is written in pieces is read like any other file, to the row.
func TestWhatIsWrittenInPiecesIsReadWhole(t *testing.T) {
	for name, o := range kinds() {
		if strings.HasSuffix(name, "files") {
			continue
		}
		o.Rejects = "d/r.jsonl"
		if !strings.HasPrefix(name, "text") {
			o.Columns = "" // more of them, in all encodings
		}
		contents := map[int][]byte{}
		for _, every := range []int{100, 1000} {
			disk := newDisk()
			j := resumableJob{o: o, refs: mixed(900), every: every}
			if err := j.run(t, disk); err != nil {
				t.Fatal(err)
			}
			contents[every] = read(t, disk, o.Output)
		}
		if name == "parquet" {
			comparePieces(t, contents[100], contents[1000])
			continue
		}
		pieces, whole := unpacked(t, o.Output, contents[100]), unpacked(t, o.Output, contents[1000])
		if len(whole) == 0 || !bytes.Equal(pieces, whole) {
			t.Errorf("%s: %d bytes in pieces, %d whole", name, len(pieces), len(whole))
		}
	}
}

// comparePieces compares a Parquet file of nine pieces with one of the same rows that has one.
func comparePieces(t *testing.T, inPieces, inOne []byte) {
	t.Helper()
	got, pieces, err := rowsOf(inPieces)
	if err != nil {
		t.Fatal(err)
	}
	want, one, err := rowsOf(inOne)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || len(want) < 600 {
		t.Errorf("%d rows in pieces, %d in one, or other ones", len(got), len(want))
	}
	if pieces.NumRows() != one.NumRows() || len(pieces.RowGroups()) != 9 || len(one.RowGroups()) != 1 {
		t.Errorf("%d rows in %d groups, %d in %d", pieces.NumRows(), len(pieces.RowGroups()), one.NumRows(), len(one.RowGroups()))
	}
	if got, want := fmt.Sprint(pieces.Metadata().KeyValueMetadata), fmt.Sprint(one.Metadata().KeyValueMetadata); got != want || !strings.Contains(got, "urisieve.last") {
		t.Errorf("metadata %s, want %s", got, want)
	}
	row := 0
	for i, group := range pieces.RowGroups() {
		if ordinal := pieces.Metadata().RowGroups[i].Ordinal; int(ordinal) != i {
			t.Errorf("row group %d has the ordinal %d", i, ordinal)
		}
		for _, chunk := range group.ColumnChunks() {
			name := pieces.Schema().Columns()[chunk.Column()][0]
			checkChunk(t, name, chunk, got[row:row+int(group.NumRows())])
			offsets, err := chunk.OffsetIndex()
			if err != nil || offsets.NumPages() != 1 {
				t.Fatalf("%s: offset index: %v", name, err)
			}
			if got, want := offsets.Offset(0), pieces.Metadata().RowGroups[i].Columns[chunk.Column()].MetaData.DataPageOffset; got != want {
				t.Errorf("%s: by the index its page is at %d, it is at %d", name, got, want)
			}
		}
		row += int(group.NumRows())
	}
}

// checkChunk reads the last row by the offset index, and asks the column index and the bloom filter.
func checkChunk(t *testing.T, name string, chunk parquet.ColumnChunk, rows []map[string]parquet.Value) {
	t.Helper()
	last := rows[len(rows)-1][name]
	pages := chunk.Pages()
	defer pages.Close()
	if err := pages.SeekToRow(int64(len(rows) - 1)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	page, err := pages.ReadPage()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	values := make([]parquet.Value, 2)
	if n, err := page.Values().ReadValues(values); n != 1 || !errors.Is(err, io.EOF) && err != nil || !parquet.DeepEqual(values[0], last) {
		t.Errorf("%s: by its index the last row is %v (%d, %v), want %v", name, values[0], n, err, last)
	}
	index, err := chunk.ColumnIndex()
	if err != nil || index.NumPages() != 1 {
		t.Errorf("%s: column index: %v", name, err)
	}
	if name != "url_fp" {
		return
	}
	for _, row := range rows {
		key, _ := hex.DecodeString(hexHash(row["url"].String()))
		if ok, err := chunk.BloomFilter().Check(parquet.ValueOf([16]byte(key))); !ok || err != nil {
			t.Errorf("the filter doesn't know %s: %v", row["url"], err)
		}
	}
}

func TestADamagedPieceIsAnError(t *testing.T) {
	for name, content := range map[string]string{"short": "PAR1", "no magic": "PAR1xxxxxxxxxxxxxxxx", "long footer": "PAR1\xff\xff\xff\x7fPAR1"} {
		disk := newDisk()
		p, err := openPart(disk, "", "x.tmp", "", "x")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(p, content); err != nil {
			t.Fatal(err)
		}
		if err := endParquetPieces(p, []int64{p.bytes}, nil); !errors.Is(err, errPiece) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
