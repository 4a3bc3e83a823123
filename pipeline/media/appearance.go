package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// How single frames are measured: shrunk to frameWidth x frameHeight, which
// leaves a thing of a hundredth of the picture more than a hundred pixels.
const (
	frameWidth, frameHeight = 160, 90
	framePixels             = frameWidth * frameHeight
)

// FrameAppearance is what one frame looks like as a whole, in thousandths: whole
// numbers, so that they are the same on every machine. Where in the picture
// something is, it does not say.
type FrameAppearance struct {
	// Colours are the shares of the picture that the named colours fill.
	Colours [colourCount]int32
	// Brightness is the mean luma, Contrast its standard deviation, Edges the
	// mean change of luma from a pixel to the next, across and down.
	Brightness, Contrast, Edges int32
}

// FrameAppearances measures frames of a video, which must ascend, with one decoding.
func (t *Tools) FrameAppearances(ctx context.Context, path string, frames []int64) ([]FrameAppearance, error) {
	if err := checkFrames(frames); err != nil {
		return nil, fmt.Errorf("measure frames: %w", err)
	}
	in, err := inputURL(path)
	if err != nil {
		return nil, fmt.Errorf("measure frames: %w", err)
	}
	if len(frames) == 0 {
		return nil, nil
	}
	filter := fmt.Sprintf("select=%s,scale=%d:%d:flags=area+accurate_rnd+bitexact,format=rgb24", selectFrames(frames), frameWidth, frameHeight)
	args := append(append(globalArgs(), ownInput...), "-i", in, "-map", "0:v:0", "-sws_flags", scaleFlags, "-vf", filter,
		"-frames:v", fmt.Sprint(len(frames)), "-fps_mode", "passthrough", "-f", "rawvideo", "pipe:1")
	c := command{op: "measure frames", args: args, timeout: frameTimeout, hide: []string{in[len("file:"):]}}
	var list []FrameAppearance
	if err := t.run(ctx, c, func(r io.Reader) (err error) { list, err = readFrameAppearances(r, len(frames)); return err }); err != nil {
		return nil, err
	}
	if len(list) != len(frames) {
		return nil, fmt.Errorf("measure frames: %d of %d came: the video has no frame %d", len(list), len(frames), frames[len(list)])
	}
	return list, nil
}

func readFrameAppearances(r io.Reader, count int) ([]FrameAppearance, error) {
	var list []FrameAppearance
	rgb := make([]byte, 3*framePixels)
	for len(list) < count {
		_, err := io.ReadFull(r, rgb)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("picture %d: %w", len(list), err)
		}
		list = append(list, frameAppearanceOf(rgb))
	}
	return list, nil
}

func frameAppearanceOf(rgb []byte) FrameAppearance {
	var luma [framePixels]int64
	var colours [colourCount]int64
	var sum, squares int64
	for i := range luma {
		r, g, b := rgb[3*i], rgb[3*i+1], rgb[3*i+2]
		colours[colourOf(r, g, b)]++
		luma[i] = (54*int64(r) + 183*int64(g) + 19*int64(b)) >> 8
		sum, squares = sum+luma[i], squares+luma[i]*luma[i]
	}
	var a FrameAppearance
	for k, n := range colours {
		a.Colours[k] = int32(1000 * n / framePixels)
	}
	a.Brightness = int32(1000 * sum / (255 * framePixels))
	a.Contrast = int32(1000 * math.Sqrt(float64(framePixels*squares-sum*sum)) / (255 * framePixels))
	a.Edges = int32(1000 * gradients(luma[:]) / (255 * framePixels))
	return a
}

func gradients(luma []int64) (sum int64) {
	for i, y := range luma {
		if (i+1)%frameWidth != 0 {
			sum += max(y-luma[i+1], luma[i+1]-y)
		}
		if i+frameWidth < len(luma) {
			sum += max(y-luma[i+frameWidth], luma[i+frameWidth]-y)
		}
	}
	return sum
}

// The colours that are told apart, in the order in which equal shares are
// named.
const (
	black = iota
	white
	grey
	red
	orange
	yellow
	green
	cyan
	blue
	purple
	pink
	brown
	colourCount
)

var colourNames = [colourCount]string{"black", "white", "grey", "red", "orange", "yellow", "green", "cyan", "blue", "purple", "pink", "brown"}

// colourOf names a pixel by hue, saturation and value, in whole numbers. What
// is dark is black, what has little colour grey or white; dark orange is
// brown, light red pink.
func colourOf(r, g, b uint8) int {
	hi, lo := int(max(r, g, b)), int(min(r, g, b))
	spread := hi - lo
	switch {
	case hi < 40:
		return black
	case spread*100 < 18*hi || spread < 20:
		if lo > 200 {
			return white
		}
		if hi < 60 {
			return black
		}
		return grey
	}
	return hueName(hue(int(r), int(g), int(b), hi, spread), hi, spread)
}

func hue(r, g, b, hi, spread int) int {
	h := 0
	switch hi {
	case r:
		h = 60 * (g - b) / spread
	case g:
		h = 120 + 60*(b-r)/spread
	default:
		h = 240 + 60*(r-g)/spread
	}
	return (h + 360) % 360
}

func hueName(h, hi, spread int) int {
	pale := spread*100 < 50*hi
	switch {
	case h < 15 || h >= 345:
		if pale && hi > 180 {
			return pink
		}
		if hi < 110 {
			return brown
		}
		return red
	case h < 45:
		if hi < 170 || pale {
			return brown
		}
		return orange
	case h < 70:
		return yellow
	case h < 165:
		return green
	case h < 195:
		return cyan
	case h < 260:
		return blue
	case h < 300:
		return purple
	}
	return pink
}

func mostFrequentColours(shares []int64, total float64) []string {
	order := make([]int, len(shares))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	var names []string
	for _, k := range order[:maxColours] {
		if float64(shares[k]) >= colourShare*total {
			names = append(names, colourNames[k])
		}
	}
	return names
}
