package media

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

const sampleHeader = `{"streams":[
{"index":0,"codec_type":"video","codec_name":"png","width":90,"height":90,"disposition":{"attached_pic":1}},
{"index":1,"codec_type":"video","codec_name":"h264","width":720,"height":576,"sample_aspect_ratio":"16:15","avg_frame_rate":"30000/1001","start_time":"0.080000","duration":"10.010000","nb_frames":"300","side_data_list":[{"side_data_type":"Display Matrix","rotation":-90}]},
{"index":2,"codec_type":"audio","codec_name":"aac","start_time":"N/A","sample_rate":"48000","channels":6,"tags":{"DURATION":"00:01:02.500000000"}}],
"format":{"format_name":"matroska,webm","duration":"62.5"}}`

func TestParseHeader(t *testing.T) {
	h, err := parseHeader([]byte(sampleHeader))
	if err != nil {
		t.Fatal(err)
	}
	v, ok := h.picture()
	if !ok || v.Frames != 300 || v.Start != 0.08 || v.Duration != 10.01 {
		t.Errorf("picture %+v", v)
	}
	if w, ht := v.displayed(); w != 576 || ht != 768 || v.rotation() != 90 {
		t.Errorf("displayed %dx%d, rotation %d", w, ht, v.rotation())
	}
	a, ok := h.sound()
	if !ok || a.Start.known() || a.Duration.known() || a.SampleRate != 48000 || a.Tags.Duration != 62.5 || a.Frames != -1 {
		t.Errorf("sound %+v", a)
	}
	if !h.hasCover() || h.Format.Start.known() || h.Format.Duration != 62.5 {
		t.Errorf("format %+v", h.Format)
	}
}

func TestParseHeaderRefuses(t *testing.T) {
	for _, text := range []string{"", "{", "[]", `{"streams":{}}`, `{"streams":[{"width":"x"}]}`} {
		if _, err := parseHeader([]byte(text)); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func FuzzParseHeader(f *testing.F) {
	f.Add([]byte(sampleHeader))
	f.Add([]byte(`{"streams":[{"codec_type":"video","sample_aspect_ratio":"0:0","width":2147483647,"height":1,"duration":"1e999","nb_frames":"-9","side_data_list":[{"rotation":1e300}]}],"format":{"duration":"nan"}}`))
	f.Add([]byte(`{"streams":[null,{}],"format":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := parseHeader(b)
		if err != nil {
			return
		}
		v, ok := h.picture()
		if !ok {
			return
		}
		if r := v.rotation(); r%90 != 0 || r < 0 || r > 270 {
			t.Errorf("rotation %d", r)
		}
		if n, d := v.aspect(); n < 1 || d < 1 {
			t.Errorf("aspect %d:%d", n, d)
		}
		if d, ok := declaredDuration(h, v); ok && (math.IsNaN(d) || math.IsInf(d, 0)) {
			t.Errorf("declared %g", d)
		}
		if r := parseFraction(v.Rate); r < 0 || math.IsNaN(r) || math.IsInf(r, 0) {
			t.Errorf("rate %g", r)
		}
		_ = checkHeader(h, DefaultLimits())
		_, _ = judgeDecoding(h, decodeResult{times: []float64{0, 0.04}, held: []float64{0.04, 0.04}, tick: 0.04, audioOf: math.NaN()}, DefaultLimits())
	})
}

func FuzzParseFrames(f *testing.F) {
	f.Add("#tb 0: 1/25\n0,          0,          0,        1,   115200, 0x3a4b\n1, 0, 5, 1024, 4096, 0x0\n")
	f.Add("#tb 0: 0/0\n0,,,,,\n")
	f.Add("0, 9223372036854775807, -9223372036854775808, 9223372036854775807, 1, x")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseCRC(strings.NewReader(text))
		if err == nil {
			if len(s.times) != len(s.held) {
				t.Errorf("%d times, %d lengths", len(s.times), len(s.held))
			}
			_, _, _ = s.step(), s.span(), s.uneven()
		}
		_, _ = parseMD5(strings.NewReader(text))
	})
}

func TestParseFrames(t *testing.T) {
	s, err := parseCRC(strings.NewReader("#software: x\n#tb 0: 1/25\n#tb 1: 1/48000\n" +
		"0, 0, 2, 1, 10, 0x1\n1, 0, 480, 1024, 4, 0x2\n0, 1, 0, 1, 10, 0x3\n1, 1024, 1504, 1024, 4, 0x4\n0, 2, 8, 2, 10, 0x5\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.times) != 3 || s.times[0] != 0 || s.times[1] != 0.08 || s.times[2] != 0.32 {
		t.Errorf("times %v", s.times)
	}
	if s.audioOf != 0.01 || math.Abs(s.audioTo-2528.0/48000) > 1e-9 || math.Abs(s.span()-0.4) > 1e-9 || !s.uneven() {
		t.Errorf("sound %g to %g, span %g, uneven %t", s.audioOf, s.audioTo, s.span(), s.uneven())
	}
	for frames, want := range map[string]bool{"0 1 2 3 4": false, "0 1 2 4 5": true, "0 33 67 100 133": false, "0 33 67 133 167": true} {
		s := decodeResult{tick: 0.001}
		if !strings.Contains(frames, "33") {
			s.tick = 0.04
		}
		for _, n := range strings.Fields(frames) {
			v, err := strconv.Atoi(n)
			if err != nil {
				t.Fatal(err)
			}
			s.add(crcLine{stream: "0", pts: int64(v)}, s.tick)
		}
		if s.uneven() != want {
			t.Errorf("frames at %s: uneven %t", frames, s.uneven())
		}
	}
	for _, bad := range []string{"0, 0, x, 1, 1, 1", "0, 0, 1", "0, 0, 1, y, 1, 1"} {
		if _, err := parseCRC(strings.NewReader(bad)); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
