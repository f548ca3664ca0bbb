//go:build ignore

// Gen_example writes example.yaml.
package main

import (
	"log"
	"os"

	"github.com/urisieve/urisieve/config"
)

func main() {
	source, err := os.ReadFile("config.go")
	if err != nil {
		log.Fatal(err)
	}
	example, err := config.Example(source)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("example.yaml", example, 0o644); err != nil {
		log.Fatal(err)
	}
}
