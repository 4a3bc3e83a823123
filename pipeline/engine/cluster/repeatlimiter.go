package cluster

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// repeatLimiter hands on one record of each message in a while, unless it is an error: while a
// server is away, everything that asks it for work says so many times a second.
type repeatLimiter struct {
	slog.Handler
	said *loggedMessages
}

// loggedMessages is when each message was handed on, for all handlers that come from one.
type loggedMessages struct {
	mu   sync.Mutex
	last map[string]time.Time
}

// while is how long a message is not repeated.
const while = 10 * time.Second

// LimitRepeats is for the log of an engine: it hands on one record of each message in a while,
// unless it is an error.
func LimitRepeats(h slog.Handler) slog.Handler {
	return repeatLimiter{h, &loggedMessages{last: map[string]time.Time{}}}
}

func (s repeatLimiter) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelError && s.said.lately(r.Message, r.Time) {
		return nil
	}
	return s.Handler.Handle(ctx, r)
}

func (s *loggedMessages) lately(message string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last, is := s.last[message]; is && now.Sub(last) < while {
		return true
	}
	s.last[message] = now
	return false
}

func (s repeatLimiter) WithAttrs(attrs []slog.Attr) slog.Handler {
	return repeatLimiter{s.Handler.WithAttrs(attrs), s.said}
}

func (s repeatLimiter) WithGroup(name string) slog.Handler {
	return repeatLimiter{s.Handler.WithGroup(name), s.said}
}
