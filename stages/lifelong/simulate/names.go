package simulate

import (
	"slices"
	"strings"
)

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

func properNames() []string {
	return strings.Fields(`Larkspur Falcon Meridian Juniper Cobalt Harbour Lantern Orchard Pebble Quartz Raven Saffron Tundra Umber Willow
Zephyr Amber Birch Cedar Delta Ember Fjord Granite Heron Indigo Jasper Kestrel Lotus Maple Nimbus Opal Pine Quill Russet Sable Thistle
Ursa Velvet Walnut Yarn Aurora Basil Comet Dune Echo Fern Glacier Hazel Iris Jade`)
}

// pickValue draws a value of a pool that is none of those given. Of people it draws one of whom
// no other of the world has the given name or the surname, while there are such.
func (s *simulator) pickValue(pool string, not ...string) string {
	if pool != poolPerson {
		return pickOther(s.rnd, pool, not...)
	}
	name := s.pickStranger(not...)
	s.noteName(name)
	return name
}

// pickStranger draws somebody for draw without making them known.
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

// noteName makes both names of somebody known.
func (s *simulator) noteName(name string) {
	for _, part := range strings.Fields(name) {
		s.knownNames[part] = true
	}
}

// countries has a line for each country: its name, and cities that lie there.
const countries = `Argentina: Rosario
Australia: Adelaide Perth
Austria: Graz Linz
Belgium: Ghent Bruges
Brazil: Recife Curitiba
Bulgaria: Plovdiv
Canada: Montreal Calgary Halifax
Chile: Valparaiso
Colombia: Medellin
Croatia: Zadar
Denmark: Aarhus Odense
Ecuador: Quito
Estonia: Tartu
Finland: Tampere Turku
France: Lyon Nantes Lille
Georgia: Batumi
Germany: Leipzig Bremen
Ghana: Kumasi
Greece: Thessaloniki
Hungary: Debrecen Szeged
India: Jaipur Pune
Ireland: Galway Cork
Italy: Turin Padua Bologna
Japan: Kyoto Osaka Sapporo
Kenya: Mombasa
Latvia: Riga
Lithuania: Kaunas
Mexico: Puebla
Morocco: Fez
Norway: Bergen Stavanger
Peru: Cusco Arequipa
Poland: Krakow Gdansk
Portugal: Porto Braga
Romania: Cluj
Slovakia: Kosice
Slovenia: Maribor
South Korea: Busan
Spain: Seville Bilbao Malaga
Sweden: Malmo Uppsala
Switzerland: Basel Lausanne
Turkey: Izmir Antalya
Uruguay: Montevideo
Vietnam: Hanoi
the Czech Republic: Brno Olomouc
the Netherlands: Utrecht Delft
the Philippines: Cebu
the United Kingdom: Bristol Leeds`

// Country is where a city lies.
func Country(city string) string {
	for _, line := range strings.Split(countries, "\n") {
		country, towns, _ := strings.Cut(line, ": ")
		for _, town := range strings.Fields(towns) {
			if town == city {
				return country
			}
		}
	}
	return ""
}

// Cities are those that occur.
func Cities() []string {
	var out []string
	for _, line := range strings.Split(countries, "\n") {
		_, towns, _ := strings.Cut(line, ": ")
		out = append(out, strings.Fields(towns)...)
	}
	return out
}
