package main

import (
	"io"
	"log/slog"

	"github.com/urisieve/urisieve/config"
)

// newLogger makes the log: on standard error, without anything that could be a password.
func newLogger(w io.Writer, c config.Log) *slog.Logger {
	levels := map[string]slog.Level{
		"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
	}
	opts := &slog.HandlerOptions{Level: levels[c.Level], ReplaceAttr: redactAttr}
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// redactAttr masks passwords in texts and errors.
func redactAttr(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Any().(type) {
	case string:
		a.Value = slog.StringValue(redact(v))
	case error:
		a.Value = slog.StringValue(redact(v.Error()))
	}
	return a
}
