package audit

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// checkMedia compares the rows of media with their files, and returns what the files
// that could be read hold. Files in other formats are counted.
func checkMedia(ctx context.Context, c release.Contents) (Part, map[string]media.Facts, error) {
	var f findings
	absent := 0
	read := map[string]media.Facts{}
	for _, m := range c.Media {
		if err := ctx.Err(); err != nil {
			return Part{}, nil, err
		}
		if c.Files[m.MediaID] == "" {
			absent++
			continue
		}
		var facts media.Facts
		err := c.ReadMedium(ctx, m.MediaID, func(f *os.File) (err error) {
			facts, err = media.ReadFileFacts(f)
			return err
		})
		if errors.Is(err, media.ErrUnread) {
			if why := typeProblem(m, facts, err); why != "" {
				f.add("%s: %s", m.MediaID, why)
			}
			continue
		}
		if err != nil {
			return Part{}, nil, fmt.Errorf("medium %s: %w", m.MediaID, err)
		}
		read[m.MediaID] = facts
		for _, why := range fileDifferences(m, facts) {
			f.add("%s: %s", m.MediaID, why)
		}
	}
	p := part("media files", f)
	p.Checked, p.Unchecked = len(read), len(c.Media)-len(read)
	if n := p.Unchecked - absent; n > 0 {
		p.Why = fmt.Sprintf("%d files are not read without ffmpeg", n)
	}
	if absent > 0 {
		p.Why = strings.TrimPrefix(fmt.Sprintf("%s; %d are referenced, not shipped: memforge hydrate makes them", p.Why, absent), "; ")
	}
	return p, read, nil
}

// typeProblem says why a file that is not read cannot be what its row says.
func typeProblem(m schemas.Media, f media.Facts, err error) string {
	switch {
	case errors.Is(err, media.ErrDamaged):
		return fmt.Sprintf("its row says %s, and %v", m.Mime, err)
	case f.Mime == "":
		return fmt.Sprintf("its row says %s, and its first bytes are those of no picture or video of a release", m.Mime)
	case f.Mime != m.Mime && (f.Mime != "video/x-matroska" || m.Mime != "video/webm"):
		return fmt.Sprintf("its row says %s, its first bytes say %s", m.Mime, f.Mime)
	}
	return ""
}

// second is the tolerance of a stated length, in seconds.
const second = 0.0005

// fileDifferences says where a row differs from its file.
func fileDifferences(m schemas.Media, f media.Facts) (why findings) {
	say := func(what string, states, holds any) {
		if states != holds {
			why.add("%s is %v, the file has %v", what, states, holds)
		}
	}
	say("kind", m.Kind, f.Kind)
	say("mime", m.Mime, f.Mime)
	say("width", m.Width, f.Width)
	say("height", m.Height, f.Height)
	say("frames", m.Frames, f.Frames)
	say("has_audio", m.HasAudio, f.HasAudio)
	if math.Abs(m.Duration-f.Duration) > second {
		say("duration", m.Duration, f.Duration)
	}
	if f.FPS > 0 || m.Kind != "video" {
		say("fps", m.FPS, f.FPS)
	}
	if f.Broken != "" {
		why.add("it cannot be played: %s", f.Broken)
	}
	if err := f.CheckRecipe(m.Recipe); err != nil {
		why.add("recipe: %v", err)
	}
	return why
}

// recipeCheck compares recipes with each other and with the packets of their videos: a
// source must be the same wherever it is named.
type recipeCheck struct {
	findings
	// of names what a source was made of.
	of map[string]sourceOrigin
	// sources by original and shape: a file is normalised once for one shape.
	sources map[originalShape]string
	// shown are the packets of each source by frame, 0 where none is known, from
	// videos that copy them.
	shown map[string][]uint64
	// runs are the first segments with a row of packets, by the row's digest.
	runs map[uint64]schemas.Segment
	// times counts how often frames of a source are shown.
	times map[string][]uint32
	// fetched are the sources of a fetched file, by its digest.
	fetched map[string][]string
}

type sourceOrigin struct{ original, sourceID, audio string }

// originalShape is an original shown at one size and rate.
type originalShape struct {
	original      string
	width, height int32
	fps           float64
}

// maxShown bounds the frame numbers of sources.
const maxShown = 1 << 24

