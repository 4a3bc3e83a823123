package media

import "slices"

// How hard cuts are found: pictures are shrunk to cutWidth x cutHeight, which
// leaves noise and small movement out, and compared. The mean change over all
// colours, of 255, is below 10 between neighbouring pictures of handheld and
// tabletop footage and reaches 17 where a car fills a still camera's view;
// changes of scene measure 19 and more in nine of ten. Hence three conditions:
// the change is cutLevel at least, stands out cutContrast times from what
// moves around it, and lasts, so that a flash is none. Cuts between views that
// look alike, and fades, are not found.
const (
	cutWidth, cutHeight = 32, 18
	cutBytes            = cutWidth * cutHeight * 3
	cutLevel            = 10.0
	cutContrast         = 2.0
	// cutAround is how many changes before and after are compared.
	cutAround = 8
	// cutLasts is how many pictures before and after must differ as well; a
	// flash is shorter.
	cutLasts = 3
)

// cutFilter shrinks pictures for a cutFinder.
const cutFilter = "scale=32:18:flags=area+accurate_rnd+bitexact,format=rgb24"

// cutOutput writes them to descriptor 3, every one: a raw stream would refuse
// times that do not ascend, so they are dropped.
var cutOutput = []string{"-fps_mode", "drop", "-f", "rawvideo", "pipe:3"}

// cutFinder reads shrunk pictures as they come and remembers changes.
type cutFinder struct {
	half     []byte   // of the picture that comes
	recent   [][]byte // the last pictures, at most 2*cutLasts+2
	pictures int
	changes  []float32 // change i is between pictures i and i+1
	lasting  []int     // pictures that differ from those before for some time
}

// Write implements io.Writer; pictures may come in any portions.
func (c *cutFinder) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		if c.half == nil {
			c.half = c.blank()
		}
		n := min(len(rest), cutBytes-len(c.half))
		c.half, rest = append(c.half, rest[:n]...), rest[n:]
		if len(c.half) == cutBytes {
			c.add(c.half)
			c.half = nil
		}
	}
	return len(b), nil
}

// blank returns room for a picture, that of one no longer needed if there is.
func (c *cutFinder) blank() []byte {
	if len(c.recent) < 2*cutLasts+2 {
		return make([]byte, 0, cutBytes)
	}
	oldest := c.recent[0]
	c.recent = slices.Delete(c.recent, 0, 1)
	return oldest[:0]
}

func (c *cutFinder) add(picture []byte) {
	if n := len(c.recent); n > 0 {
		c.changes = append(c.changes, float32(distance(c.recent[n-1], picture)))
	}
	c.recent = append(c.recent, picture)
	c.pictures++
	c.judgeChange(len(c.recent) - 1 - cutLasts)
}

// judgeChange decides whether the change at a place in recent lasts.
func (c *cutFinder) judgeChange(n int) {
	if n < 1 {
		return
	}
	picture := len(c.changes) - (len(c.recent) - 1 - n) // number of recent[n]
	change := float64(c.changes[picture-1])
	if change < cutLevel || slices.Contains(c.lasting, picture) {
		return
	}
	for _, later := range c.recent[n+1 : min(len(c.recent), n+1+cutLasts)] {
		if distance(c.recent[n-1], later) < change/2 {
			return
		}
	}
	for _, earlier := range c.recent[max(0, n-1-cutLasts) : n-1] {
		if distance(earlier, c.recent[n]) < change/2 {
			return
		}
	}
	c.lasting = append(c.lasting, picture)
}

// cuts are the numbers of the pictures that follow a hard cut, sorted. It is
// called once, when all pictures have come.
func (c *cutFinder) cuts() []int {
	// The last pictures have fewer behind them.
	for n := len(c.recent) - cutLasts; n < len(c.recent); n++ {
		c.judgeChange(n)
	}
	var list []int
	for _, n := range c.lasting {
		at := n - 1
		around := slices.Clone(c.changes[max(0, at-cutAround):at])
		around = append(around, c.changes[at+1:min(len(c.changes), at+1+cutAround)]...)
		slices.Sort(around)
		// The largest may be that of another cut.
		usual := float32(0)
		if len(around) > 1 {
			usual = around[len(around)-2]
		}
		if c.changes[at] >= cutContrast*usual {
			list = append(list, n)
		}
	}
	return list
}
