package cluster

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// sparing hands on one record of each message in a while, unless it is an error: while a
// server is away, everything that asks it for work says so many times a second.
type sparing struct {
	slog.Handler
	said *said
}

// said is when each message was handed on, for all handlers that come from one.
type said struct {
	mu   sync.Mutex
	last map[string]time.Time
}

// while is how long a message is not repeated.
const while = 10 * time.Second

// Spare is for the log of an engine: it hands on one record of each message in a while,
// unless it is an error.
func Spare(h slog.Handler) slog.Handler {
	return sparing{h, &said{last: map[string]time.Time{}}}
}

func (s sparing) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelError && s.said.lately(r.Message, r.Time) {
		return nil
	}
	return s.Handler.Handle(ctx, r)
}

func (s *said) lately(message string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last, is := s.last[message]; is && now.Sub(last) < while {
		return true
	}
	s.last[message] = now
	return false
}

func (s sparing) WithAttrs(attrs []slog.Attr) slog.Handler {
	return sparing{s.Handler.WithAttrs(attrs), s.said}
}

func (s sparing) WithGroup(name string) slog.Handler {
	return sparing{s.Handler.WithGroup(name), s.said}
}
