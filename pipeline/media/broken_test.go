package media

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// workshop builds damaged files out of a few sound ones.
type workshop struct {
	t              *testing.T
	dir            string
	mp4, fast, mkv string // 75 frames; fast has its index in front
}

func newWorkshop(t *testing.T) workshop {
	dir := t.TempDir()
	c := clipSpec{id: 1, frames: 75, w: 320, h: 180, sound: true, flash: 30, out: opts(x264, "-g", "25")}
	s := workshop{t: t, dir: dir}
	c.name = "plain.mp4"
	s.mp4 = c.make(t, dir)
	s.fast, s.mkv = filepath.Join(dir, "fast.mp4"), filepath.Join(dir, "plain.mkv")
	ffmpeg(t, "-i", s.mp4, "-c", "copy", "-movflags", "+faststart", s.fast)
	ffmpeg(t, "-i", s.mp4, "-c", "copy", s.mkv)
	return s
}

func (s workshop) write(name string, b []byte) string {
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, b, 0o644); err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (s workshop) bytes(path string) []byte {
	b, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// cut keeps a share of a file.
func (s workshop) cut(name, path string, share float64) string {
	b := s.bytes(path)
	return s.write(name, b[:int(float64(len(b))*share)])
}

// flip inverts one bit in every n bytes of the middle of the file.
func (s workshop) flip(name, path string, n int) string {
	b := s.bytes(path)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := len(b) / 4; i < len(b)*3/4; i += n {
		b[i] ^= 1 << rng.IntN(8)
	}
	return s.write(name, b)
}

// hole fills a part of the middle of the file with zeros.
func (s workshop) hole(name, path string, share float64) string {
	b := s.bytes(path)
	from := len(b) / 2
	clear(b[from : from+int(float64(len(b))*share)])
	return s.write(name, b)
}

// ff makes a file by ffmpeg; the last argument is its name.
func (s workshop) ff(args ...string) string {
	path := filepath.Join(s.dir, args[len(args)-1])
	ffmpeg(s.t, append(args[:len(args)-1:len(args)-1], path)...)
	return path
}

// patch changes every box of a kind by edit, which sees the bytes behind the
// box's type.
func (s workshop) patch(name, path, kind string, edit func(box []byte)) string {
	b := s.bytes(path)
	found := false
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte(kind))
		if i < 0 {
			break
		}
		at += i + 4
		edit(b[at:])
		found = true
	}
	if !found {
		s.t.Fatalf("%s: no %s box", path, kind)
	}
	return s.write(name, b)
}

const lavfi = "testsrc2=size=320x180:rate=25"

func source(seconds string) []string { return []string{"-f", "lavfi", "-t", seconds, "-i", lavfi} }

func h264(args ...string) []string {
	return append([]string{"-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"}, args...)
}

func (s workshop) lav(seconds string, args ...string) string {
	return s.ff(append(source(seconds), args...)...)
}

// brokenCase makes one file.
type brokenCase struct {
	name string
	make func() string
}

