package words

import "strings"

// Shorten is a text of at most so many characters, or as many of it and "...".
func Shorten(text string, most int) string {
	n := 0
	for at := range text {
		if n++; n > most {
			return text[:at] + "..."
		}
	}
	return text
}

// ShortenBytes is Short with a bound in bytes, which keeps no part of a character.
func ShortenBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
