//go:build temporal || river

package cli

import "time"

// drainTime is how long parcels may go on that a worker has at work when it is told to end:
// the usual run.grace, in which models answer what they were asked, and some seconds.
const drainTime = 25 * time.Second
