package draw

import (
	"image"
)

// Mark says where something was drawn. Marks are in the order of painting, so a
// later one may lie over an earlier one.
type Mark struct {
	// Kind is text, or what the caller began; Name and Value are the caller's.
	Kind  string `json:"kind"`
	Name  string `json:"name,omitempty"`
	Value string `json:"value,omitempty"`
	// Parent is the place in the list of the mark that this one is part of, -1
	// where there is none.
	Parent int `json:"parent"`
	// Box holds the pixels that were touched, within the picture: left, top,
	// right and bottom, the latter two exclusive.
	Box [4]int `json:"box"`
	// Of a text: the text as written, its font, size in 1/64 pixel, colour, and
	// where its baseline begins, in 1/64 pixel. Cut says that part of it lies
	// outside.
	Text  string  `json:"text,omitempty"`
	Font  string  `json:"font,omitempty"`
	Size  Unit    `json:"size,omitempty"`
	Color string  `json:"color,omitempty"`
	At    [2]Unit `json:"at,omitzero"`
	Cut   bool    `json:"cut,omitempty"`
}

// Bounds is the mark's box.
func (m Mark) Bounds() image.Rectangle { return image.Rect(m.Box[0], m.Box[1], m.Box[2], m.Box[3]) }

// Marks are what was drawn so far.
func (c *Canvas) Marks() []Mark { return c.marks }

// Object marks what draw draws as one thing of a kind; things may have parts. Its
// box is that of all that was painted, shadows aside.
func (c *Canvas) Object(kind, name, value string, draw func()) {
	c.addMark(Mark{Kind: kind, Name: name, Value: value}, image.Rectangle{})
	c.open = append(c.open, len(c.marks)-1)
	draw()
	c.open = c.open[:len(c.open)-1]
}

func (c *Canvas) addMark(m Mark, box image.Rectangle) {
	m.Parent = -1
	if n := len(c.open); n > 0 {
		m.Parent = c.open[n-1]
	}
	m.Box = [4]int{box.Min.X, box.Min.Y, box.Max.X, box.Max.Y}
	c.marks = append(c.marks, m)
	c.extendMarks(box)
}

// extendMarks makes the boxes of all things that are being drawn hold a part.
func (c *Canvas) extendMarks(part image.Rectangle) {
	for _, i := range c.open {
		b := c.marks[i].Bounds().Union(part)
		c.marks[i].Box = [4]int{b.Min.X, b.Min.Y, b.Max.X, b.Max.Y}
	}
}
