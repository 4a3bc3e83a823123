package media

import (
	"errors"
	"fmt"
)

// mismatch is a judgement on a file's content: it is not what it should be.
// Errors about the machine or the call are never of this type.
type mismatch struct{ what string }

func (m *mismatch) Error() string { return m.what }

func newMismatch(format string, args ...any) error {
	return &mismatch{fmt.Sprintf(format, args...)}
}

// splitError splits an error: what is held against the file, in one sentence, or
// an error of the machine. Both are zero without an error.
func splitError(err error) (problem string, trouble error) {
	if err == nil {
		return "", nil
	}
	err = blameSource(err)
	var wrong *mismatch
	var u *Unplayable
	switch {
	case errors.As(err, &u) && u.Code == CodeTimeout:
		return "", err
	case errors.As(err, &wrong), errors.As(err, &u):
		return err.Error(), nil
	}
	return "", err
}
