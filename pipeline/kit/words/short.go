package words

import "strings"

// Short is a text of at most so many characters, or as many of it and "...".
func Short(text string, most int) string {
	n := 0
	for at := range text {
		if n++; n > most {
			return text[:at] + "..."
		}
	}
	return text
}

// ShortBytes is Short with a bound in bytes, which keeps no part of a character.
func ShortBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
