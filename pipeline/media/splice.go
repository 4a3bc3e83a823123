package media

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// SoundPiece is what is heard of a mezzanine during its frames [From, To). Path is
// the mezzanine's Audio, or empty for silence.
type SoundPiece struct {
	Path     string
	From, To int64
}

// JoinSound writes the sound of a mezzanine that shows pieces one after the
// other at a rate, by copying packets, and returns its path under dir. What is
// heard of a piece is at most half a packet (10.7 ms) off its picture; it may
// begin and end a packet too early or too late, for packets are copied whole.
func JoinSound(pieces []SoundPiece, fps int32, dir string) (string, error) {
	p := DefaultProfile()
	p.FPS = fps
	if err := p.Check(); err != nil {
		return "", fmt.Errorf("join sound: %w", err)
	}
	w, err := newWork(dir)
	if err != nil {
		return "", fmt.Errorf("join sound: %w", err)
	}
	defer w.remove()
	if err := splice(w.path("sound.aac"), pieces, p); err != nil {
		return "", fmt.Errorf("join sound: %w", err)
	}
	path, err := w.publish("sound.aac")
	if err != nil {
		return "", fmt.Errorf("join sound: %w", err)
	}
	return path, nil
}

// packetRange is packets [from, to) of a track; those it does not have, and all of no
// track, are silence.
type packetRange struct {
	track    *track
	from, to int64
}

// packetRanges says which packets make up the sound of pieces. Each packet of the
// output is that of its source which is nearest in time: what lies between them
// is found anew for each piece from its absolute place, so it never adds up.
//
// A packet belongs to the piece that plays in its middle. Where two pieces
// meet, one packet is decoded over what is left of the other piece's last: it
// sounds like both, fading, for 21 ms.
func packetRanges(pieces []SoundPiece, tracks map[string]*track, p Profile) []packetRange {
	per := p.frameSamples()
	total := int64(0)
	for _, s := range pieces {
		total += (s.To - s.From) * per
	}
	all := packetsOf(total) - 1
	var list []packetRange
	at, next := int64(0), int64(0)
	for i, s := range pieces {
		end := at + (s.To-s.From)*per
		last := (end + aacFrame/2 - 1) / aacFrame
		if i == len(pieces)-1 {
			last = all
		}
		if last > next {
			// The source's sample that is heard at the first packet's begin.
			x := s.From*per + next*aacFrame - at
			first := (x+aacFrame/2)/aacFrame + 1
			list = append(list, packetRange{tracks[s.Path], first, first + last - next})
			next = last
		}
		at = end
	}
	list[0].from-- // primes the decoder
	return list
}

// splice writes the packets of pieces to a file.
func splice(path string, pieces []SoundPiece, p Profile) (err error) {
	tracks, err := tracksOf(pieces, p)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return copyRanges(f, packetRanges(pieces, tracks, p))
}

// tracksOf reads each distinct sound once. The empty path has none.
func tracksOf(pieces []SoundPiece, p Profile) (map[string]*track, error) {
	if len(pieces) == 0 {
		return nil, errors.New("no pieces given")
	}
	tracks := map[string]*track{"": nil}
	for i, s := range pieces {
		if s.From < 0 || s.To <= s.From {
			return nil, fmt.Errorf("piece %d: frames %d to %d: a piece has at least one frame", i, s.From, s.To)
		}
		t, ok := tracks[s.Path]
		if !ok {
			var err error
			if t, err = readTrack(s.Path); err != nil {
				return nil, fmt.Errorf("sound of piece %d: %w", i, err)
			}
			tracks[s.Path] = t
		}
		if need := packetsOf(s.To * p.frameSamples()); t != nil && t.packets() < need {
			return nil, newMismatch("sound of piece %d: %d packets, %d frames need %d", i, t.packets(), s.To, need)
		}
	}
	return tracks, nil
}

func copyRanges(w io.Writer, list []packetRange) error {
	out := bufio.NewWriterSize(w, 1<<16)
	for _, t := range list {
		if err := t.copy(out); err != nil {
			return err
		}
	}
	return out.Flush()
}

func (t packetRange) copy(w io.Writer) error {
	if t.track == nil {
		return writeSilence(w, t.to-t.from)
	}
	f, err := os.Open(t.track.path)
	if err != nil {
		return err
	}
	defer f.Close()
	end := min(t.to, t.track.packets())
	if t.from < end {
		at, n := t.track.at[t.from], t.track.at[end]-t.track.at[t.from]
		if _, err := io.Copy(w, io.NewSectionReader(f, at, n)); err != nil {
			return fmt.Errorf("copy sound: %w", err)
		}
	}
	return writeSilence(w, t.to-max(t.from, end))
}
