package replay

import "strings"

// lands lists countries with their cities.
const lands = `Australia: Adelaide
Austria: Graz
Belgium: Ghent
Canada: Montreal
Chile: Valparaiso
Denmark: Aarhus
Finland: Tampere
France: Lyon
Germany: Leipzig
Greece: Thessaloniki
India: Jaipur
Ireland: Galway
Italy: Turin
Japan: Kyoto
Norway: Bergen
Peru: Cusco
Poland: Krakow
Portugal: Porto
Spain: Seville
Sweden: Malmo
Turkey: Izmir
Vietnam: Hanoi
the Czech Republic: Brno
the Netherlands: Utrecht`

// landOf is where a city lies; empty where the list has it not.
func landOf(city string) string {
	for _, line := range strings.Split(lands, "\n") {
		if land, town, _ := strings.Cut(line, ": "); town == city {
			return land
		}
	}
	return ""
}
