package media

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

type header struct {
	Streams []stream `json:"streams"`
	Format  struct {
		Name     string  `json:"format_name"`
		Start    seconds `json:"start_time"`
		Duration seconds `json:"duration"`
	} `json:"format"`
}

type stream struct {
	Type        string      `json:"codec_type"`
	Codec       string      `json:"codec_name"`
	PixFmt      string      `json:"pix_fmt"`
	Width       int32       `json:"width"`
	Height      int32       `json:"height"`
	SAR         string      `json:"sample_aspect_ratio"`
	Rate        string      `json:"avg_frame_rate"`
	BaseRate    string      `json:"r_frame_rate"`
	Start       seconds     `json:"start_time"`
	Duration    seconds     `json:"duration"`
	Frames      number      `json:"nb_frames"`
	Reorder     int         `json:"has_b_frames"` // pictures that wait to be shown in order
	FieldOrder  string      `json:"field_order"`
	Space       string      `json:"color_space"`
	Transfer    string      `json:"color_transfer"`
	Channels    int32       `json:"channels"`
	SampleRate  number      `json:"sample_rate"`
	Disposition disposition `json:"disposition"`
	Tags        tags        `json:"tags"`
	SideData    []sideData  `json:"side_data_list"`
}

type disposition struct {
	Cover int `json:"attached_pic"`
}

type sideData struct {
	Rotation float64 `json:"rotation"`
}

// seconds is a time ffprobe prints as a decimal string, or NaN when it is
// absent, "N/A" or not finite.
type seconds float64

// UnmarshalJSON never fails on a text it cannot read: the time is then unknown.
func (s *seconds) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	if err != nil || math.IsInf(v, 0) {
		v = math.NaN()
	}
	*s = seconds(v)
	return nil
}

func (s seconds) known() bool { return !math.IsNaN(float64(s)) }

// number is a count ffprobe prints as a decimal string; -1 when unknown.
type number int64

// UnmarshalJSON never fails on a text it cannot read: the count is unknown.
func (n *number) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseInt(strings.Trim(string(b), `"`), 10, 64)
	if err != nil || v < 0 {
		v = -1
	}
	*n = number(v)
	return nil
}

// tags keeps the one tag of interest; containers spell it in either case.
type tags struct{ Duration float64 }

// UnmarshalJSON reads a DURATION tag as Matroska writes it, HH:MM:SS.fraction.
func (t *tags) UnmarshalJSON(b []byte) error {
	var all map[string]any
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	for _, name := range []string{"DURATION", "DURATION-eng", "duration"} {
		if text, ok := all[name].(string); ok {
			t.Duration = parseClock(text)
			return nil
		}
	}
	return nil
}

// parseClock reads HH:MM:SS.fraction and returns 0 for anything else.
func parseClock(text string) float64 {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return 0
	}
	total := 0.0
	for _, p := range parts {
		v, err := strconv.ParseFloat(p, 64)
		if err != nil || v < 0 || math.IsInf(v, 0) || math.IsNaN(v) {
			return 0
		}
		total = total*60 + v
	}
	return total
}

// unknown is the time of what gives none.
var unknown = seconds(math.NaN())

// UnmarshalJSON leaves times and counts that are not given unknown.
func (s *stream) UnmarshalJSON(b []byte) error {
	type plain stream
	p := plain{Start: unknown, Duration: unknown, Frames: -1}
	err := json.Unmarshal(b, &p)
	*s = stream(p)
	return err
}

func parseHeader(b []byte) (header, error) {
	var h header
	h.Format.Start, h.Format.Duration = unknown, unknown
	if err := json.Unmarshal(b, &h); err != nil {
		return header{}, fmt.Errorf("ffprobe output: %w", err)
	}
	return h, nil
}

// pictures returns the video streams that are no cover pictures, picture the
// first of them.
func (h header) pictures() []stream {
	return slices.DeleteFunc(slices.Clone(h.Streams), func(s stream) bool { return s.Type != "video" || s.Disposition.Cover != 0 })
}

func (h header) picture() (stream, bool) {
	if list := h.pictures(); len(list) > 0 {
		return list[0], true
	}
	return stream{}, false
}

func (h header) sound() (stream, bool) {
	if i := slices.IndexFunc(h.Streams, func(s stream) bool { return s.Type == "audio" }); i >= 0 {
		return h.Streams[i], true
	}
	return stream{}, false
}

func (h header) hasCover() bool {
	return slices.ContainsFunc(h.Streams, func(s stream) bool { return s.Type == "video" && s.Disposition.Cover != 0 })
}

// rotation returns the turn clockwise, in quarter turns, that a player applies.
func (s stream) rotation() int32 {
	for _, d := range s.SideData {
		if d.Rotation == 0 || math.IsNaN(d.Rotation) || math.Abs(d.Rotation) > 1e6 {
			continue
		}
		quarters := int32(math.Round(-d.Rotation / 90))
		return ((quarters%4 + 4) % 4) * 90
	}
	return 0
}

// aspect returns the pixel aspect; unknown is square.
func (s stream) aspect() (num, den int64) {
	a, b, ok := strings.Cut(s.SAR, ":")
	n, err1 := strconv.ParseInt(a, 10, 32)
	d, err2 := strconv.ParseInt(b, 10, 32)
	if !ok || err1 != nil || err2 != nil || n <= 0 || d <= 0 {
		return 1, 1
	}
	return n, d
}

func (s stream) displayed() (w, h int32) {
	n, d := s.aspect()
	wide := math.Round(float64(s.Width) * float64(n) / float64(d))
	w, h = int32(max(1, min(wide, math.MaxInt32))), s.Height
	if r := s.rotation(); r == 90 || r == 270 {
		return h, w
	}
	return w, h
}

// parseFraction reads "30000/1001" or "30000:1001"; 0 when it is neither.
func parseFraction(text string) float64 {
	a, b, ok := strings.Cut(strings.ReplaceAll(text, ":", "/"), "/")
	n, err1 := strconv.ParseFloat(a, 64)
	d, err2 := strconv.ParseFloat(b, 64)
	v := n / d
	if !ok || err1 != nil || err2 != nil || d == 0 || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return 0
	}
	return v
}
