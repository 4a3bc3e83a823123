package basetalk

// Aside writes turns of a sentence each, about as long as what is said around a
// picture: they stand where one could, after who spoke last.
func (v *Voice) Aside(turns int, last string) ([]Line, error) {
	out := make([]Line, 0, turns)
	for i := range turns {
		l, err := v.briefTurn(last, i+1 < turns)
		if err != nil {
			return nil, err
		}
		out, last = append(out, Line{Speaker: l.Speaker, Text: l.Text}), l.Speaker
	}
	return out, nil
}

// briefTurn is the shortest of three turns of a sentence: what stands around a piece is shorter
// than what is said elsewhere.
func (v *Voice) briefTurn(last string, may bool) (out Line, err error) {
	before, after := v.asked, v.asked
	for i := range 3 {
		v.asked = before
		l, err := v.nextTurn(false, last, may, 1)
		if err != nil {
			return out, err
		}
		if i == 0 || len(l.Text) < len(out.Text) {
			out, after = l, v.asked
		}
	}
	v.asked = after
	return out, nil
}
