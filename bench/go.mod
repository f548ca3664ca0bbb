module github.com/urisieve/urisieve/bench

go 1.26.0

require (
	github.com/ada-url/goada v1.1.0
	github.com/klauspost/compress v1.20.4
	github.com/nlnwa/whatwg-url v0.6.2
	github.com/urisieve/urisieve v0.0.0
)

require (
	github.com/bits-and-blooms/bitset v1.20.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/urisieve/urisieve => ../
