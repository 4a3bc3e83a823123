package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// Pools that values are drawn from.
const (
	poolPerson = "person"
	poolCity   = "city"
	poolDay    = "day"
	poolRoom   = "room"
	poolOrg    = "organisation"
	poolCount  = "count"
	poolAmount = "amount"
	poolCode   = "code"
	poolHours  = "hours"
	// Counts and amounts of private affairs are small.
	poolFew = "few"
	poolFee = "fee"
	// Pools of what agents change and read.
	poolSpot    = "spot"
	poolBay     = "bay"
	poolStow    = "stow"
	poolColour  = "colour"
	poolFont    = "font"
	poolMetal   = "metal"
	poolPixels  = "pixels"
	poolHash    = "hash"
	poolBearing = "bearing"
	poolPercent = "percent"
	// Pools of what a thing keeps: forms of a code and of a hash.
	poolSerial = "serial"
	poolStamp  = "stamp"
)

func months() []string {
	return strings.Fields("January February March April May June July August September October November December")
}

func pick[T any](rnd *rand.Rand, from []T) T { return from[rnd.IntN(len(from))] }

// pickPoolValue picks a value of a pool, "" for an unknown pool.
func pickPoolValue(rnd *rand.Rand, pool string) string {
	switch pool {
	case poolPerson:
		return pick(rnd, firstNames()) + " " + pick(rnd, lastNames())
	case poolCity:
		return pick(rnd, Cities())
	case poolDay:
		return fmt.Sprintf("%d %s", 1+rnd.IntN(28), pick(rnd, months()))
	case poolRoom:
		return pick(rnd, strings.Fields(`Ash Beech Chestnut Dahlia Elder Fir Ginkgo Holly Ivy Jasmine Laurel Magnolia Nettle Olive Poplar Rowan Sorrel Tulip Violet Yew`)) + " " + pick(rnd, []string{"Room", "Hall", "Wing"})
	case poolOrg:
		return pick(rnd, strings.Fields(`Northgate Silverline Bluepeak Oakbridge Redfern Clearwater Highmoor Stonefield Westbrook Greyhall Sunridge Millbank
Fairhaven Longmere Copperhill Eastwick Ironwood Marshland Riverton Whitcombe`)) + " " + pick(rnd, []string{"Group", "Trust", "Partners"})
	case poolCount:
		return fmt.Sprint(12 + rnd.IntN(480))
	case poolAmount:
		return fmt.Sprintf("%d,%d00 euros", 1+rnd.IntN(29), 1+rnd.IntN(9))
	case poolFew:
		return fmt.Sprint(3 + rnd.IntN(88))
	case poolFee:
		return fmt.Sprintf("%d euros", 12+rnd.IntN(480))
	case poolCode, poolSerial:
		return fmt.Sprintf("%c%c-%d", 'A'+rune(rnd.IntN(26)), 'A'+rune(rnd.IntN(26)), 1000+rnd.IntN(9000))
	case poolHours:
		return fmt.Sprint(3 + rnd.IntN(60))
	case poolBearing:
		return fmt.Sprintf("%d degrees", rnd.IntN(360))
	case poolPercent:
		return fmt.Sprintf("%d percent", 1+rnd.IntN(99))
	case poolPixels:
		return fmt.Sprintf("%d px", 320+rnd.IntN(1120))
	case poolBay:
		return fmt.Sprintf("%s bay %d", pick(rnd, strings.Fields("north south east west")), 1+rnd.IntN(9))
	case poolHash, poolStamp:
		return fmt.Sprintf("%04X-%d", rnd.IntN(1<<16), 100+rnd.IntN(900))
	}
	return pickPair(rnd, pool)
}

// pickPair picks a value of two words, "" for an unknown pool.
func pickPair(rnd *rand.Rand, pool string) string {
	if list := knownWords(pool); len(list) > 0 {
		return pick(rnd, list)
	}
	words := map[string][2]string{
		poolSpot:   {"upper lower left right corner window back front", "shelf drawer bench rack cupboard hook ledge basket"},
		poolStow:   {"upper lower left right corner middle back front", "chest barrel crate locker hopper bin"},
		poolColour: {"pale deep dusty bright soft dark", "teal crimson ochre violet lime navy coral olive slate plum"},
		poolFont:   {"Alder Bexley Corvus Dovetail Elmwood Fenwick Garnet Hollis", "Sans Serif Mono Script Slab"},
		poolMetal:  {"polished rough forged hammered plain dark", "iron copper brass bronze steel silver tin nickel"},
	}[pool]
	if words[0] == "" {
		return ""
	}
	return pick(rnd, strings.Fields(words[0])) + " " + pick(rnd, strings.Fields(words[1]))
}

