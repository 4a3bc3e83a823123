package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// How sound is compared around a boundary.
const (
	// heardFor is the length compared on each side, samples.
	heardFor = sampleRate / 2
	// lagRange is how far off it is looked for, samples: 0.1 s.
	lagRange = sampleRate / 10
	// thin is how many samples become one: lags are found to 1/8000 s.
	thin = 6
	// quiet is the effective value, of 32768, below which nothing is heard.
	quiet = 30
	// noisy is what encoding may leave where nothing should be heard.
	noisy = 300
	// smear is how far encoding spreads a sound, samples: two AAC frames.
	smear = 2 * aacFrame
	// faint is the effective value, behind thinning, below which encoding may
	// change a sound beyond recognition.
	faint = 100
	// likeness is the least correlation of a sound with its encoded self.
	likeness = 0.5
	// clearly is by how much a correlation must be higher to count as another.
	clearly = 0.1
)

// snippet is a stretch of sound whose source is known.
type snippet struct {
	what    string
	at      int64 // output sample
	source  []int16
	heard   []int16 // output from at-lagRange on, lagRange more on both ends
	channel int
}

// tolerance returns how far off sound may be, in samples: a frame of the
// picture, and at least an AAC frame, because packets are copied whole.
func tolerance(p Profile) int { return max(int(p.frameSamples()), aacFrame) }

// checkSounds compares the decoded sound with that of the sources on both sides
// of every boundary of a row.
func (i *inspection) checkSounds(ctx context.Context) error {
	if !i.composed.hasAudio() {
		i.report.addChecked("no source has sound, nor has the video")
		return nil
	}
	list, err := i.snippets()
	if err != nil {
		return err
	}
	if err := i.showStep(ctx, i.sourceSounds); err != nil {
		return err
	}
	if err := i.showStep(ctx, i.ownSoundParts); err != nil {
		return err
	}
	if want := i.composed.frames * i.profile.frameSamples(); i.samples < want-aacFrame || i.samples > want+aacFrame {
		return newMismatch("%d samples decode, want %d", i.samples, want)
	}
	compared, worst := 0, 0
	for _, s := range list {
		lag, known, err := s.findLag(tolerance(i.profile))
		if err != nil {
			return err
		}
		if known {
			compared++
		}
		worst = max(worst, lag, -lag)
	}
	i.report.addChecked("%d stretches of sound around boundaries: %d at most %.1f ms off, the rest silent or too faint to place", len(list), compared, float64(worst)*1000/sampleRate)
	return nil
}

// ownSoundParts decodes the sound of the video as a player would play it and
// keeps what the snippets ask for.
func (i *inspection) ownSoundParts() ([]ffmpegPart, error) {
	list, err := i.snippets()
	return []ffmpegPart{{
		op:     "decode sound",
		inputs: [][]string{{"-protocol_whitelist", "file,pipe", "-f", "mp4", "-i", "file:" + i.path}},
		output: func(first int) []string {
			return []string{"-map", fmt.Sprintf("%d:a:0", first), "-af", "aresample=async=1:first_pts=0", "-ar", fmt.Sprint(sampleRate), "-ac", "2", "-f", "s16le"}
		},
		read: func(r io.Reader) (err error) { i.samples, err = keepHeard(r, list); return err },
		hide: []string{i.path},
	}}, err
}

// keepHeard reads s16le stereo and copies what falls into the snippets. It
// returns the number of samples.
func keepHeard(r io.Reader, list []*snippet) (int64, error) {
	order := slices.Clone(list)
	slices.SortStableFunc(order, func(a, b *snippet) int { return int(a.at - b.at) })
	buf := make([]byte, 1<<16)
	var pos int64
	for {
		n, err := io.ReadFull(r, buf)
		block := buf[:n/sampleBytes*sampleBytes]
		end := pos + int64(len(block)/sampleBytes)
		for _, s := range order {
			if s.at-lagRange >= end {
				break
			}
			s.keep(block, pos)
		}
		pos = end
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return pos, nil
		}
		if err != nil {
			return pos, err
		}
	}
}

