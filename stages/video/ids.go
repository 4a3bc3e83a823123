package video

import (
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

// contentID names something after what it is made of.
func contentID(prefix string, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		io.WriteString(h, strconv.Itoa(len(p))+":"+p)
	}
	return prefix + "-" + hex.EncodeToString(h.Sum(nil))[:16]
}

// pairID names a pair after its two videos.
func pairID(p schemas.Pair) string { return contentID("pair", origin(p.A), origin(p.B)) }

// origin tells a video from every other one: its original file and, for a clip,
// which frames of it.
func origin(v schemas.Video) string {
	if m := v.Mezzanine; m != nil && m.Of > 0 {
		return fmt.Sprintf("%s[%d,%d)", v.Media, m.From, m.From+m.Frames)
	}
	return v.Media
}

// footage tells what a normalised video shows from everything else.
func footage(v schemas.Video) string {
	m := v.Mezzanine
	return fmt.Sprintf("%s[%d,%d)", m.Video, m.From, m.From+m.Frames)
}

// taskID names the task of a pair in one layout.
func taskID(p schemas.Pair, layout string) string { return contentID("task", pairID(p), layout) }

// strictest combines the licences of the parts of a composed video: an SPDX
// expression that asks to keep all of them, or nothing when one is unknown.
func strictest(parts ...schemas.Video) string {
	var names []string
	for _, v := range parts {
		if v.License == "" {
			return ""
		}
		names = append(names, strings.Split(v.License, " AND ")...)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " AND ")
}

// sources lists the distinct source ids of videos, sorted.
func sources(parts ...schemas.Video) []string {
	var ids []string
	for _, v := range parts {
		ids = append(ids, strings.Split(v.SourceID, sourceSeparator)...)
	}
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return id == "" })
}

// sourceSeparator stands between the source ids of a reel whose clips come
// from several sources.
const sourceSeparator = "\n"

// oneSource is the source id of a video, or empty when it has several.
func oneSource(v schemas.Video) string {
	if strings.Contains(v.SourceID, sourceSeparator) {
		return ""
	}
	return v.SourceID
}

// mezzanineBlobs are the blobs a normalised video needs.
func mezzanineBlobs(vs ...schemas.Video) []pipeline.Digest {
	var out []pipeline.Digest
	for _, v := range vs {
		if m := v.Mezzanine; m != nil {
			out = append(out, pipeline.Digest(m.Video), pipeline.Digest(m.Audio))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// seconds is how long a mezzanine plays.
func seconds(m *schemas.Mezzanine) float64 { return float64(m.Frames) / float64(m.FPS) }
