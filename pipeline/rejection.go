package pipeline

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Rejection says why one item was dropped. As an error returned by a Map it
// quarantines the input; the build goes on and the record counts counts it.
type Rejection struct {
	// ID of the lost item.
	ID string `json:"id"`
	// Code is a stable word, Reason a sentence that says what to do about it.
	Code   string `json:"code"`
	Reason string `json:"reason"`
	// Flagged marks an item that was dropped by decision: by a gate, or by a
	// stage that keeps a set number of items. Flagged items do not count
	// towards max_loss.
	Flagged bool `json:"flagged,omitempty"`
	// Transient marks a loss that another attempt may not suffer (a time
	// limit). The result is not cached, so the next build tries again.
	Transient bool `json:"transient,omitempty"`
	// Waiting marks a transient loss to an answer that was asked for elsewhere and
	// is still to come: what would miss the item waits too.
	Waiting bool `json:"waiting,omitempty"`
}

// Reject returns a rejection without an id; the engine sets the input's.
func Reject(code, format string, args ...any) *Rejection {
	return &Rejection{Code: code, Reason: fmt.Sprintf(format, args...)}
}

func (r *Rejection) Error() string {
	if r.ID == "" {
		return r.Message()
	}
	return r.ID + ": " + r.Message()
}

// Message returns code and reason. The reason of a gate begins with the code already.
func (r *Rejection) Message() string {
	return r.Code + ": " + strings.TrimPrefix(r.Reason, r.Code+": ")
}

// WithSubject says which request a rejection concerns; other errors keep their chain.
func WithSubject(err error, format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	var r *Rejection
	if !errors.As(err, &r) {
		return fmt.Errorf("%s: %w", what, err)
	}
	told := *r
	told.Reason = what + ": " + r.Reason
	return &told
}

// IsTransient reports a rejection that another build may not meet, such as an
// answer that waits for a batch: it is worth asking the rest at once.
func IsTransient(err error) bool {
	var r *Rejection
	return errors.As(err, &r) && r.Transient
}

// FirstTransient returns what a record is lost to of which all parts were: the first of these
// losses that another build may not suffer, waiting if any of them waits. Nil where
// every one of them stays.
func FirstTransient(lost []*Rejection) *Rejection {
	i := slices.IndexFunc(lost, func(l *Rejection) bool { return l.Transient })
	if i < 0 {
		return nil
	}
	why := *lost[i]
	why.ID, why.Flagged = "", false
	why.Waiting = slices.ContainsFunc(lost, func(l *Rejection) bool { return l.Waiting })
	return &why
}

// ShortageError ends a build in which a stage has fewer items than its
// configuration asks for.
type ShortageError struct {
	// Short says, for each number asked for, what is missing.
	Short []string
}

func (e *ShortageError) Error() string {
	return fmt.Sprintf("%d numbers of items are not reached: %s; add input, lower the numbers, or let the stage go on with what there is", len(e.Short), strings.Join(e.Short, "; "))
}

// SettingError says that a plugin's setting does not fit what the plugin was
// given; only mending the configuration helps.
type SettingError struct {
	// Setting is the name the configuration has for it, Problem what does not fit
	// and how to mend it.
	Setting, Problem string
}

func (e *SettingError) Error() string { return e.Setting + " " + e.Problem }

// ReasonCode returns the stable word that gates put before the reason of a verdict.
func ReasonCode(reason string) string {
	code, _, ok := strings.Cut(reason, ": ")
	if !ok || code == "" || strings.ContainsAny(code, " \n") {
		return "other"
	}
	return code
}

// CheckRange says that a whole number of a configuration is not within its bounds, both
// ends included, by the name that its user knows it by. The first of several is given by
// cmp.Or.
func CheckRange(name string, n, least, most int) error {
	if n < least || n > most {
		return fmt.Errorf("%s is %d; want %d to %d", name, n, least, most)
	}
	return nil
}
