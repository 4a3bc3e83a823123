package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
)

// unspaced are scripts that are written without blanks between words. Each of their characters
// is indexed as a word, and a run of them is searched as a phrase: so any part of a run is found.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

// spaceOut puts blanks around characters of unspaced scripts. NUL would end a text of the index.
func spaceOut(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == 0 || r > unicode.MaxLatin1 }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == 0:
			b.WriteByte(' ')
		case r > 0xe00 && unicode.In(r, unspaced...):
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// term is what a search asks for: a phrase of words, the last of which may be a beginning.
type term struct {
	words  string
	prefix bool
}

// parseText splits a search into terms.
func parseText(text string) []term {
	var out []term
	add := func(words string, prefix bool) {
		if strings.ContainsFunc(words, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.In(r, unicode.Co) }) {
			out = append(out, term{spaceOut(words), prefix})
		}
	}
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 {
			add(part, false)
			continue
		}
		for _, word := range strings.Fields(part) {
			bare := strings.TrimSuffix(word, "*")
			add(bare, bare != word)
		}
	}
	return out
}

// match returns the expression of FTS5 for all of the terms, in the column of texts. All that
// users write is quoted.
func match(terms []term) string {
	var parts []string
	for _, t := range terms {
		part := columnText + ` : "` + strings.ReplaceAll(t.words, `"`, `""`) + `"`
		if t.prefix {
			part += " *"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " AND ")
}

// keyToken returns the word that stands in the index for a value of a field.
func keyToken(field, value string) string {
	sum := sha256.Sum256([]byte(field + "\x00" + value))
	return "k" + hex.EncodeToString(sum[:8])
}

// Columns of the full-text table.
const (
	columnText = "said"
	columnKeys = "keys"
)
