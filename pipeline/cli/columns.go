package cli

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// columns writes lines of cells parted by tabs in columns, the first line as their heads. A
// column without a cell but "-" is left out, so that more tables fit a terminal.
type columns struct {
	bytes.Buffer
	out io.Writer
}

// Flush writes the table.
func (c *columns) Flush() error {
	var lines [][]string
	for line := range strings.Lines(c.String()) {
		lines = append(lines, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, cells := range lines {
		var kept []string
		for i, cell := range cells {
			if len(lines) == 1 || slices.ContainsFunc(lines[1:], func(l []string) bool { return i < len(l) && l[i] != "" && l[i] != "-" }) {
				kept = append(kept, cell)
			}
		}
		if _, err := io.WriteString(w, strings.Join(kept, "\t")+"\n"); err != nil {
			return err
		}
	}
	return w.Flush()
}