// checkRecipes follows the order of the table, so that of two recipes that contradict
// each other the later is named.
func checkRecipes(c release.Contents, files map[string]media.Facts) Part {
	r := &recipeCheck{
		of: map[string]sourceOrigin{}, sources: map[originalShape]string{}, shown: map[string][]uint64{}, runs: map[uint64]schemas.Segment{},
		times: map[string][]uint32{}, fetched: map[string][]string{},
	}
	for _, s := range c.Sources {
		if s.SHA256 != "" {
			r.fetched[s.SHA256] = append(r.fetched[s.SHA256], s.ID)
		}
	}
	for _, m := range c.Media {
		copies := copiesPackets(m, files[m.MediaID])
		for n, s := range m.Recipe.Segments {
			r.checkSource(m, n, s)
			if copies {
				r.checkPackets(m, n, s, files[m.MediaID])
			}
		}
	}
	p := part("recipes", r.findings)
	encoded, alone := 0, 0
	for _, m := range c.Media {
		if !copiesPackets(m, files[m.MediaID]) {
			encoded += len(m.Recipe.Segments)
			continue
		}
		checked := r.countShared(m.Recipe)
		p.Checked += checked
		alone += len(m.Recipe.Segments) - checked
	}
	p.Unchecked = encoded + alone
	if p.Unchecked > 0 {
		p.Why = fmt.Sprintf("%d segments are encoded anew, which needs ffmpeg, and %d show frames that no other does", encoded, alone)
	}
	return p
}

// copiesPackets reports whether a video copies the packets of its sources, one for each
// frame of its segments. Fits reports more segments than that.
func copiesPackets(m schemas.Media, f media.Facts) bool {
	left := int64(len(f.Packets))
	for _, s := range m.Recipe.Segments {
		if s.From < 0 || s.To <= s.From || s.To > maxShown {
			return false
		}
		left -= s.To - s.From
	}
	return m.Recipe.Layout != schemas.LayoutSplit && f.Packets != nil && left >= 0
}

// countShared counts the segments all of whose frames another segment shows too.
func (r *recipeCheck) countShared(recipe schemas.Recipe) (n int) {
	for _, s := range recipe.Segments {
		if list := r.times[s.Source]; s.To <= int64(len(list)) && slices.Min(list[s.From:s.To]) > 1 {
			n++
		}
	}
	return n
}

// checkSource compares what a segment says of its source with what others say.
func (r *recipeCheck) checkSource(m schemas.Media, n int, s schemas.Segment) {
	is := sourceOrigin{s.Original, s.SourceID, s.Audio}
	if was, ok := r.of[s.Source]; !ok {
		r.of[s.Source] = is
	} else if was != is {
		r.add("%s, segment %d: source %s is of %+v here and of %+v elsewhere", m.MediaID, n, s.Source, is, was)
	}
	key := originalShape{s.Original, m.Width, m.Height, m.FPS}
	if m.Recipe.Layout == schemas.LayoutSplit {
		key.height *= 2
	}
	if was, ok := r.sources[key]; !ok {
		r.sources[key] = s.Source
	} else if was != s.Source {
		r.add("%s, segment %d: original %s is source %s here and %s elsewhere", m.MediaID, n, s.Original, s.Source, was)
	}
	if ids := r.fetched[s.Original]; len(ids) > 0 && !slices.Contains(ids, s.SourceID) {
		r.add("%s, segment %d: its original is of source %s by its digest, not of %q", m.MediaID, n, ids[0], s.SourceID)
	}
}

// checkPackets compares the packets of a segment with those of the same frames in other
// videos, and with those of other sources.
func (r *recipeCheck) checkPackets(m schemas.Media, n int, s schemas.Segment, f media.Facts) {
	length := s.To - s.From
	if s.At < 0 || s.At+length > int64(len(f.Packets)) {
		return // Fits has said so
	}
	list, times := r.shown[s.Source], r.times[s.Source]
	if missing := int(s.To) - len(list); missing > 0 {
		list, times = append(list, make([]uint64, missing)...), append(times, make([]uint32, missing)...)
	}
	run := uint64(14695981039346656037)
	for i := range length {
		is := packetHash(f.Packets[s.At+i])
		run = (run ^ is) * 1099511628211
		times[s.From+i]++
		if was := list[s.From+i]; was != 0 && was != is {
			r.add("%s, segment %d: frame %d of source %s is another picture than in another video", m.MediaID, n, s.From+i, s.Source)
			return
		}
		list[s.From+i] = is
	}
	r.shown[s.Source], r.times[s.Source] = list, times
	was, ok := r.runs[run]
	if ok && was.To-was.From == length && was.From == s.From && was.Source != s.Source {
		r.add("%s, segment %d: it shows the very packets that are of source %s elsewhere, not of %s", m.MediaID, n, was.Source, s.Source)
	}
	if !ok {
		r.runs[run] = s
	}
}

// packetHash returns the first bytes of a digest, never 0.
func packetHash(digest string) uint64 {
	b, err := hex.DecodeString(digest[:min(16, len(digest))])
	if err != nil || len(b) < 8 {
		return 1
	}
	return max(1, binary.BigEndian.Uint64(b))
}
