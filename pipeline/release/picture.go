package release

import (
	"encoding/base64"
	"html"
	"html/template"
	"strings"

	"github.com/memforge/memforge/pipeline/media/still"
)

// maxPixels bounds a picture of the gallery before it is decoded.
const maxPixels = 1 << 26

// pngSource begins the address of a picture that holds all of it.
const pngSource = "data:image/png;base64,"

// pictureSource is a picture as an address that holds all of it. Only bytes that
// are one PNG and nothing else become one, so that the address's type is true and
// nothing travels within or behind a picture.
func pictureSource(data []byte) (template.URL, error) {
	if err := still.Plain(data, maxPixels); err != nil {
		return "", err
	}
	return template.URL(pngSource + base64.StdEncoding.EncodeToString(data)), nil
}

// sourceIn is the picture's address in the text of an attribute, as pictureSource
// writes it; empty for what is no such address.
func sourceIn(attribute string) template.URL {
	text, found := strings.CutPrefix(html.UnescapeString(attribute), pngSource)
	data, err := base64.StdEncoding.DecodeString(text)
	if !found || err != nil {
		return ""
	}
	source, err := pictureSource(data)
	if err != nil {
		return ""
	}
	return source
}