// keep copies the requested part of a block that begins at sample pos.
func (s *snippet) keep(block []byte, pos int64) {
	from := s.at - lagRange
	for k := max(from, pos); k < min(from+int64(len(s.heard)), pos+int64(len(block)/sampleBytes)); k++ {
		s.heard[k-from] = int16(binary.LittleEndian.Uint16(block[(k-pos)*sampleBytes+int64(2*s.channel):]))
	}
}

// findLag returns how much later than in the source the sound is heard, in
// samples; told is false when the source is silent, too faint or too short to
// say. Off by more than most samples is a mismatch.
func (s *snippet) findLag(most int) (lag int, known bool, err error) {
	if effectiveLevel(s.source) < quiet {
		own := s.heard[lagRange : len(s.heard)-lagRange]
		if len(own) > 3*smear && effectiveLevel(own[smear:len(own)-smear]) > noisy {
			return 0, false, newMismatch("sound at %s on channel %d, where the source is silent", s.what, s.channel)
		}
		return 0, false, nil
	}
	source, heard := thinSamples(s.source), thinSamples(s.heard)
	if len(s.source) < 2*smear || deviation(source) < faint {
		return 0, false, nil
	}
	best, near, bestAt, nearAt := -1.0, -1.0, 0, 0
	for at, c := range correlations(source, heard) {
		off := at*thin - lagRange
		if c > best {
			best, bestAt = c, off
		}
		if max(off, -off) <= most && c > near {
			near, nearAt = c, off
		}
	}
	switch {
	case best < likeness:
		return 0, false, newMismatch("the sound at %s on channel %d is not that of the source", s.what, s.channel)
	case best > near+clearly:
		return 0, false, newMismatch("the sound at %s on channel %d is %.1f ms off", s.what, s.channel, float64(bestAt)*1000/sampleRate)
	}
	return nearAt, true, nil
}

func effectiveLevel(pcm []int16) float64 {
	sum := 0.0
	for _, v := range pcm {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(max(1, len(pcm))))
}

func thinSamples(pcm []int16) []float64 {
	out := make([]float64, len(pcm)/thin)
	for i := range out {
		for _, v := range pcm[i*thin : (i+1)*thin] {
			out[i] += float64(v) / thin
		}
	}
	return out
}

func deviation(values []float64) float64 {
	var sum, squares float64
	for _, v := range values {
		sum, squares = sum+v, squares+v*v
	}
	n := float64(max(1, len(values)))
	return math.Sqrt(max(0, squares/n-sum/n*sum/n))
}

// correlations returns those of a sound with every stretch of its length of
// what was heard, by where the stretch begins; 0 where one of them is constant.
func correlations(source, heard []float64) []float64 {
	sums, squares := runningSums(heard)
	n := float64(len(source))
	sum := floats.Sum(source)
	spread := floats.Dot(source, source) - sum*sum/n
	out := make([]float64, max(0, len(heard)-len(source)+1))
	for at := range out {
		end := at + len(source)
		here := sums[end] - sums[at]
		around := squares[end] - squares[at] - here*here/n
		if spread > 0 && around > 0 {
			out[at] = (floats.Dot(source, heard[at:end]) - sum*here/n) / math.Sqrt(spread*around)
		}
	}
	return out
}

// runningSums returns the sums of the first 0, 1, ... values and of their
// squares.
func runningSums(values []float64) (sums, squares []float64) {
	sums, squares = make([]float64, len(values)+1), make([]float64, len(values)+1)
	for i, v := range values {
		sums[i+1], squares[i+1] = sums[i]+v, squares[i]+v*v
	}
	return sums, squares
}

// excerpt is a stretch of a normalised video's sound that snippets compare with.
type excerpt struct {
	track      *track
	from, long int64 // samples
	snippets   []*snippet
}

// snippets returns the stretches of sound around boundaries, found once. Whole
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

func (i *inspection) soundPieces() []SoundPiece {
	var list []SoundPiece
	for _, p := range slices.Concat(i.composed.rows...) {
		list = append(list, SoundPiece{p.sound(), p.from, p.to})
	}
	return list
}

// excerptsAround returns the begin and the end of a piece. Where it is long
// enough, what may sound like both pieces that meet there is left out.
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

// packets returns those that must be decoded: the first one only primes.
func (e excerpt) packets() packetRange {
	return packetRange{e.track, e.from / aacFrame, packetsOf(e.from + e.long)}
}

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

// channelOf returns one channel of PCM, or the mono mix of both.
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
