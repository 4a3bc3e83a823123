//go:build temporal || river

package cli

import "time"

// drainTime bounds the batches that a worker has at work when it is told to end: the
// usual run.grace, in which models answer, and some seconds.
const drainTime = 25 * time.Second
