// Package separability measures how well single frames tell which of two videos
// they are from. It is a measured counterpart of how alike the two look: results
// on questions about sources can be read by it.
//
// A classifier is trained on some stretches of time of both videos and judges
// the frames of another one, so that it knows none of the frames that it judges.
// It is the nearest class mean with a common variance for each feature, which is
// Fisher's linear discriminant without correlations. Every feature is read with
// an error of 0.05 (standard deviation): two videos that differ by 0.05 in their
// brightness, and in nothing else, are told apart in 69 % of the frames. Without
// an error the least constant difference would decide, a few pixels of a still
// picture, and nearly every pair of videos would have 1.
package separability

import (
	"math"
	"slices"

	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// Method names the features, the classifier and the error. It changes when
// figures of the same videos do.
const Method = "frame appearance, nearest mean, error 0.05 (1)"

// misread is the standard deviation of the error with which every feature is
// read; features are shares, 0 to 1.
const misread = 0.05

// studentQuantiles are the 97.5 % quantiles of Student's t for 1 to 30 degrees of
// freedom; that for 30 serves, a little wide, for more.
var studentQuantiles = [...]float64{
	12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
	2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
}

// Measure classifies every block of two videos by what was learnt from the
// others. Each video has two blocks at least, and each block a frame at least;
// blocks of the same part of both videos are left out of training together. The
// same input gives the same figures, to four digits.
func Measure(a, b [][]media.FrameAppearance) schemas.Separability {
	blocks := max(len(a), len(b))
	shares := make([]float64, blocks)
	for i := range shares {
		heldA, heldB := i*len(a)/blocks, i*len(b)/blocks
		c := train(joinOtherBlocks(a, heldA), joinOtherBlocks(b, heldB))
		shares[i] = (c.accuracy(a[heldA], 1) + c.accuracy(b[heldB], -1)) / 2
	}
	low, high := confidenceInterval(shares)
	return schemas.Separability{
		Method: Method, Accuracy: roundToFour(mean(shares)), Low: roundToFour(low), High: roundToFour(high),
		Frames: int32(countFrames(a) + countFrames(b)), Blocks: int32(blocks),
	}
}

func countFrames(blocks [][]media.FrameAppearance) (n int) {
	for _, b := range blocks {
		n += len(b)
	}
	return n
}

func joinOtherBlocks(blocks [][]media.FrameAppearance, held int) []media.FrameAppearance {
	return slices.Concat(slices.Concat(blocks[:held]...), slices.Concat(blocks[held+1:]...))
}

// confidenceInterval returns that of the mean of independent blocks, by
// Student's t: the fewer blocks, the wider.
func confidenceInterval(shares []float64) (low, high float64) {
	m, square := mean(shares), 0.0
	for _, x := range shares {
		square += float64((x - m) * (x - m))
	}
	df := len(shares) - 1
	half := studentQuantiles[min(df, len(studentQuantiles))-1] * math.Sqrt(square/float64(df)/float64(df+1))
	return max(0, m-half), min(1, m+half)
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// roundToFour keeps four digits: machines that round products differently
// differ only far behind them.
func roundToFour(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// features are the numbers of one frame, each 0 to 1.
type features []float64

func featuresOf(a media.FrameAppearance) features {
	var f features
	for _, share := range a.Colours {
		f = append(f, float64(share)/1000)
	}
	return append(f, float64(a.Brightness)/1000, float64(a.Contrast)/1000, float64(a.Edges)/1000)
}

// classifier gives a frame to the first video where the weighted sum of its
// features is above a threshold.
type classifier struct {
	weights   features
	threshold float64
	// error is the standard deviation of the sum when features are misread.
	error float64
}

func train(a, b []media.FrameAppearance) classifier {
	meanA, varA := featureMoments(a)
	meanB, varB := featureMoments(b)
	c := classifier{weights: make(features, len(meanA))}
	square := 0.0
	for i := range c.weights {
		// Conversions keep processors from rounding sums of products once less.
		w := (meanA[i] - meanB[i]) / (float64(varA[i]+varB[i])/2 + misread*misread)
		c.weights[i] = w
		c.threshold += float64(w * (meanA[i] + meanB[i]) / 2)
		square += float64(w * w)
	}
	c.error = misread * math.Sqrt(square)
	return c
}

func featureMoments(frames []media.FrameAppearance) (means, variances features) {
	for _, frame := range frames {
		f := featuresOf(frame)
		if means == nil {
			means, variances = make(features, len(f)), make(features, len(f))
		}
		for i, x := range f {
			means[i] += x
			variances[i] += float64(x * x)
		}
	}
	n := float64(len(frames))
	for i := range means {
		means[i] /= n
		variances[i] = max(0, variances[i]/n-float64(means[i]*means[i]))
	}
	return means, variances
}

// accuracy returns the mean chance that frames are given to their video: sign
// is 1 for frames of the first video, -1 for those of the second. Between
// videos that looked the same in training the classifier tosses a coin.
func (c classifier) accuracy(frames []media.FrameAppearance, sign float64) float64 {
	if c.error == 0 {
		return 0.5
	}
	sum := 0.0
	for _, frame := range frames {
		score := -c.threshold
		for i, x := range featuresOf(frame) {
			score += float64(c.weights[i] * x)
		}
		sum += 0.5 * math.Erfc(-sign*score/c.error/math.Sqrt2)
	}
	return sum / float64(len(frames))
}
