package defects

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"regexp"
	"strconv"
)

// sighting is a parcel with the asked look, and what is known of where it is seen.
type sighting struct {
	parcel int
	// places are those that can be told: the side from the picture, the half from
	// the span and the setting.
	places []string
}

var (
	asksLook = regexp.MustCompile(`looks (\w+ \w+):`)
	fromTo   = regexp.MustCompile(`from ([0-9.]+) s to ([0-9.]+) s`)
	halfAt   = regexp.MustCompile(`second half begins at ([0-9.]+) s`)
)

// SolveStream answers a question about a stream as far as what is shown
// suffices. What it sees nowhere it takes to occur nowhere.
func SolveStream(s Shown) (string, error) {
	found, err := s.look()
	if err != nil {
		return "", err
	}
	for _, o := range s.Options {
		if fits(o.Text, found) || o.Text == neither && len(found) == 0 && len(s.Pictures) > 0 {
			return o.Letter, nil
		}
	}
	return Unknown, nil
}

// StreamSupported reports whether what is shown establishes the proposed answer:
// that something is seen nowhere is proved by nothing.
func StreamSupported(s Shown) (bool, error) {
	found, err := s.look()
	return err == nil && fits(s.Proposed, found), err
}

// StreamContradicted reports whether something shown contradicts the proposed
// answer.
func StreamContradicted(s Shown) (bool, error) {
	found, err := s.look()
	return err == nil && len(found) > 0 && !fits(s.Proposed, found), err
}

// fits reports whether an answer follows from what is seen.
func fits(text string, found []sighting) bool {
	for _, f := range found {
		for _, p := range f.places {
			if text == fmt.Sprintf("parcel %d, %s", f.parcel, p) {
				return true
			}
		}
	}
	return len(found) > 0 && text == fmt.Sprintf("only parcel %d", found[0].parcel)
}

// look goes through all pictures for the look that is asked about.
func (s Shown) look() ([]sighting, error) {
	asked := asksLook.FindStringSubmatch(s.Question)
	if asked == nil {
		return nil, fmt.Errorf("%q asks for no look", s.Question)
	}
	var out []sighting
	for _, p := range s.Passages {
		if p.Rest {
			continue
		}
		for _, n := range p.Pictures {
			if n < 1 || n > len(s.Pictures) {
				return nil, fmt.Errorf("a passage has picture %d and %d were sent", n, len(s.Pictures))
			}
			looks, err := readWide(s.Pictures[n-1])
			if err != nil {
				return nil, err
			}
			for side, l := range looks {
				if words(l) != asked[1] {
					continue
				}
				f := sighting{parcel: l.Parcel, places: s.half(p.Span)}
				if len(looks) == 2 {
					f.places = append(f.places, []string{onLeft, onRight}[side])
				}
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// half is the half of the whole that a span is in, if span and setting say so.
func (s Shown) half(span string) []string {
	at, half := fromTo.FindStringSubmatch(span), halfAt.FindStringSubmatch(s.Setting)
	if at == nil || half == nil {
		return nil
	}
	end, _ := strconv.ParseFloat(at[2], 64)
	middle, _ := strconv.ParseFloat(half[1], 64)
	if end <= middle+0.01 {
		return []string{inFirst}
	}
	return []string{inSecond}
}

// readWide reads a picture of one look, or of two next to each other.
func readWide(data []byte) ([]Look, error) {
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read a picture: %w", err)
	}
	b := img.Bounds()
	n := max(1, b.Dx()*Height/(b.Dy()*Width))
	var out []Look
	for i := range n {
		part := image.NewRGBA(image.Rect(0, 0, b.Dx()/n, b.Dy()))
		draw.Draw(part, part.Bounds(), img, image.Pt(b.Min.X+i*b.Dx()/n, b.Min.Y), draw.Src)
		var buf bytes.Buffer
		if err := jpeg.Encode(&buf, part, &jpeg.Options{Quality: 95}); err != nil {
			return nil, fmt.Errorf("cut a picture: %w", err)
		}
		l, err := readPicture(buf.Bytes())
		if errors.Is(err, errBlurred) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}
