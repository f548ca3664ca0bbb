// Bench measures urisieve beside other URL libraries, on the same URLs in one process. The rounds
// alternate, so that a noisy machine disturbs all alike; the table has medians and ratios.
//
//	cd bench && go run . [-corpora ../../shared/corpora] [-rounds 9]
package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/ada-url/goada"
	nlnwa "github.com/nlnwa/whatwg-url/url"

	"github.com/urisieve/urisieve/bench/ada"
	"github.com/urisieve/urisieve/normalize"
)

func main() {
	corpora := flag.String("corpora", "../../shared/corpora", "folder of real URLs")
	rounds := flag.Int("rounds", 9, "rounds of each measurement")
	most := flag.Int("most", 60_000, "URLs of each kind at most")
	flag.Parse()
	if err := run(*corpora, *rounds, *most); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// peer is a library: all parses every URL and writes it again.
type peer struct {
	name string
	all  func(urls []string)
	took []float64
}

func run(corpora string, rounds, most int) error {
	kinds, err := sorted(corpora, most)
	if err != nil {
		return fmt.Errorf("no URLs to measure: %w", err)
	}
	fmt.Printf("%s %s/%s, %d CPUs; nanoseconds a URL, medians of %d rounds\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), rounds)
	for _, k := range kinds {
		all := peers(k.urls)
		for range rounds {
			for i := range all {
				runtime.GC()
				start := time.Now()
				all[i].all(k.urls)
				all[i].took = append(all[i].took, float64(time.Since(start).Nanoseconds())/float64(len(k.urls)))
			}
		}
		fmt.Printf("\n%d %s URLs\n", len(k.urls), k.name)
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(w, "library\tns\tto urisieve rfc3986\tto urisieve whatwg\t")
		rfc, web := median(all[0].took), median(all[1].took)
		for _, p := range all {
			ns := median(p.took)
			fmt.Fprintf(w, "%s\t%.0f\t%.2f\t%.2f\t\n", p.name, ns, ns/rfc, ns/web)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// kind is a set of URLs of one kind.
type kind struct {
	name string
	urls []string
}

// sorted tells the URLs that all take apart: those that no profile changes, and the others.
func sorted(corpora string, most int) ([]kind, error) {
	canonical, dirty := kind{name: "canonical"}, kind{name: "dirty"}
	rfc, web := normalizer("rfc3986"), normalizer("whatwg")
	var out []byte
	for i, list := range lists {
		err := eachURL(corpora, list, []int{1, 29}[i], func(text string) {
			out, r := rfc.Append(out[:0], nil, []byte(text))
			same := string(out) == text
			out, s := web.Append(out[:0], nil, []byte(text))
			if _, err := url.Parse(text); err != nil || r.Reason != normalize.OK || s.Reason != normalize.OK {
				return
			}
			k := &dirty
			if same && string(out) == text {
				k = &canonical
			}
			if len(k.urls) < most {
				k.urls = append(k.urls, text)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return []kind{canonical, dirty}, nil
}

func normalizer(profile string) *normalize.Normalizer {
	n, err := normalize.New(normalize.Options{Profile: profile})
	if err != nil {
		panic(err)
	}
	return n
}

var sink int // what the loops made, so that none can be left out

func peers(urls []string) []peer {
	var batch ada.Batch
	texts := make([][]byte, len(urls))
	for i, u := range urls {
		batch.Add(u)
		texts[i] = []byte(u)
	}
	ours := func(profile string) func([]string) {
		n := normalizer(profile)
		var out []byte
		return func([]string) {
			for _, text := range texts {
				out, _ = n.Append(out[:0], nil, text)
				sink += len(out)
			}
		}
	}
	parser := nlnwa.NewParser()
	return []peer{
		{name: "urisieve rfc3986", all: ours("rfc3986")},
		{name: "urisieve whatwg", all: ours("whatwg")},
		{name: "net/url Parse, String", all: func(urls []string) {
			for _, u := range urls {
				if p, err := url.Parse(u); err == nil {
					sink += len(p.String())
				}
			}
		}},
		{name: "ada C++, parse and href in one call", all: func([]string) { sink += batch.Parse() }},
		{name: "ada through goada", all: func(urls []string) {
			for _, u := range urls {
				if p, err := goada.New(u); err == nil {
					sink += len(p.Href())
				}
			}
		}},
		{name: "nlnwa/whatwg-url Parse, Href", all: func(urls []string) {
			for _, u := range urls {
				if p, err := parser.Parse(u); err == nil {
					sink += len(p.Href(false))
				}
			}
		}},
	}
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}
