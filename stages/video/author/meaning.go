package author

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kljensen/snowball/english"
	"github.com/memforge/memforge/pipeline/kit/answercues"
)

// wordMeanings compares texts by what they say: words by their stems, and those that
// say the same as one. It is a comparison of wording still, and knows nothing.
var wordMeanings = newMeanings()

// idleWords are words that add nothing to what is claimed.
var idleWords = wordSet(`a an the this that these those it its he she his her him hers they them their there i we you one ones
 is are was were be been being am has have had having do does did done doing can could will would may might shall should must
 of in on at to with and or but for from by as than then so also too very just only into onto upon per via about around
 who whom whose which what when where why how while if not`)

// vagueWords are words of questions that do not narrow down what is asked for.
var vagueWords = wordSet(`somebody someone something anybody anyone anything nobody thing things object objects item items kind sort type form part parts piece
 happen happens happening occur occurs event seen see sees saw visible appear appears look looks looking like shown show shows use uses used using
 colour color coloured number numbers many much time times name called word words writing written print printed text read way matter
 video videos clip clips film films footage true described description descriptions statement statements right correct following sequence order
 stand stands standing lie lies lying place placed put set get gets got give gives given directly next first last before after once
 state change changes some most mostly goes go going tool tools symbol symbols picture`)

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// baseForm returns a word without its irregular inflection, numbers as digits.
func (m meanings) baseForm(w string) string {
	if base, ok := m.forms[w]; ok {
		return base
	}
	return w
}

func stem(w string) string { return english.Stem(w, true) }

func (m meanings) meaningOf(w string) string {
	s := stem(m.baseForm(w))
	if t, ok := m.stems[s]; ok {
		return t
	}
	return s
}

// gist returns what a text says: the distinct meanings of its words, sorted,
// without idle ones.
func gist(text string) []string { return gistOf(text, idleWords) }

// topic returns what a text is about: its gist without vague words.
func topic(text string) []string { return gistOf(text, idleWords, vagueWords) }

func gistOf(text string, without ...map[string]bool) []string {
	var out []string
	for _, w := range answercues.Words(strings.ReplaceAll(strings.ReplaceAll(text, "'s ", " "), "’s ", " ")) {
		if !slices.ContainsFunc(without, func(s map[string]bool) bool { return s[w] }) {
			out = append(out, wordMeanings.meaningOf(w))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func covers(all, part []string) bool {
	return len(part) > 0 && len(sharedMeanings(all, part)) == len(part)
}

func sharedMeanings(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(w string) bool { return !slices.Contains(b, w) })
}

func missingMeanings(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(w string) bool { return slices.Contains(b, w) })
}

// synonymSets lists words that say the same of what is seen, as far as an option goes:
// who saw the one could not rule out the other. The first of a line stands for
// all of it. Spellings of one word are among them.
const synonymSets = `
grey gray
colour color coloured colored
tyre tire
centre center middle
aluminium aluminum
mould mold
metre meter
cup mug
bowl basin
plate dish
glass tumbler
bag sack
box carton case
bucket pail
basket hamper
tray salver
cloth rag
towel dishtowel
rope cord
string twine
couch sofa settee
chair seat
carpet rug
floor ground
shelf ledge
cupboard cabinet
table desk
shop store
street road
pavement sidewalk
path track trail
garden yard
lawn grass
forest woods
sea ocean
stone rock pebble
car automobile
lorry truck
bicycle bike cycle
motorcycle motorbike
aeroplane airplane plane
boat ship
phone telephone smartphone mobile
television tv
camera camcorder
picture image photo photograph
sign signboard notice
label tag sticker
word inscription lettering writing
coat overcoat
jacket blazer
sweater jumper pullover
shirt blouse
trousers pants slacks
shoe sneaker trainer
boot wellington
cap hat
scarf shawl
glove mitten
glasses spectacles eyeglasses
child kid
boy lad
girl lass
man gentleman guy
woman lady
baby infant
dog hound
cat kitten
hare rabbit bunny
potato spud
aubergine eggplant
courgette zucchini
biscuit cookie
two pair couple both
three trio
dozen twelve
top upper uppermost topmost highest
bottom lower lowest lowermost bottommost
big large huge
small little tiny
long lengthy
quick fast rapid
round circular
square quadratic
dark dim
shiny glossy gleaming
dirty filthy grimy
wet soaked damp moist
break smash shatter crack
tear rip
close shut
start begin
stop halt cease
end finish
switch turn
put place set lay
take grab seize grasp
pick lift raise
throw toss fling hurl
drop release
push shove press
pull tug drag draw
cut chop
stir mix blend
wash rinse clean
wipe rub
scrub scour
fold crease
tie knot fasten
hit strike
knock tap rap
jump leap hop
run sprint dash
walk stroll
fall tumble
climb clamber
shout yell
smile grin
cry weep
look gaze stare
bring fetch
mend repair fix
build construct
purple violet
turquoise cyan
crimson scarlet
beige cream
golden gold
silver silvery
wooden wood timber
woollen wool woolen
metallic metal
stripe stripy
checked checkered chequered plaid
spotted dotted
left lefthand
right righthand
above over
below under underneath beneath
beside next alongside
`

// irregular forms and the word that they are forms of.
const irregular = `
broken break|broke break|cut cut|put put|set set|laid lay|lain lie|lay lay|held hold|took take|taken take|threw throw|thrown throw
fell fall|fallen fall|stood stand|sat sit|sitting sit|lit light|hung hang|wore wear|worn wear|tore tear|torn tear|wound wind|bound bind
drew draw|drawn draw|blew blow|blown blow|ran run|went go|gone go|came come|made make|gave give|given give|saw see|seen see
stuck stick|swept sweep|slid slide|spun spin|swung swing|wrote write|written write|ate eat|eaten eat|drank drink|drunk drink
bent bend|built build|bought buy|brought bring|caught catch|fed feed|found find|hid hide|hidden hide|left left|lost lose|read read
rose rise|risen rise|shook shake|shaken shake|shut shut|slept sleep|slit slit|split split|spread spread|told tell|woke wake|woven weave
children child|men man|women woman|feet foot|teeth tooth|mice mouse|knives knife|leaves leaf|loaves loaf|shelves shelf|halves half
lying lie|lies lie|dying die|tying tie|tied tie|ties tie
`

// numerals are the numbers that texts spell out.
const numerals = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"

// meanings maps stems to the one that stands for them. It is a value: a
// caller makes it once and compares many texts.
type meanings struct {
	forms, stems map[string]string
}

func newMeanings() meanings {
	m := meanings{forms: map[string]string{}, stems: map[string]string{}}
	for _, pair := range strings.FieldsFunc(irregular, func(r rune) bool { return r == '|' || r == '\n' }) {
		form, word, _ := strings.Cut(pair, " ")
		m.forms[form] = word
	}
	for i, w := range strings.Fields(numerals) {
		m.forms[w] = strconv.Itoa(i)
	}
	for _, line := range strings.Split(strings.TrimSpace(synonymSets), "\n") {
		words := strings.Fields(line)
		for _, w := range words {
			if s := stem(m.baseForm(w)); m.stems[s] == "" {
				m.stems[s] = stem(m.baseForm(words[0]))
			}
		}
	}
	return m
}