// patience is after how many draws a pool counts as used up, recent how many of the
// values that came last are avoided even then; in a pool that is smaller one less after
// as many draws again.
const (
	patience = 400
	recent   = 12
)

// pickOther picks a value that is none of those given, or at least not the last of them.
func pickOther(rnd *rand.Rand, pool string, not ...string) string {
	for n := 0; ; n++ {
		switch {
		case n == patience:
			not = not[max(0, len(not)-recent):]
		case n > patience && n%patience == 0:
			not = not[min(1, len(not)):]
		}
		if v := pickPoolValue(rnd, pool); !slices.Contains(not, v) {
			return v
		}
	}
}

// hoursIn returns the aspect of a bar in a chart of months.
func hoursIn(month string) string { return "hours of work in " + month }

// PickSimilar draws values, all different and none of those given, of the kind that an aspect
// of a domain has.
func PickSimilar(rnd *rand.Rand, domain, aspect string, n int, not ...string) []string {
	pool := poolOf(domain, aspect)
	if pool == "" {
		return nil
	}
	var out []string
	for range n {
		v := pickOther(rnd, pool, not...)
		not = append(not, v)
		out = append(out, v)
	}
	return out
}

func poolOf(name, of string) string {
	d, _ := domainOf(name)
	return d.pool(of)
}

// AlwaysSeen reports whether the screens of a domain show something for an aspect of a
// thing though it was never told: it has some colour, and stands somewhere.
func AlwaysSeen(domain, of string) bool {
	return Regime(domain) != "" && slices.Contains([]string{poolColour, poolFont, poolMetal, poolSpot, poolStow, poolBay}, poolOf(domain, of))
}

func (d domain) pool(of string) string {
	for _, some := range [][]aspect{d.told, d.shown, aboutPerson(), seedAspects()} {
		for _, a := range some {
			if a.name == of {
				return a.pool
			}
		}
	}
	if strings.HasPrefix(of, LevelAspect("")) {
		return poolLevel
	}
	if strings.HasPrefix(of, hoursIn("")) {
		return poolHours
	}
	return ""
}

// SameKind gives what reports whether values of two aspects of a domain are of one kind,
// cities or days for example.
func SameKind(domain string) func(a, b string) bool {
	d, _ := domainOf(domain)
	return func(a, b string) bool {
		pool := d.pool(a)
		return pool != "" && pool == d.pool(b)
	}
}

// Inquiry asks for an aspect of a thing, as a question that goes on after its first words.
func Inquiry(domain, aspect, thing string) string {
	switch {
	case IsPerson(domain, aspect):
		return fmt.Sprintf("who is the %s of %s", aspect, thing)
	case Verb(aspect) == "are":
		return fmt.Sprintf("how many %s are given for %s", aspect, thing)
	}
	return fmt.Sprintf("what is the %s of %s", aspect, thing)
}

// Verb returns "are" for an aspect of several, like filled cells, and "is" for others.
func Verb(aspect string) string {
	noun, _, _ := strings.Cut(aspect, " in ")
	noun, _, _ = strings.Cut(noun, " of ")
	if strings.HasSuffix(noun, "s") && !strings.HasSuffix(noun, "ss") {
		return "are"
	}
	return "is"
}

// IsCity reports whether values of an aspect are cities, of which the world outside
// knows where they lie.
func IsCity(domain, aspect string) bool { return poolOf(domain, aspect) == poolCity }

// IsPerson reports whether values of an aspect are people.
func IsPerson(domain, aspect string) bool { return poolOf(domain, aspect) == poolPerson }

func aboutPerson() []aspect {
	return []aspect{{"home city", poolCity}, {"closest colleague", poolPerson}, {"usual desk", poolRoom}, {"employer", poolOrg}}
}

func firstNames() []string {
	return strings.Fields(`Ada Bram Carla Deniz Edda Farid Greta Hasan Ines Jonas Kaya Lars Mira Nuno Oda Pavel Quirin Rosa Selim Tilda
Ugo Vera Wanda Xenia Yusuf Zoe Amir Berit Cem Dalia Emil Freya Gunnar Hana Ilya Juno Karim Lotte Malik Nela
Alba Boris Celia Dario Elsa Fabio Gloria Henk Ida Jacek Kira Leo Maja Nils Olga Petra Rafael Sanna Timo Ulla
Viktor Wim Yara Zoltan Anouk Bela Chiara Dunja Enzo Fatma Goran Heidi Igor Jana Klaus Lena Marco Nora Otto Paula
Ramon Sofia Tarek Uwe Vito Willa Ylva Zara Anton Bilal Cora Dimitri Esra Filip Gita Hugo Irma Jorge Kofi Lucia
Marek Nadia Omar Pia Rolf Silke Tomas Unni Vasil Wenke Yan Zita Arne Bianca Carlos Doreen Ercan Flora Gero Hilde`)
}

