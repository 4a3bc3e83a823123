package schemas

import (
	"fmt"
	"strconv"
	"strings"
)

// Ids of what belongs to a task are the task's id and a path of numbers after it,
// zero-padded so that they sort as they count: t/S03, t/S03/T007, t/S03/P002, t/C01.
// A task's own id is derived from its content, so these are too: a plugin that writes the
// same task again writes the same ids.

// SessionIDOf returns the id of the session of an order, from 0, in a task.
func SessionIDOf(task string, order int) string { return numberedID(task, 'S', 2, order) }

// TurnIDOf returns the id of the turn of an order, from 1, in a session.
func TurnIDOf(session string, order int) string { return numberedID(session, 'T', 3, order) }

// PointIDOf returns the id of the n-th memory point, from 1, of a session.
func PointIDOf(session string, n int) string { return numberedID(session, 'P', 3, n) }

// AttachmentIDOf returns the id of the n-th picture, from 1, of a session.
func AttachmentIDOf(session string, n int) string { return numberedID(session, 'I', 2, n) }

// CheckpointIDOf returns the id of the checkpoint of an order, from 0, in a task.
func CheckpointIDOf(task string, order int) string { return numberedID(task, 'C', 2, order) }

// numberedID pads n to a width. A longer number gets a lower-case letter for its
// further digits, so that it sorts behind all shorter ones: S99, Sa100, Sb1000.
func numberedID(parent string, kind byte, width, n int) string {
	digits := strconv.Itoa(n)
	if more := len(digits) - width; more > 0 {
		return fmt.Sprintf("%s/%c%c%s", parent, kind, 'a'+more-1, digits)
	}
	return parent + "/" + string(kind) + strings.Repeat("0", width-len(digits)) + digits
}
