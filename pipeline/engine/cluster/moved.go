package cluster

import "errors"

// ErrMoved is the cause with which the context of a driver ends when the build goes on
// elsewhere: its worker ends, or another one drives. Parcels that are on their way are
// left there, for the next driver waits for them. They are given up when a context ends
// for any other cause.
var ErrMoved = errors.New("another worker drives the build on")
