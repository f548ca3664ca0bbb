//go:build !unix

package sources

import "os"

// waitable makes f an input. Closing f is all that can end its Read here.
func waitable(f *os.File, closeFile func()) (stored, error) {
	return stored{f, func() { f.Close() }, closeFile}, nil
}

func openFIFO(name string) (stored, error) {
	f, err := os.Open(name)
	if err != nil {
		return stored{}, err
	}
	return waitable(f, func() { f.Close() })
}
