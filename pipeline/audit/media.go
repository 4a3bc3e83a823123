package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// checkMedia holds the rows of media against their files, and returns what the
// files that could be read hold. Files in other formats are counted.
func checkMedia(ctx context.Context, c release.Contents) (Part, map[string]media.Facts, error) {
	var f findings
	read := map[string]media.Facts{}
	for _, m := range c.Media {
		if err := ctx.Err(); err != nil {
			return Part{}, nil, err
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
	if p.Unchecked > 0 {
		p.Why = fmt.Sprintf("%d files are not read without ffmpeg", p.Unchecked)
	}
	return p, read, nil
}

// typeProblem says where a file that is not read can be nothing that its row says.
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

// second is how far a stated length may lie beside that of the file, seconds.
const second = 0.0005

// fileDifferences says where a row is not what its file holds.
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
