package pairing

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// maxTerms is how many words of a video are compared: the heaviest of those
// that another video has too.
const maxTerms = 128

// term is a word of a video and its weight. Words are numbered from the rarest
// to the most frequent.
type term struct {
	word   uint32
	weight uint32
}

// bags compares videos by their words: the cosine of TF-IDF vectors. Weights
// are whole numbers, (1 + floor(log2 count)) x (1 + floor(log2 n/df)), so that
// sums are exact on every machine and in every order, and because a step of the
// logarithm is seldom crossed, a video more or less leaves most similarities,
// and so the work cached behind them, alone.
type bags struct {
	terms  [][]term
	square []uint64 // squared length, words that no other video has included
	words  int      // how many words two videos or more have
}

// vocabulary counts in how many texts each word is.
type vocabulary struct {
	number map[uint64]uint32
	hash   []uint64
	df     []uint32
	last   []uint32 // the text, from 1, that had the word last
	rank   []uint32 // number of the word in bags
}

func (v *vocabulary) count(text uint32, word uint64) {
	n, known := v.number[word]
	if !known {
		n = uint32(len(v.df))
		v.number[word] = n
		v.hash, v.df, v.last = append(v.hash, word), append(v.df, 0), append(v.last, 0)
	}
	if v.last[n] != text {
		v.last[n] = text
		v.df[n]++
	}
}

// rankWords ranks the words by df, those of one text first, and returns how
// many these are.
func (v *vocabulary) rankWords() int {
	byRank := make([]uint32, len(v.df))
	single := 0
	for n := range byRank {
		byRank[n] = uint32(n)
		if v.df[n] == 1 {
			single++
		}
	}
	slices.SortFunc(byRank, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(v.df[a], v.df[b]), cmp.Compare(v.hash[a], v.hash[b]))
	})
	v.rank = make([]uint32, len(byRank))
	for r, n := range byRank {
		v.rank[n] = uint32(r)
	}
	return single
}

// newBags weighs the texts of n videos; texts yields the words of one. It reads
// them twice, so that the words of all need never be held at once.
func newBags(ctx context.Context, n int, texts func(i int, yield func(word uint64))) (*bags, error) {
	v := vocabulary{number: map[uint64]uint32{}}
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		texts(i, func(w uint64) { v.count(uint32(i+1), w) })
	}
	single := v.rankWords()
	b := &bags{terms: make([][]term, n), square: make([]uint64, n), words: len(v.df) - single}
	err := parallelFor(ctx, n, func() func(int) {
		var w weigher
		return func(i int) { b.terms[i], b.square[i] = w.weighText(&v, n, single, i, texts) }
	})
	return b, err
}

// weigher holds what one worker needs to weigh texts.
type weigher struct {
	numbers []uint32
	terms   []term
}

func (w *weigher) weighText(v *vocabulary, n, single, i int, texts func(int, func(uint64))) ([]term, uint64) {
	w.numbers, w.terms = w.numbers[:0], w.terms[:0]
	texts(i, func(word uint64) { w.numbers = append(w.numbers, v.number[word]) })
	slices.Sort(w.numbers)
	var alone uint64
	for from := 0; from < len(w.numbers); {
		to := from + 1
		for to < len(w.numbers) && w.numbers[to] == w.numbers[from] {
			to++
		}
		number := w.numbers[from]
		weight := uint32(bits.Len(uint(to-from)) * bits.Len(uint(n)/uint(v.df[number])))
		if rank := int(v.rank[number]); rank >= single {
			w.terms = append(w.terms, term{uint32(rank - single), weight})
		} else {
			alone += uint64(weight) * uint64(weight)
		}
		from = to
	}
	return w.heaviestTerms(), alone + sumOfSquares(w.heaviestTerms())
}

// heaviestTerms cuts the terms to the maxTerms heaviest, sorted by word.
func (w *weigher) heaviestTerms() []term {
	if len(w.terms) > maxTerms {
		slices.SortFunc(w.terms, func(a, b term) int {
			return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.word, b.word))
		})
		w.terms = w.terms[:maxTerms]
	}
	slices.SortFunc(w.terms, func(a, b term) int { return cmp.Compare(a.word, b.word) })
	return slices.Clone(w.terms)
}

func sumOfSquares(ts []term) (sum uint64) {
	for _, t := range ts {
		sum += uint64(t.weight) * uint64(t.weight)
	}
	return sum
}

// similarity returns the cosine of two videos, 0 when one has no words.
func (b *bags) similarity(i, j int32) float64 {
	x, y := b.terms[i], b.terms[j]
	var dot uint64
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].word < y[0].word:
			x = x[1:]
		case x[0].word > y[0].word:
			y = y[1:]
		default:
			dot += uint64(x[0].weight) * uint64(y[0].weight)
			x, y = x[1:], y[1:]
		}
	}
	if dot == 0 {
		return 0
	}
	return math.Sqrt(float64(dot*dot) / (float64(b.square[i]) * float64(b.square[j])))
}

