// Package pagestyle holds the style sheet that all pages share, those of a server and those that
// open from a file.
package pagestyle

import _ "embed"

// Sheet is the style sheet. It loads nothing.
//
//go:embed people.css
var Sheet string
