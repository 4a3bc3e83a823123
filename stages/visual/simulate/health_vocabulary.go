package simulate

import (
	"fmt"

	"github.com/memforge/memforge/stages/visual/scene"
)

func healthPools() map[string][]string {
	pools := map[string][]string{
		scene.Text + ":name": healthNames(), scene.Text + ":date": healthTimes(), scene.Text + ":number": healthCalls(), scene.Text + ":pressure": healthPressures(),
		scene.Text + ":symbol": healthReadings("steps"), scene.Which + ":symbol": healthSymbols(),
		// colours that are told apart on a screen
		scene.Colour: {"red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink", "brown"},
		// six places of people on their way, and six of a table
		scene.Setting:  {"a gym", "a park", "a bus", "a beach", "a swimming pool", "a street", "a kitchen", "an office", "a bedroom", "a library", "a pharmacy", "a bathroom"},
		scene.Activity: {"yoga", "table tennis", "spinning", "boxing", "weightlifting", "badminton", "gymnastics", "basketball", "ballet", "a blood donation"},
		scene.Weather:  {"rainy", "snowy", "sunny", "foggy", "stormy", "cloudy", "windy"},
		scene.Place:    {"in the top left corner", "at the top in the middle", "in the top right corner", "in the bottom left corner", "at the bottom in the middle", "in the bottom right corner"},
		scene.Which + ":pill": {
			"the round pill", "the scored pill", "the oval pill", "the scored oval pill", "the triangular pill", "the heart-shaped pill", "the diamond pill", "the hexagonal pill",
			"the ring pill", "the cross-scored pill", "the dotted pill", "the capsule",
		},
		scene.Beside:             {"a pencil", "a pair of scissors", "a key", "a magnifying glass", "a glass of water", "a spoon", "a banana", "a thermometer"},
		scene.Beside + ":device": {"a mug", "an apple", "an alarm clock", "a vase of flowers", "a teapot", "a stack of books", "a candle", "a bottle"},
		scene.Beside + ":pin":    {"a café", "a bus stop", "a library", "a train station", "a shop", "a petrol station", "a factory", "a school", "a harbour", "a hotel", "a restaurant", "a music school"},
		scene.Text + ":dose":     {"2.5 mg", "5 mg", "7.5 mg", "10 mg", "12.5 mg", "15 mg", "20 mg", "25 mg", "40 mg", "50 mg", "75 mg", "80 mg", "100 mg", "150 mg", "200 mg", "250 mg"},
		scene.Text + ":stamp":    {"RECEIVED", "REVIEWED", "COPY", "FINAL", "CHECKED", "ARCHIVED", "PRINTED"},
	}
	for _, name := range append(healthTiles(), healthValues()...) {
		pools[scene.Text+":"+name] = healthReadings(name)
	}
	return pools
}

func healthTiles() []string {
	return []string{"heart rate", "steps", "sleep", "weight", "water", "temperature", "energy", "breathing"}
}

func healthValues() []string {
	return []string{"glucose", "potassium", "sodium", "calcium", "iron", "haemoglobin", "vitamin D", "cholesterol"}
}

// healthReadings are values of a kind that are close to each other.
func healthReadings(of string) []string {
	if of == "steps" {
		return []string{"4,812", "5,182", "6,204", "6,240", "6,402", "7,351", "7,531", "7,135", "8,412", "8,421", "8,142", "9,067", "9,607", "9,076", "10,238", "10,328", "10,823", "11,450", "11,540", "5,812", "6,420"}
	}
	var out []string
	for i := range 12 {
		out = append(out, map[string]string{
			"heart rate": fmt.Sprintf("%d bpm", 58+3*i), "sleep": fmt.Sprintf("%d h %02d min", 5+i/4, 8+13*(i%4)),
			"weight": fmt.Sprintf("%d.%d kg", 68+i/3, (3*i+4)%10), "water": fmt.Sprintf("%d.%d l", 1+i/7, (i+2)%10),
			"temperature": fmt.Sprintf("3%d.%d °C", 6+i/7, (i+3)%10), "energy": fmt.Sprintf("%d,%d kcal", 1+i/6, 130+67*i),
			"breathing": fmt.Sprintf("%d / min", 11+i), "glucose": fmt.Sprintf("%d.%d mmol/l", 4+i/6, (i+3)%10),
			"potassium": fmt.Sprintf("%d.%d mmol/l", 3+(i+6)/10, (i+6)%10), "sodium": fmt.Sprintf("%d mmol/l", 134+i),
			"calcium": fmt.Sprintf("2.%02d mmol/l", 18+3*i), "iron": fmt.Sprintf("%d.%d µmol/l", 12+i, (7*i+1)%10),
			"haemoglobin": fmt.Sprintf("%d g/l", 126+4*i), "vitamin D": fmt.Sprintf("%d nmol/l", 52+7*i), "cholesterol": fmt.Sprintf("%d.%d mmol/l", 4+i/8, (i+2)%10),
		}[of])
	}
	return out
}

func healthPressures() []string {
	var out []string
	for i := range 14 {
		out = append(out, fmt.Sprintf("%d/%d", 112+i*17%31, 71+i*7%18))
	}
	return out
}

func healthNames() []string {
	var out []string
	for _, last := range []string{"Adler", "Bianchi", "Costa", "Dahl", "Eriksen", "Haddad"} {
		for _, first := range []string{"A.", "E.", "M.", "N."} {
			out = append(out, "Dr. "+first+" "+last)
		}
	}
	return out
}

func healthTimes() []string {
	var out []string
	for i, day := range []string{"Mon 3", "Tue 4", "Wed 5", "Thu 6", "Fri 7", "Mon 10", "Tue 11", "Wed 12"} {
		for _, hour := range []int{8, 11, 14, 16} {
			out = append(out, fmt.Sprintf("%s, %d:%02d", day, hour+i%2, (10*i+15*hour)%60/5*5))
		}
	}
	return out
}

func healthDays() []string {
	return []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
}

func healthSymbols() []string {
	var out []string
	for _, icon := range []string{"smile", "star", "flame", "leaf", "moon", "heart", "flag", "bird", "feather", "umbrella", "trophy", "bike", "apple", "music"} {
		out = append(out, "the "+icon+" symbol")
	}
	return out
}

func healthSlots() []string {
	return []string{"the morning slot", "the noon slot", "the evening slot", "the bedtime slot"}
}

func healthCalls() []string {
	var out []string
	for _, letter := range []string{"A", "B", "D"} {
		for _, n := range []int{16, 18, 61, 68, 81, 86} {
			out = append(out, fmt.Sprintf("%s %d", letter, n))
		}
	}
	return out
}