// brokenCases builds one file each.
func (s workshop) brokenCases() []brokenCase {
	random := func(n int) []byte {
		b := make([]byte, n)
		rng := rand.New(rand.NewPCG(3, 4))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	text := func(name, body string) func() string {
		return func() string { return s.write(name, []byte(body)) }
	}
	tone := []string{"-f", "lavfi", "-t", "3", "-i", "sine"}
	return []brokenCase{
		{"empty", text("c1.mp4", "")},
		{"one byte", text("c2.mp4", "x")},
		{"text as mp4", text("c3.mp4", strings.Repeat("This is a note, not a video.\n", 200))},
		{"json as mkv", text("c4.mkv", `{"error": "not found", "status": 404}`)},
		{"html as webm", text("c5.webm", "<!DOCTYPE html><html><body>Sign in</body></html>")},
		{"svg as mp4", text("c6.mp4", `<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>`)},
		{"m3u8 playlist as mp4", text("c7.mp4", "#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\nplain.mp4\n#EXT-X-ENDLIST\n")},
		{"m3u8 playlist", text("c8.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\nplain.mp4\n#EXT-X-ENDLIST\n")},
		{"ffconcat as mp4", text("c9.mp4", "ffconcat version 1.0\nfile plain.mp4\n")},
		{"subtitle as mkv", text("c10.mkv", "1\n00:00:00,000 --> 00:00:02,000\nHello\n")},
		{"dash manifest as mp4", text("c11.mp4", `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period><BaseURL>plain.mp4</BaseURL></Period></MPD>`)},
		{"random bytes", func() string { return s.write("c12.mp4", random(200_000)) }},
		{"zip as mp4", func() string { return s.write("c13.mp4", append([]byte("PK\x03\x04"), random(5000)...)) }},
		{"sparse 2 GB of zeros", s.sparse},
		{"folder", func() string { return s.dir }},
		{"fifo", s.fifo},
		{"png as mp4", func() string {
			return s.write("c14.mp4", s.bytes(s.lav("0.04", "-frames:v", "1", "one.png")))
		}},
		{"gif as mp4", func() string { return s.write("c15.mp4", s.bytes(s.lav("1", "anim.gif"))) }},
		{"audio only mp4", func() string { return s.ff(append(tone, "-c:a", "aac", "audio.mp4")...) }},
		{"wav as mp4", func() string { return s.write("c16.mp4", s.bytes(s.ff(append(tone, "tone.wav")...))) }},
		{"mp3 with cover", func() string {
			s.lav("0.04", "-frames:v", "1", "cover.png")
			return s.ff(append(tone, "-i", filepath.Join(s.dir, "cover.png"), "-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v", "attached_pic", "cover.mp3")...)
		}},
		{"m4a with cover", func() string {
			return s.ff(append(tone, "-i", filepath.Join(s.dir, "cover.png"), "-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v", "attached_pic", "cover.m4a")...)
		}},
		{"video with cover", func() string {
			return s.ff("-i", s.mp4, "-i", filepath.Join(s.dir, "cover.png"), "-map", "1", "-map", "0", "-c", "copy", "-disposition:v:0", "attached_pic", "withcover.mp4")
		}},
		{"mp4 cut, index at the end", func() string { return s.cut("c17.mp4", s.mp4, 0.6) }},
		{"mp4 cut to 60 %, index in front", func() string { return s.cut("c18.mp4", s.fast, 0.6) }},
		{"mp4 cut to 97 %, index in front", func() string { return s.cut("c19.mp4", s.fast, 0.97) }},
		{"mp4 header only", func() string { return s.cut("c20.mp4", s.fast, 0.03) }},
		{"mkv cut to 60 %", func() string { return s.cut("c21.mkv", s.mkv, 0.6) }},
		{"mkv cut to 90 %", func() string { return s.cut("c22.mkv", s.mkv, 0.9) }},
		{"mkv header only", func() string { return s.write("c23.mkv", s.bytes(s.mkv)[:900]) }},
		{"mp4 with bit flips", func() string { return s.flip("c24.mp4", s.fast, 400) }},
		{"mkv with bit flips", func() string { return s.flip("c25.mkv", s.mkv, 400) }},
		{"mp4 with a hole", func() string { return s.hole("c26.mp4", s.fast, 0.2) }},
		{"mkv with a hole", func() string { return s.hole("c27.mkv", s.mkv, 0.2) }},
		{"edit list of no length", func() string {
			return s.patch("c28.mp4", s.mp4, "elst", func(b []byte) { binary.BigEndian.PutUint32(b[8:], 0) })
		}},
		{"all frames at one time", func() string {
			return s.patch("c29.mp4", s.lav("2", h264("-bf", "0", "-movflags", "+faststart", "still.mp4")...), "stts", func(b []byte) {
				for i := range binary.BigEndian.Uint32(b[4:]) {
					binary.BigEndian.PutUint32(b[8+8*i+4:], 0)
				}
			})
		}},
		{"one frame", func() string { return s.lav("0.04", h264("-frames:v", "1", "one.mp4")...) }},
		{"five frames", func() string { return s.lav("0.2", h264("five.mp4")...) }},
		{"copy-cut mp4", func() string { return s.ff("-ss", "1.5", "-i", s.mp4, "-c", "copy", "copycut.mp4") }},
		{"late picture mkv", func() string { return s.late("late.mkv") }},
		{"late picture mp4", func() string { return s.late("late.mp4") }},
		{"late picture ts", func() string { return s.late("late.ts") }},
		{"sound starts first by 100 ms", func() string {
			return s.ff("-itsoffset", "0.1", "-i", s.mp4, "-i", s.mp4, "-map", "0:v", "-map", "1:a", "-c", "copy", "slightlylate.mkv")
		}},
		{"odd size", func() string {
			return s.lav("1", "-vf", "scale=321:179,setsar=1", "-c:v", "ffv1", "-pix_fmt", "yuv444p", "odd.mkv")
		}},
		{"rotated by 90", func() string { return s.ff("-i", s.mp4, "-c", "copy", "-metadata:s:v:0", "rotate=90", "rotated.mp4") }},
		{"10 bit", func() string {
			return s.lav("1", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p10le", "ten.mp4")
		}},
		{"variable rate", func() string {
			return s.lav("2", h264("-vf", "select=not(eq(mod(n\\,5)\\,2))", "-fps_mode", "passthrough", "vfr.mkv")...)
		}},
		{"wide pixels", func() string { return s.lav("1", h264("-vf", "setsar=4/3", "sar.mp4")...) }},
		{"hdr pq", func() string {
			return s.lav("1", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p10le", "-color_trc", "smpte2084", "-color_primaries", "bt2020", "-colorspace", "bt2020nc", "pq.mp4")
		}},
		{"hdr hlg", func() string {
			return s.lav("1", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p10le", "-color_trc", "arib-std-b67", "-color_primaries", "bt2020", "-colorspace", "bt2020nc", "hlg.mp4")
		}},
		{"8192x8192, one frame", func() string {
			return s.ff("-f", "lavfi", "-i", "color=size=8192x8192:rate=1,format=gray", "-frames:v", "1", "-c:v", "png", "huge.mkv")
		}},
		{"16384x16384 in the header", func() string { return s.resize("c32.avi", 16384) }},
		{"60000x60000 in the header", func() string { return s.resize("c33.avi", 60000) }},
		{"pixels of 200:1", func() string { return s.lav("1", h264("-vf", "scale=1280:720,setsar=200", "aspect.mp4")...) }},
		{"mpeg 2 transport stream", func() string { return s.ff("-i", s.mp4, "-c", "copy", "fine.ts") }},
		{"fragmented mp4", func() string {
			return s.ff("-i", s.mp4, "-c", "copy", "-movflags", "+frag_keyframe+empty_moov", "frag.mp4")
		}},
		{"longer than allowed", func() string { return s.lav("61", h264("-vf", "scale=32:32", "long.mp4")...) }},
		{"two videos in a row", func() string { return s.write("c30.mp4", append(s.bytes(s.mp4), s.bytes(s.mp4)...)) }},
		{"mp4 named txt", func() string { return s.write("c31.txt", s.bytes(s.mp4)) }},
		{"sound of 3 s under 1 s of picture", func() string {
			return s.ff("-i", s.mp4, "-f", "lavfi", "-t", "1", "-i", lavfi, "-map", "1:v", "-map", "0:a", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "copy", "longsound.mkv")
		}},
	}
}

// resize states another size in the header of an AVI whose codec has none of
// its own.
func (s workshop) resize(name string, size uint32) string {
	return s.patch(name, s.lav("1", "-c:v", "ffv1", "resized.avi"), "strf", func(b []byte) {
		binary.LittleEndian.PutUint32(b[8:], size)
		binary.LittleEndian.PutUint32(b[12:], size)
	})
}

func (s workshop) late(name string) string {
	return s.ff("-itsoffset", "3", "-i", s.mp4, "-i", s.mp4, "-map", "0:v", "-map", "1:a", "-c", "copy", name)
}

func (s workshop) sparse() string {
	path := s.write("sparse.mp4", nil)
	if err := os.Truncate(path, 2<<30); err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (s workshop) fifo() string {
	path := filepath.Join(s.dir, "fifo.mp4")
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		s.t.Fatal(err)
	}
	return path
}
