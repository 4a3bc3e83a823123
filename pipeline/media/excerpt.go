package media

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// excerpt is a stretch of a mezzanine's sound that snippets compare with.
type excerpt struct {
	track      *track
	from, long int64 // samples
	snippets   []*snippet
}

// snippets are the stretches of sound around boundaries, found once. Whole
// pictures keep both channels; a split screen has the mix of each side on its
// channel.
func (i *inspection) snippets() ([]*snippet, error) {
	if i.heard != nil {
		return i.heard, nil
	}
	tracks, err := tracksOf(i.soundPieces(), i.profile)
	if err != nil {
		return nil, err
	}
	for r, row := range i.composed.rows {
		channels := []int{0, 1}
		if i.composed.split() {
			channels = []int{r}
		}
		for n, p := range row {
			for _, e := range i.excerptsAround(n, p, channels) {
				i.heard = append(i.heard, e.snippets...)
				if p.normalised.HasAudio {
					e.track = tracks[p.normalised.Audio]
					i.excerpts = append(i.excerpts, e)
				}
			}
		}
	}
	return i.heard, nil
}

// soundPieces is what the recipe takes of each sound.
func (i *inspection) soundPieces() []SoundPiece {
	var list []SoundPiece
	for _, row := range i.composed.rows {
		for _, p := range row {
			s := SoundPiece{From: p.from, To: p.to}
			if p.normalised.HasAudio {
				s.Path = p.normalised.Audio
			}
			list = append(list, s)
		}
	}
	return list
}

// excerptsAround are the begin and the end of a piece. Where it is long enough, what
// may sound like both pieces that meet there is left out.
func (i *inspection) excerptsAround(n int, p piece, channels []int) []excerpt {
	per := i.profile.frameSamples()
	total, inset := (p.to-p.from)*per, int64(0)
	if total >= 6*smear {
		inset = smear
	}
	long := min(total-2*inset, heardFor)
	var list []excerpt
	for _, s := range []struct {
		what   string
		offset int64
	}{{"begin", inset}, {"end", total - inset - long}} {
		e := excerpt{from: p.from*per + s.offset, long: long}
		for _, c := range channels {
			e.snippets = append(e.snippets, &snippet{
				what: fmt.Sprintf("the %s of segment %d", s.what, n), at: p.at*per + s.offset, channel: c,
				source: make([]int16, long), heard: make([]int16, long+2*lagRange),
			})
		}
		list = append(list, e)
	}
	return list
}

// packets are those that must be decoded: the first one only primes.
func (e excerpt) packets() packetRange {
	return packetRange{e.track, e.from / aacFrame, packetsOf(e.from + e.long)}
}

// sourceSounds decodes what the snippets are compared with.
func (i *inspection) sourceSounds() ([]ffmpegPart, error) {
	if _, err := i.snippets(); err != nil || len(i.excerpts) == 0 {
		return nil, err
	}
	var encoded bytes.Buffer
	var takes []packetRange
	for _, e := range i.excerpts {
		takes = append(takes, e.packets())
	}
	if err := copyRanges(&encoded, takes); err != nil {
		return nil, err
	}
	return []ffmpegPart{{
		op:     "decode sources' sound",
		inputs: [][]string{{"-protocol_whitelist", "file,pipe", "-f", "aac", "-i", "pipe:0"}},
		output: func(first int) []string { return []string{"-map", fmt.Sprintf("%d:a:0", first), "-f", "s16le"} },
		stdin:  &encoded,
		read: func(r io.Reader) error {
			for _, e := range i.excerpts {
				if err := e.read(r, i.composed.split()); err != nil {
					return err
				}
			}
			return nil
		},
	}}, nil
}

// read takes what an excerpt's packets decode to.
func (e excerpt) read(r io.Reader, mix bool) error {
	p := e.packets()
	pcm := make([]byte, (p.to-p.from)*aacFrame*sampleBytes)
	if _, err := io.ReadFull(r, pcm); err != nil {
		return newMismatch("the source's sound does not decode: %v", err)
	}
	skip := aacFrame + e.from%aacFrame
	pcm = pcm[skip*sampleBytes:][:e.long*sampleBytes]
	for _, s := range e.snippets {
		s.source = channelOf(pcm, s.channel, mix)
	}
	return nil
}

// channelOf takes one channel out of PCM, or the mono mix of both.
func channelOf(pcm []byte, channel int, mix bool) []int16 {
	out := make([]int16, len(pcm)/sampleBytes)
	for i := range out {
		s := [sampleBytes]byte(pcm[i*sampleBytes:])
		l, r := int16(binary.LittleEndian.Uint16(s[:2])), int16(binary.LittleEndian.Uint16(s[2:]))
		switch {
		case mix:
			out[i] = int16((int32(l) + int32(r)) / 2)
		case channel == 0:
			out[i] = l
		default:
			out[i] = r
		}
	}
	return out
}
