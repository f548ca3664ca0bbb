package main

import (
	"bytes"
	"testing"
)

func TestTheBarMakesWayForMessages(t *testing.T) {
	var b bytes.Buffer
	c := &console{w: &b}
	c.draw("10 refs")
	c.draw("20 refs")
	c.Write([]byte("message\n"))
	c.Write([]byte("another\n"))
	c.draw("30 refs")
	c.wipe()
	c.wipe()
	want := eraseLine + "10 refs" + eraseLine + "20 refs" + eraseLine + "message\nanother\n" + eraseLine + "30 refs" + eraseLine
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
