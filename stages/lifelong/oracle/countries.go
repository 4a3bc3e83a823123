package oracle

import "strings"

// countryTable lists countries with their cities.
const countryTable = `Argentina: Rosario
Australia: Adelaide
Australia: Perth
Austria: Graz
Austria: Linz
Belgium: Ghent
Belgium: Bruges
Brazil: Recife
Brazil: Curitiba
Bulgaria: Plovdiv
Canada: Montreal
Canada: Calgary
Canada: Halifax
Chile: Valparaiso
Colombia: Medellin
Croatia: Zadar
Denmark: Aarhus
Denmark: Odense
Ecuador: Quito
Estonia: Tartu
Finland: Tampere
Finland: Turku
France: Lyon
France: Nantes
France: Lille
Georgia: Batumi
Germany: Leipzig
Germany: Bremen
Ghana: Kumasi
Greece: Thessaloniki
Hungary: Debrecen
Hungary: Szeged
India: Jaipur
India: Pune
Ireland: Galway
Ireland: Cork
Italy: Turin
Italy: Padua
Italy: Bologna
Japan: Kyoto
Japan: Osaka
Japan: Sapporo
Kenya: Mombasa
Latvia: Riga
Lithuania: Kaunas
Mexico: Puebla
Morocco: Fez
Norway: Bergen
Norway: Stavanger
Peru: Cusco
Peru: Arequipa
Poland: Krakow
Poland: Gdansk
Portugal: Porto
Portugal: Braga
Romania: Cluj
Slovakia: Kosice
Slovenia: Maribor
South Korea: Busan
Spain: Seville
Spain: Bilbao
Spain: Malaga
Sweden: Malmo
Sweden: Uppsala
Switzerland: Basel
Switzerland: Lausanne
Turkey: Izmir
Turkey: Antalya
Uruguay: Montevideo
Vietnam: Hanoi
the Czech Republic: Brno
the Czech Republic: Olomouc
the Netherlands: Utrecht
the Netherlands: Delft
the Philippines: Cebu
the United Kingdom: Bristol
the United Kingdom: Leeds`

// countryOf is where a city lies; empty where the list has it not.
func countryOf(city string) string {
	for _, line := range strings.Split(countryTable, "\n") {
		if land, town, _ := strings.Cut(line, ": "); town == city {
			return land
		}
	}
	return ""
}
