package textmatch

import (
	"strings"
	"testing"
)

// TestStem has words with the stems that NLTK's PorterStemmer gives them.
func TestStem(t *testing.T) {
	const stems = `
dying=die lying=lie skies=sky tied=tie ties=tie dies=die spied=spi says=say enjoy=enjoy fly=fli happily=happili flatly=flatli fully=fulli
carefully=care logically=logic geology=geolog analogies=analog proceed=proceed news=news innings=inning agreed=agre feed=feed plastered=plaster
bled=bled motoring=motor sing=sing conflated=conflat troubled=troubl sized=size hopping=hop falling=fall fizzed=fizz failing=fail filing=file
relational=relat rational=ration conditional=condit valency=valenc hesitancy=hesit digitizer=digit conformably=conform differently=differ vilely=vile
analogously=analog predication=predic operator=oper feudalism=feudal decisiveness=decis hopefulness=hope callousness=callous formality=formal
sensitivity=sensit sensibility=sensibl triplicate=triplic formative=form formalize=formal electricity=electr goodness=good revival=reviv
inference=infer airliner=airlin adjustable=adjust defensible=defens irritant=irrit replacement=replac adjustment=adjust dependent=depend
adoption=adopt communism=commun activate=activ angularity=angular homologous=homolog effective=effect bowdlerize=bowdler probate=probat rate=rate
cease=ceas controlling=control yes=ye by=by ied=i ing=ing naïve=naïv 3.5=3.5 img_01=img_01 caresses=caress ponies=poni`
	for _, pair := range strings.Fields(stems) {
		word, want, _ := strings.Cut(pair, "=")
		if got := stem(word); got != want {
			t.Errorf("the stem of %q is %q, want %q", word, got, want)
		}
	}
}

func FuzzStem(f *testing.F) {
	f.Add("generalizations")
	f.Add("ééd")
	f.Fuzz(func(t *testing.T, word string) {
		if got := stem(word); len(got) > len(word)+1 {
			t.Errorf("the stem of %q is %q", word, got)
		}
	})
}
