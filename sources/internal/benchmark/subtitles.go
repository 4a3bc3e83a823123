package benchmark

import (
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/archive"
)

// CodeSubtitles marks a subtitle file that cannot be used.
const CodeSubtitles = "bad-subtitles"

// maxSubtitles bounds all subtitles of one archive.
const maxSubtitles = 512 << 20

// Subtitles finds SubRip files by the end of their paths.
type Subtitles struct {
	scope  *pipeline.Scope
	byStem map[string]subtitle
}

// subtitle is an asset, or the bytes of a member of an archive.
type subtitle struct {
	path  string
	asset pipeline.Asset
	text  []byte
}

// IndexSubtitles collects the .srt files of the needs, also those inside
// archives. An archive that cannot be read is rejected.
func IndexSubtitles(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, needs ...int) (*Subtitles, error) {
	s := &Subtitles{scope: scope, byStem: map[string]subtitle{}}
	assets = inNeeds(assets, needs)
	for _, a := range assets {
		if isSubtitle(a.Path) {
			s.add(subtitle{path: a.Path, asset: a})
		}
	}
	lim := archive.Limits{MemberBytes: annotation.MaxSubtitleBytes, TotalBytes: maxSubtitles}
	for _, b := range groupArchives(assets) {
		if why := b.checkParts(); why != nil {
			scope.Reject(b.name, why)
			continue
		}
		err := b.visitMembers(ctx, scope, lim, func(m archive.Member, content io.Reader) error {
			if isSubtitle(m.Name) {
				s.member(b, m, content)
			}
			return ctx.Err()
		})
		if err := rejectArchive(ctx, scope, b, err); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func isSubtitle(name string) bool { return strings.EqualFold(path.Ext(name), ".srt") }

func (s *Subtitles) member(b *archiveParts, m archive.Member, content io.Reader) {
	name := path.Join(b.name, path.Clean("/"+m.Name))
	text, err := io.ReadAll(content)
	if err != nil {
		s.scope.Reject(name, pipeline.Reject(CodeSubtitles, "%v", err))
		return
	}
	s.add(subtitle{path: name, text: text})
}

// add files a subtitle under every end of its path; the first one stays.
func (s *Subtitles) add(one subtitle) {
	stem := subtitleStem(one.path)
	for more := true; more; {
		if _, taken := s.byStem[stem]; !taken {
			s.byStem[stem] = one
		}
		_, stem, more = strings.Cut(stem, "/")
	}
}

func subtitleStem(name string) string {
	name = strings.TrimLeft(path.Clean("/"+name), "/")
	if isSubtitle(name) {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	return name
}

// Captions reads the subtitles whose path ends in name, with or without its
// extension. None is no loss: not every video has them. Subtitles that cannot
// be used, or of which more than a tenth is wrong, are rejected.
func (s *Subtitles) Captions(ctx context.Context, name string) ([]schemas.Caption, error) {
	one, ok := s.byStem[subtitleStem(name)]
	if !ok || name == "" {
		return nil, nil
	}
	text, err := s.text(ctx, one)
	if text == nil || err != nil {
		return nil, err
	}
	cues, bad, err := annotation.ParseSubtitles(text)
	if err != nil {
		s.scope.Reject(one.path, pipeline.Reject(CodeSubtitles, "%v", err))
		return nil, nil
	}
	if bad*10 > len(cues)+bad {
		s.scope.Reject(one.path, pipeline.Reject(CodeSubtitles, "%d of %d cues have times that make no sense; they are left out", bad, len(cues)+bad))
	}
	return cues, nil
}

// text reads the bytes; nil if the file could not be had, which is rejected.
func (s *Subtitles) text(ctx context.Context, one subtitle) ([]byte, error) {
	if one.text != nil {
		return one.text, nil
	}
	text, err := ReadAll(ctx, s.scope, one.asset, annotation.MaxSubtitleBytes)
	var why *pipeline.Rejection
	if errors.As(err, &why) {
		s.scope.Reject(one.path, pipeline.Reject(CodeSubtitles, "%s: %s", why.Code, why.Reason))
		return nil, nil
	}
	return text, err
}
