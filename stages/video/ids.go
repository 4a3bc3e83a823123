package video

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// family is the family of every task and question of this package.
const family = "video"

func contentID(prefix string, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		io.WriteString(h, strconv.Itoa(len(p))+":"+p)
	}
	return prefix + "-" + hex.EncodeToString(h.Sum(nil))[:16]
}

func pairID(p schemas.Pair) string { return contentID("pair", originID(p.A), originID(p.B)) }

// originID identifies a video: its original file and, for a clip, which frames
// of it.
func originID(v schemas.Video) string {
	if m := v.Normalised; m != nil && m.Of > 0 {
		return fmt.Sprintf("%s[%d,%d)", v.Media, m.From, m.From+m.Frames)
	}
	return v.Media
}

// footageID identifies what a normalised video shows.
func footageID(v schemas.Video) string {
	m := v.Normalised
	return fmt.Sprintf("%s[%d,%d)", m.Video, m.From, m.From+m.Frames)
}

func taskID(p schemas.Pair, layout string) string { return contentID("task", pairID(p), layout) }

// combinedLicense combines the licences of the parts of a composed video: an
// SPDX expression that demands all of them, or "" when one is unknown.
func combinedLicense(parts ...schemas.Video) string {
	var names []string
	for _, v := range parts {
		if v.License == "" {
			return ""
		}
		names = append(names, strings.Split(v.License, " AND ")...)
	}
	return strings.Join(distinct(names), " AND ")
}

func sourceIDs(parts ...schemas.Video) []string {
	var ids []string
	for _, v := range parts {
		ids = append(ids, strings.Split(v.SourceID, sourceSeparator)...)
	}
	return slices.DeleteFunc(distinct(ids), func(id string) bool { return id == "" })
}

// sourceSeparator stands between the source ids of a reel whose clips come
// from several sources.
const sourceSeparator = "\n"

// singleSource returns the source id of a video, or "" when it has several.
func singleSource(v schemas.Video) string {
	if strings.Contains(v.SourceID, sourceSeparator) {
		return ""
	}
	return v.SourceID
}

func normalisedBlobs(vs ...schemas.Video) []pipeline.Digest {
	var out []pipeline.Digest
	for _, v := range vs {
		if m := v.Normalised; m != nil {
			out = append(out, pipeline.Digest(m.Video), pipeline.Digest(m.Audio))
		}
	}
	return distinct(out)
}

// distinct sorts a list in place and returns each of its values once.
func distinct[T cmp.Ordered](list []T) []T {
	slices.Sort(list)
	return slices.Compact(list)
}

func playSeconds(m *schemas.NormalisedVideo) float64 { return float64(m.Frames) / float64(m.FPS) }
