package pipetest

import (
	"testing"

	"github.com/urisieve/urisieve/pipeline"
)

func TestScriptIsASource(t *testing.T) {
	TestSource(t, SourceCase{
		Open: func(*testing.T) pipeline.Source {
			items := Refs("a", "b", "c", "", "e", "f", "g", "h", "i", "j")
			items = append(items, Item{Refs: []string{"x", "y", "z"}, Base: "http://h/"}, Item{}, Item{Pause: true}, Item{Refs: []string{"k"}})
			return &Script{Items: items, Pass: []pipeline.Column{{Name: "x_n"}, {Name: "x_i", Kind: pipeline.ColumnInt64}}}
		},
		Blocked: func(*testing.T) pipeline.Source {
			return &Script{Items: []Item{{Wait: make(chan struct{}), Refs: []string{"never"}}}}
		},
	})
}
