package simulate

import (
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// inDocument draws whether a piece that a document can hold stands in one.
func (s *simulator) inDocument() bool { return s.rnd.Float64() < s.size.Documents }

// pictureHome is where a picture is at home: in a source of its own or in a chat.
func (s *simulator) pictureHome() string {
	if s.rnd.Float64() < s.size.Images {
		return HomeImage
	}
	return HomeChat
}

// documentUnit is a piece that stands in a document or is said in a chat.
func (s *simulator) documentUnit(role, text string) Unit {
	u := Unit{Home: HomeChat, Role: role, Text: text}
	if s.inDocument() {
		u.Home = HomeDocument
	}
	return u
}

// factUnit is a fact that stands in a document or is said in a chat, each in its own words.
func (s *simulator) factUnit(role, of, attribute, value string) Unit {
	u := s.documentUnit(role, "")
	if u.Text = s.sayFact(of, attribute, value); u.Home == HomeDocument {
		u.Text = s.writeFact(of, attribute, value)
	}
	return u
}

// asPage shows a unit of a document as a picture, now and then: as one paragraph of a page,
// whose others tell the like of other things. Another gives one of them.
func (s *simulator) asPage(u Unit, another func() string) Unit {
	if u.Home != HomeDocument || s.rnd.Float64() >= s.size.Pages {
		return u
	}
	rows := [][]string{{u.Text}, {another()}, {another()}, {another()}}
	s.rnd.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	u.Text = ""
	u.Picture = &Picture{Kind: Page, Title: s.pickName([]string{"Handbook", "Papers", "Notices", "Guide", "Register", "Almanac"}), Columns: []string{"paragraph"}, Rows: rows}
	u.Title = u.Picture.Title
	return u
}

// term is a word that a definition gives a meaning.
func (s *simulator) term() string {
	return s.stem() + "-" + weights.Pick(s.rnd, termEnds())
}

// termEnds are how terms end.
func termEnds() []string { return []string{"listed", "grade", "rated", "band", "class"} }
