package media

import (
	"errors"
	"fmt"
	"strings"
)

// Codes of an Unplayable. They are stable: funnels count them.
const (
	CodeEmpty        = "empty-file"
	CodeNotFile      = "not-a-file"
	CodeTooLarge     = "too-large"
	CodeNotMedia     = "not-media"
	CodeNoVideo      = "no-video"
	CodeNoFrames     = "no-frames"
	CodeTooFew       = "too-few-frames"
	CodeTruncated    = "truncated"
	CodeUndecodable  = "undecodable"
	CodeZeroDuration = "zero-duration"
	CodeTooLong      = "too-long"
	CodePixels       = "too-many-pixels"
	CodeSides        = "picture-size"
	CodeLatePicture  = "late-picture"
	CodeMixed        = "mixed-pictures"
	CodeHDR          = "hdr"
	CodeTimeout      = "timeout"
	CodeOutputSize   = "output-too-large"
)

// Unplayable says why a file is not a playable video. Code is one of the Code
// constants, Reason a sentence that is the same on every machine.
type Unplayable struct{ Code, Reason string }

func (u *Unplayable) Error() string { return u.Code + ": " + u.Reason }

func unplayable(code, format string, args ...any) *Unplayable {
	return &Unplayable{Code: code, Reason: fmt.Sprintf(format, args...)}
}

// hostErrors are messages that speak of the machine, not of the input.
// "Input/output error" is not among them: ffmpeg says it of cut Matroska too.
var hostErrors = []string{
	"No space left on device", "Disk quota exceeded", "Cannot allocate memory",
	"Permission denied", "Too many open files", "Read-only file system",
}

// blameSource turns a failed run over a source into an Unplayable, unless the
// machine is at fault: such an error must not be remembered against the video.
func blameSource(err error) error {
	var run *RunError
	if !errors.As(err, &run) {
		return err
	}
	if run.TimedOut {
		return unplayable(CodeTimeout, "%s: did not end in time; raise the timeout or leave the file out", run.Op)
	}
	if run.Exit < 0 || len(run.Messages) == 0 || hostFault(run.Messages) {
		return err
	}
	return unplayable(CodeUndecodable, "%s: %s", run.Op, run.Messages[0])
}

func hostFault(messages []string) bool {
	for _, m := range messages {
		for _, s := range hostErrors {
			if strings.Contains(m, s) {
				return true
			}
		}
	}
	return false
}

// mismatch is a judgement on a file's content: it is not what it should be.
// Errors about the machine or the call are never of this type.
type mismatch struct{ what string }

func (m *mismatch) Error() string { return m.what }

func newMismatch(format string, args ...any) error {
	return &mismatch{fmt.Sprintf(format, args...)}
}

// splitError splits an error: the fault of the file, in one sentence, or an
// error of the machine. Both are zero without an error.
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
