package media

import (
	"bytes"
	"os"
	"path/filepath"
)

// oddCases are files that are strange rather than damaged.
func (s workshop) oddCases() []brokenCase {
	ts := func(name string, args ...string) []byte {
		return s.bytes(s.ff(append(append([]string{"-i", s.mp4}, args...), name)...))
	}
	return []brokenCase{
		{"avi cut between two pictures", func() string {
			b := s.bytes(s.lav("2", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "whole.avi"))
			return s.write("cut.avi", b[:bytes.LastIndex(b[:len(b)/2], []byte("00dc"))])
		}},
		{"avi with pictures out of order", func() string {
			return s.lav("2", "-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-pix_fmt", "yuv420p", "-an", "bframes.avi")
		}},
		{"20000x16", func() string {
			return s.ff("-f", "lavfi", "-i", "color=size=20000x16:rate=25", "-t", "1", "-c:v", "ffv1", "long.mkv")
		}},
		{"size changes half way", func() string {
			return s.write("odd1.ts", append(ts("o1.ts", "-c", "copy"), ts("o2.ts", "-vf", "scale=160:120", "-c:v", "libx264", "-c:a", "copy", "-output_ts_offset", "3.1")...))
		}},
		{"a picture is overtaken", func() string {
			return s.write("odd5.ts", append(ts("o8.ts", "-c", "copy"), ts("o9.ts", "-c", "copy", "-output_ts_offset", "2.96")...))
		}},
		{"clock jumps by an hour", func() string {
			return s.write("odd2.ts", append(ts("o3.ts", "-c", "copy"), ts("o4.ts", "-c", "copy", "-output_ts_offset", "3600")...))
		}},
		{"clock jumps back", func() string {
			return s.write("odd3.ts", append(ts("o5.ts", "-c", "copy", "-output_ts_offset", "100"), ts("o6.ts", "-c", "copy")...))
		}},
		{"begins between keyframes", func() string {
			b := ts("o7.ts", "-c", "copy")
			return s.write("odd4.ts", b[len(b)/188/5*188:])
		}},
		{"two pictures at once", func() string {
			return s.ff("-i", s.mp4, "-f", "lavfi", "-t", "3", "-i", lavfi, "-map", "0", "-map", "1", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "copy", "twice.mkv")
		}},
		{"transparent", func() string { return s.lav("1", "-c:v", "qtrle", "-pix_fmt", "argb", "alpha.mov") }},
		{"grey", func() string { return s.lav("1", "-c:v", "ffv1", "-pix_fmt", "gray", "grey.mkv") }},
		{"rgb", func() string { return s.lav("1", "-c:v", "ffv1", "-pix_fmt", "bgr0", "rgb.mkv") }},
		{"2x2 pixels", func() string { return s.lav("1", h264("-vf", "scale=2:2", "dot.mp4")...) }},
		{"1000 pictures a second", func() string { return s.lav("0.5", h264("-vf", "fps=1000,scale=64:36", "fast1000.mkv")...) }},
		{"a picture every two seconds", func() string { return s.lav("40", h264("-vf", "fps=0.5,scale=64:36", "slow.mp4")...) }},
		{"interlaced", func() string {
			return s.lav("1", "-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-top", "1", "-b:v", "3M", "fields.mpg")
		}},
		{"control characters in tags", func() string {
			return s.ff("-i", s.mp4, "-c", "copy", "-metadata", "title=\x1b[31m\x07\u202e;$(reboot)", "tags.mkv")
		}},
		{"named like a protocol", func() string {
			return s.write("subfile,,start,0,end,9,,:http:x.mp4", s.bytes(s.mp4))
		}},
		{"name of quotes, per cents and a line break", func() string {
			return s.write("it's 100%d \"odd\"\n$(x).mp4", s.bytes(s.mp4))
		}},
		{"beside files it names", func() string {
			return s.write("names.mp4", bytes.ReplaceAll(s.bytes(s.mp4), []byte("url \x00\x00\x00\x01"), []byte("url \x00\x00\x00\x00")))
		}},
		{"trembling clock", func() string {
			return s.lav("3", h264("-bf", "0", "-vf", "settb=1/1000,setpts=PTS+9*mod(7*N\\,4)", "-enc_time_base", "1/1000", "-fps_mode", "passthrough", "tremble.mkv")...)
		}},
		{"link to a video", func() string {
			path := filepath.Join(s.dir, "link.mp4")
			if err := os.Symlink(s.mp4, path); err != nil {
				s.t.Fatal(err)
			}
			return path
		}},
	}
}