func lastNames() []string {
	return strings.Fields(`Abel Brandt Castell Dorn Eklund Farrow Gantz Holm Ivers Jansky Kessel Lindqvist Marlow Novak Ostrow Pryce
Quist Rasmus Sorel Thorne Ulm Varga Weller Yarrow Zander Ashby Birk Corvin Dahl Ekker Fenn Groh Hartl Ingram Jolly Kern
Amsel Bauer Cole Duval Engel Fiore Gruber Haas Ibsen Jung Koch Lang Moser Nagel Opitz Pohl Reiter Stark Tanner Unger
Vogel Weiss Yilmaz Zeller Adler Bruhn Cruz Diaz Ebner Funk Grimm Hauk Imhof Jahn Kraft Lorenz Maas Neri Olsen Pinto
Rivas Santos Toth Urban Vidal Wolff Young Zorn Arndt Bosch Conti Drew Ernst Frey Gallo Hume Illner Jost Klein Luther
Meyer Noll Ortiz Peck Ruiz Sauer Thoma Ullman Voss Wirth Yates Zanetti Aumann Bell Carter Doyle Eaton Floyd Gibbs Hobbs`)
}

// pickValue picks a value that is none of those given. People get a new first name and
// surname as long as there are any.
func (s *simulator) pickValue(pool string, not ...string) string {
	if pool != poolPerson {
		return pickOther(s.rnd, pool, not...)
	}
	name := s.pickStranger(not...)
	s.noteName(name)
	return name
}

// pickStranger picks a person without making the name known.
func (s *simulator) pickStranger(not ...string) string {
	var name string
	for range patience {
		name = pickOther(s.rnd, poolPerson, not...)
		if !slices.ContainsFunc(strings.Fields(name), func(part string) bool { return s.knownNames[part] }) {
			break
		}
	}
	return name
}

func (s *simulator) noteName(name string) {
	for _, part := range strings.Fields(name) {
		s.knownNames[part] = true
	}
}

// countries has a line for each country: its name, and cities that lie there, none of which
// has a well-known namesake in another country.
const countries = `Argentina: Ushuaia
Australia: Adelaide Canberra
Austria: Graz Linz
Belgium: Ghent Bruges
Brazil: Recife Curitiba
Bulgaria: Plovdiv
Canada: Montreal Calgary Winnipeg
Chile: Antofagasta
Colombia: Bogota
Croatia: Zadar
Denmark: Aarhus Odense
Ecuador: Quito
Estonia: Tartu
Finland: Tampere Turku
France: Lyon Nantes Lille
Germany: Leipzig Bremen
Ghana: Kumasi
Greece: Thessaloniki
Hungary: Debrecen Szeged
Iceland: Akureyri
India: Jaipur Pune
Ireland: Galway Cork
Italy: Turin Padua Bologna
Japan: Kyoto Osaka Sapporo
Kenya: Mombasa
Latvia: Riga
Lithuania: Kaunas
Mexico: Puebla
Morocco: Fez
Norway: Trondheim Stavanger
Peru: Cusco Arequipa
Poland: Krakow Gdansk
Portugal: Porto Braga
Romania: Cluj
Slovakia: Kosice
Slovenia: Maribor
South Korea: Busan
Spain: Seville Bilbao Zaragoza
Sweden: Malmo Uppsala
Switzerland: Basel Lausanne
Turkey: Izmir Antalya
Uruguay: Montevideo
Vietnam: Hanoi
the Czech Republic: Brno Olomouc
the Netherlands: Utrecht Delft
the Philippines: Cebu
the United Kingdom: Cardiff Edinburgh`

// countryByTown is read once: each wrong answer asks where towns lie.
var countryByTown = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, line := range strings.Split(countries, "\n") {
		country, towns, _ := strings.Cut(line, ": ")
		for _, town := range strings.Fields(towns) {
			out[town] = country
		}
	}
	return out
})

// Country returns where a city lies, "" for what is none.
func Country(city string) string { return countryByTown()[city] }

// Cities returns those that occur.
func Cities() []string {
	var out []string
	for _, line := range strings.Split(countries, "\n") {
		_, towns, _ := strings.Cut(line, ": ")
		out = append(out, strings.Fields(towns)...)
	}
	return out
}
