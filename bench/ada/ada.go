// Package ada parses many URLs in one call of ada's C functions, which package goada links: what the
// parser itself costs, without a crossing from Go to C for each URL.
package ada

/*
#cgo LDFLAGS: -Wl,--unresolved-symbols=ignore-all
#include <stdbool.h>
#include <stddef.h>

typedef void* ada_url;
typedef struct { const char* data; size_t length; } ada_string;
ada_url ada_parse(const char* input, size_t length);
bool ada_is_valid(ada_url result);
ada_string ada_get_href(ada_url result);
void ada_free(ada_url result);

// parse_all parses count texts that lie one after the other, and gives the bytes of their hrefs.
static size_t parse_all(const char* text, const size_t* ends, size_t count) {
	size_t bytes = 0, start = 0;
	for (size_t i = 0; i < count; i++) {
		ada_url u = ada_parse(text + start, ends[i] - start);
		if (ada_is_valid(u)) {
			bytes += ada_get_href(u).length;
		}
		ada_free(u);
		start = ends[i];
	}
	return bytes;
}
*/
import "C"

import (
	"unsafe"

	_ "github.com/ada-url/goada" // links ada
)

// Batch holds URLs one after the other.
type Batch struct {
	text []byte
	ends []C.size_t
}

// Add adds a URL.
func (b *Batch) Add(url string) {
	b.text = append(b.text, url...)
	b.ends = append(b.ends, C.size_t(len(b.text)))
}

// Parse parses all, and gives the number of bytes of their hrefs.
func (b *Batch) Parse() int {
	if len(b.ends) == 0 {
		return 0
	}
	return int(C.parse_all((*C.char)(unsafe.Pointer(unsafe.SliceData(b.text))), unsafe.SliceData(b.ends), C.size_t(len(b.ends))))
}
