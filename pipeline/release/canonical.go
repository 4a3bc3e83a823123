package release

// canonical names the column of a value that the writer writes otherwise, see
// shape.Column; empty where there is none.
func (t table) canonical(r row) string {
	for j, c := range t.columns {
		if !c.Canonical(r[j]) || t.name == tableLabels && !wholeOrSpan(r) {
			return c.Name
		}
	}
	return ""
}

// wholeOrSpan reports whether a row of labels has both seconds, of which one is not
// 0, or none.
func wholeOrSpan(r row) bool {
	l := recordOf[labelRow](tableLabels, r)
	if l.From == nil || l.To == nil {
		return l.From == nil && l.To == nil
	}
	return *l.From != 0 || *l.To != 0
}
