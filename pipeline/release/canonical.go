package release

import (
	"bytes"
	"fmt"
)

// canonical finds a value that the writer writes otherwise: a null for an empty
// text or 0, or one of these for a null. Records say the same of both, queries do
// not. Another order or number of labels is found as well.
func (t table) canonical(rows []row) error {
	for i, r := range rows {
		want := t.written(r)
		for j, c := range t.columns {
			if want != nil && !equal(r[j], want[j]) {
				return fmt.Errorf("row %d, column %s: the value is null or empty where memforge writes it otherwise", i+1, c.name)
			}
		}
	}
	return nil
}

// written is the row that the writer makes of what a row says, or nil if no record
// stands in the table.
func (t table) written(r row) row {
	c := cells{t, r}
	switch t.name {
	case tableQuestions:
		return questionRow(questionOf(c))
	case tableFlagged:
		return flaggedRow(flaggedOf(c))
	case tableTasks:
		return taskRow(taskOf(c))
	case tableMedia:
		return mediaRow(mediaOf(c), c.text("file_name"), pictureOf(c))
	case tableEvents:
		return eventRow(eventOf(c))
	case tableLabels:
		return labelRow(labelOfRow(c))
	case tableSources:
		return sourceRow(sourceOf(c))
	case tableVerdicts:
		return verdictRow(verdictOf(c))
	case tableProbes:
		return probeRow(probeOf(c))
	case tableRejections:
		return rejectionRow(rejectionOf(c))
	}
	return nil
}

// pictureOf is the picture in a row of table media, or nil.
func pictureOf(c cells) []byte {
	if image := c.list("image"); len(image) > 0 {
		picture, _ := image[0].([]byte)
		return picture
	}
	return nil
}

// firstOther is the number of the first line in which a text is not another.
func firstOther(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return 1 + bytes.Count(a[:n], []byte("\n"))
}
