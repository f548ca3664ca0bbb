package sources

import "testing"

func TestText(t *testing.T) {
	runGolden(t, Options{MaxRecordBytes: 8}, []golden{
		{"lines", "a\nb\n", []string{"1@0 |a", "2@2 |b"}},
		{"last line without newline", "a\nb", []string{"1@0 |a", "2@2 |b"}},
		{"CRLF", "a\r\nb\r\n", []string{"1@0 |a", "2@3 |b"}},
		{"CR inside is kept", "a\rb\r\r\n", []string{"1@0 |a\rb\r"}},
		{"empty lines are skipped, offsets go on", "\n\r\na\n\n\nb\n", []string{"1@3 |a", "2@7 |b"}},
		{"spaces are a reference", "  \n", []string{"1@0 |  "}},
		{"NUL is kept", "a\x00b\n", []string{"1@0 |a\x00b"}},
		{"not UTF-8 is kept", "\xe9\xff\n", []string{"1@0 |\xe9\xff"}},
		{"byte order mark is skipped once", "\xef\xbb\xbfa\n\xef\xbb\xbfb\n", []string{"1@3 |a", "2@5 |\xef\xbb\xbfb"}},
		{"start of a byte order mark", "\xef\xbba\n", []string{"1@0 |\xef\xbba"}},
		{"start of a gzip magic", "\x1f\n", []string{"1@0 |\x1f"}},
		{"start of a bzip2 magic", "BZh91AY\nBZ", []string{"1@0 |BZh91AY", "2@8 |BZ"}},
		{"nothing", "", nil},
		{"exactly the limit", "12345678\n12345678\r\n12345678", []string{"1@0 |12345678", "2@9 |12345678", "3@19 |12345678"}},
		{"over the limit", "a\n123456789\r\nb\n", []string{"1@0 |a", "2@2 |123456789 !too_long:reference@8", "3@13 |b"}},
		{"over the limit with a CR in it", "12345678\r\rxx\r\n", []string{"1@0 |12345678\r\rxx !too_long:reference@8"}},
		{"over the limit at the end", "123456789", []string{"1@0 |123456789 !too_long:reference@8"}},
		{"over the limit at the end with CR", "123456789\r", []string{"1@0 |123456789 !too_long:reference@8"}},
	})
}
