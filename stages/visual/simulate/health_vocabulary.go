package simulate

import (
	"fmt"

	"github.com/memforge/memforge/stages/visual/scene"
)

func healthPools() map[string][]string {
	pools := map[string][]string{
		scene.Colour: healthInks(), scene.Setting: healthSettings(), scene.Activity: healthExercises(), scene.Weather: healthWeathers(),
		scene.Place: healthPlaces(), scene.Which + ":pill": healthPillForms(), scene.Which + ":symbol": healthSymbols(),
		scene.Beside: healthTableThings(), scene.Beside + ":device": healthShelfThings(), scene.Beside + ":pin": healthLandmarks(),
		scene.Text + ":dose": healthDoses(), scene.Text + ":name": healthNames(), scene.Text + ":date": healthTimes(),
		scene.Text + ":symbol": healthReadings("steps"), scene.Text + ":stamp": healthStamps(), scene.Text + ":number": healthCalls(),
		scene.Text + ":pressure": healthPressures(),
	}
	for _, name := range append(healthTiles(), healthValues()...) {
		pools[scene.Text+":"+name] = healthReadings(name)
	}
	return pools
}

// healthInks are colours that nobody takes for another on a screen.
func healthInks() []string {
	return []string{"red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink", "brown"}
}

func healthTiles() []string {
	return []string{"heart rate", "steps", "sleep", "weight", "water", "temperature", "energy", "breathing"}
}

func healthValues() []string {
	return []string{"glucose", "potassium", "sodium", "calcium", "iron", "haemoglobin", "vitamin D", "cholesterol"}
}

// healthReadings are values of a kind that lie near each other.
func healthReadings(of string) []string {
	var out []string
	for i := range 12 {
		n := map[string]string{
			"heart rate": fmt.Sprintf("%d bpm", 58+3*i), "sleep": fmt.Sprintf("%d h %02d min", 5+i/4, 8+13*(i%4)),
			"weight": fmt.Sprintf("%d.%d kg", 68+i/3, (3*i+4)%10), "water": fmt.Sprintf("%d.%d l", 1+i/7, (i+2)%10),
			"temperature": fmt.Sprintf("3%d.%d °C", 6+i/7, (i+3)%10), "energy": fmt.Sprintf("%d,%d kcal", 1+i/6, 130+67*i),
			"breathing": fmt.Sprintf("%d / min", 11+i), "glucose": fmt.Sprintf("%d.%d mmol/l", 4+i/6, (i+3)%10),
			"potassium": fmt.Sprintf("%d.%d mmol/l", 3+(i+6)/10, (i+6)%10), "sodium": fmt.Sprintf("%d mmol/l", 134+i),
			"calcium": fmt.Sprintf("2.%02d mmol/l", 18+3*i), "iron": fmt.Sprintf("%d.%d µmol/l", 12+i, (7*i+1)%10),
			"haemoglobin": fmt.Sprintf("%d g/l", 126+4*i), "vitamin D": fmt.Sprintf("%d nmol/l", 52+7*i), "cholesterol": fmt.Sprintf("%d.%d mmol/l", 4+i/8, (i+2)%10),
		}[of]
		if of == "steps" {
			continue
		}
		out = append(out, n)
	}
	if of != "steps" {
		return out
	}
	for _, n := range []int{4812, 5182, 6204, 6240, 6402, 7351, 7531, 7135, 8412, 8421, 8142, 9067, 9607, 9076, 10238, 10328, 10823, 11450, 11540, 5812, 6420} {
		out = append(out, fmt.Sprintf("%d,%03d", n/1000, n%1000))
	}
	return out
}

func healthMedicines() []string {
	return []string{"Nertamol", "Brevanta", "Zellipan", "Tavorel", "Ostefin", "Pruvane", "Lorvanil", "Solvira", "Hepaline", "Quentix", "Midorel", "Fenaria"}
}

func healthDoses() []string {
	return []string{"2.5 mg", "5 mg", "7.5 mg", "10 mg", "12.5 mg", "15 mg", "20 mg", "25 mg", "40 mg", "50 mg", "75 mg", "80 mg", "100 mg", "150 mg", "200 mg", "250 mg"}
}

func healthPressures() []string {
	var out []string
	for i := range 14 {
		out = append(out, fmt.Sprintf("%d/%d", 112+i*17%31, 71+i*7%18))
	}
	return out
}

func healthDoctors() []string {
	return []string{"dentist", "eye doctor", "physiotherapy", "dietitian", "skin clinic", "blood test", "hearing test", "heart clinic"}
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

func healthLandmarks() []string {
	return []string{"a café", "a bus stop", "a library", "a train station", "a shop", "a petrol station", "a factory", "a school", "a harbour", "a hotel", "a restaurant", "a music school"}
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

func healthStamps() []string {
	return []string{"RECEIVED", "REVIEWED", "COPY", "FINAL", "CHECKED", "ARCHIVED", "PRINTED"}
}

// healthSettings are six places of people on their way, and six of a table.
func healthSettings() []string {
	return []string{"a gym", "a park", "a bus", "a beach", "a swimming pool", "a street", "a kitchen", "an office", "a bedroom", "a library", "a pharmacy", "a bathroom"}
}

func healthSlots() []string {
	return []string{"the morning slot", "the noon slot", "the evening slot", "the bedtime slot"}
}

func healthPillForms() []string {
	return []string{
		"the round pill", "the scored pill", "the oval pill", "the scored oval pill", "the triangular pill", "the heart-shaped pill", "the diamond pill", "the hexagonal pill",
		"the ring pill", "the cross-scored pill", "the dotted pill", "the capsule",
	}
}

func healthTableThings() []string {
	return []string{"a pencil", "a pair of scissors", "a key", "a magnifying glass", "a glass of water", "a spoon", "a banana", "a thermometer"}
}

func healthShelfThings() []string {
	return []string{"a mug", "an apple", "an alarm clock", "a vase of flowers", "a teapot", "a stack of books", "a candle", "a bottle"}
}

func healthWeathers() []string {
	return []string{"rainy", "snowy", "sunny", "foggy", "stormy", "cloudy", "windy"}
}

func healthExercises() []string {
	return []string{"yoga", "table tennis", "spinning", "boxing", "weightlifting", "badminton", "gymnastics", "basketball", "ballet", "a blood donation"}
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

func healthPlaces() []string {
	return []string{"in the top left corner", "at the top in the middle", "in the top right corner", "in the bottom left corner", "at the bottom in the middle", "in the bottom right corner"}
}