// postings lists, by word, which members of a group have it: the search for
// alike videos looks at those that share a word, the rarest words first.
type postings struct {
	bags   *bags
	start  []uint32 // of a word's members in member
	member []uint32 // position in among
	weight []uint16
	among  []int32
	at     []int32   // position of a video in among, -1 for others
	scale  []float64 // 1 / squared length of a member
}

// maxListReach is how many postings a search of one video reads. Measured (see
// BenchmarkMatchWords): 16,384 finds what brute force finds.
const maxListReach = 1 << 14

func (b *bags) index(among []int32) searcher {
	p := &postings{bags: b, among: among, start: make([]uint32, b.words+2), at: make([]int32, len(b.terms)), scale: make([]float64, len(among))}
	for i := range p.at {
		p.at[i] = -1
	}
	total := uint32(0)
	for n, i := range among {
		p.at[i], p.scale[n] = int32(n), 1/float64(b.square[i])
		for _, t := range b.terms[i] {
			p.start[t.word+2]++
			total++
		}
	}
	for w := 2; w < len(p.start); w++ {
		p.start[w] += p.start[w-1]
	}
	p.member, p.weight = make([]uint32, total), make([]uint16, total)
	for n, i := range among {
		for _, t := range b.terms[i] {
			at := p.start[t.word+1]
			p.member[at], p.weight[at] = uint32(n), uint16(t.weight)
			p.start[t.word+1]++
		}
	}
	return p
}

func (p *postings) worker() func(i int32, pick *picker) {
	score := make([]uint32, len(p.among))
	var touched []uint32
	return func(i int32, pick *picker) {
		touched = p.gather(i, score, touched[:0])
		for _, n := range touched {
			// The square of the cosine, as far as it was read, times a constant.
			dot := float64(score[n])
			score[n] = 0
			if s := dot * dot * p.scale[n]; s >= pick.floor {
				pick.offer(p.among[n], s)
			}
		}
	}
}

// gather adds up, in score, what the members share with i, and returns the
// members that share anything.
func (p *postings) gather(i int32, score, touched []uint32) []uint32 {
	left := maxListReach
	for _, t := range p.bags.terms[i] {
		from, to := int(p.start[t.word]), int(p.start[t.word+1])
		if to-from > left {
			from, to = p.windowAround(i, from, to, left)
		}
		for at := from; at < to; at++ {
			n := p.member[at]
			if score[n] == 0 {
				touched = append(touched, n)
			}
			score[n] += t.weight * uint32(p.weight[at])
		}
		if left -= to - from; left <= 0 {
			break
		}
	}
	return touched
}

func (p *postings) windowAround(i int32, from, to, size int) (int, int) {
	own, _ := slices.BinarySearch(p.member[from:to], uint32(p.at[i]))
	low := min(max(from+own-size/2, from), to-size)
	return low, low + size
}

// videoTexts yields all texts of a video: title, category (unless every video
// of the group has the same), description, summary, labels, events, captions
// and the descriptions of its sections. The order of labels is that of a map.
func videoTexts(v *schemas.Video, category bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yieldAll(yield, v.Title, v.Description, v.Summary) || category && !yield(v.Category) {
			return
		}
		for _, label := range v.Labels {
			if !yield(label) {
				return
			}
		}
		for _, e := range v.Events {
			if !yieldAll(yield, e.Subject, e.Kind, e.Object) {
				return
			}
		}
		for _, c := range v.Captions {
			if !yield(c.Text) {
				return
			}
		}
		for _, s := range v.Sections {
			if d := s.Description; d != nil {
				if texts := groundtruth.DescriptionTexts(*d); !yieldAll(yield, texts[:]...) {
					return
				}
			}
		}
	}
}

func yieldAll(yield func(string) bool, texts ...string) bool {
	for _, t := range texts {
		if !yield(t) {
			return false
		}
	}
	return true
}

// maxText is how many characters of a video's texts are embedded: more than the
// first page changes little, and embedders refuse what is too long.
const maxText = 2000

// EmbeddingText returns what an embedder reads of a video: its texts without
// its captions, one a line, cut after maxText characters. It is a blank for a
// video without texts, since embedders refuse empty texts.
func EmbeddingText(v schemas.Video) string {
	v.Captions = nil
	if labels := slices.Sorted(maps.Values(v.Labels)); len(labels) > 0 {
		v.Labels = map[string]string{"": strings.Join(labels, "\n")}
	}
	var lines []string
	for text := range videoTexts(&v, true) {
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			lines = append(lines, text)
		}
	}
	runes := []rune(strings.Join(lines, "\n"))
	if len(runes) == 0 {
		return " "
	}
	return string(runes[:min(maxText, len(runes))])
}
