package annotation

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Limits of one subtitle file.
const (
	MaxSubtitleBytes = 8 << 20
	maxCues          = 50_000
	maxCueText       = 4096
)

// markup is what players take for formatting: <i>, {\an8}.
var markup = regexp.MustCompile(`<[^<>]{0,200}>|\{\\[^{}]{0,200}\}`)

// ParseSubtitles reads SubRip text: cues of a number, a line "start --> end"
// and lines of text. Numbers may be absent. The cues come back in order of
// start without markup and without those that say nothing. bad counts cues
// whose times make no sense; a file of which nothing can be used is an error.
func ParseSubtitles(b []byte) (cues []schemas.Caption, bad int, err error) {
	if len(b) > MaxSubtitleBytes {
		return nil, 0, fmt.Errorf("subtitles: %d bytes, more than %d", len(b), MaxSubtitleBytes)
	}
	if b, err = Prepare(b); err != nil {
		return nil, 0, fmt.Errorf("subtitles: %w", err)
	}
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(string(b), "\r\n", "\n"), "\r", "\n"), "\n")
	for i, line := range lines {
		if !strings.Contains(line, "-->") {
			continue
		}
		cue, err := cueAt(lines, i)
		if err != nil || len(cues) >= maxCues {
			bad++
		} else if cue.Text != "" {
			cues = append(cues, cue)
		}
	}
	if len(cues) == 0 {
		return nil, bad, errors.New("subtitles: no cue can be used; want SubRip (\"00:00:01,000 --> 00:00:02,500\" above each text)")
	}
	slices.SortStableFunc(cues, func(a, b schemas.Caption) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return cues, bad, nil
}

// cueAt reads the cue whose times stand on line i.
func cueAt(lines []string, i int) (schemas.Caption, error) {
	from, to, _ := strings.Cut(lines[i], "-->")
	to = strings.TrimSpace(to)
	if fields := strings.Fields(to); len(fields) > 0 {
		to = fields[0] // coordinates may follow
	}
	start, err1 := ParseClock(from)
	end, err2 := ParseClock(to)
	if err := errors.Join(err1, err2); err != nil {
		return schemas.Caption{}, err
	}
	if end < start {
		return schemas.Caption{}, errors.New("a cue ends before it begins")
	}
	var said []string
	size := 0
	for j := i + 1; j < len(lines); j++ {
		text := strings.TrimSpace(lines[j])
		if text == "" || j+1 < len(lines) && digits(text) && strings.Contains(lines[j+1], "-->") || strings.Contains(text, "-->") {
			break
		}
		if size += len(text); size > maxCueText {
			return schemas.Caption{}, fmt.Errorf("a cue of more than %d bytes", maxCueText)
		}
		said = append(said, text)
	}
	return schemas.Caption{Start: start, End: end, Text: plainText(strings.Join(said, " "))}, nil
}

func plainText(s string) string {
	s = html.UnescapeString(markup.ReplaceAllString(s, ""))
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\ufeff' {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}
