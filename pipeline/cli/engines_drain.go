//go:build temporal || river

package cli

import "time"

// drain is how long parcels may go on that a worker has at work when it is told to end:
// the usual run.grace, in which models answer what they were asked, and some seconds.
const drain = 25 * time.Second
