package choices

import "testing"

func TestForms(t *testing.T) {
	for _, tc := range []struct{ question, answer, asked, shape, opening string }{
		{"When did Mia join?", "7 May 2023", "when", shapeDay, ""},
		{"When Jon has lost his job?", "19 January, 2023", "when", shapeDay, ""},
		{"When did it start?", "June, 2023", "when", shapeMonth, ""},
		{"In which year did it start?", "2022", "when", shapeYear, ""},
		{"When did she run?", "The sunday before 25 May 2023", "when", shapeNear, ""},
		{"When did she move?", "A few years ago", "when", shapeAgo, ""},
		{"How long has she painted?", "7 years", "how long", shapeSpan, ""},
		{"How often does she go?", "once or twice a year", "how often", shapeSpan, ""},
		{"How many children has she?", "3", "how many", shapeNumber, ""},
		{"Would she go again?", "Likely no", "yes or no", shapeYesNo, ""},
		{"Would she go again?", "Yes; it's classical music", "yes or no", shapeReasoned, ""},
		{"Which city have both visited?", "Rome", "which place", shapeName, ""},
		{"What is the name of Mia's coach?", "Ingrid", "which name", shapeName, ""},
		{"What is the new starter called?", "Frida", "which name", shapeName, ""},
		{"What book did she read?", `"Becoming Nicole"`, "which title", shapeQuoted, ""},
		{"What kind of art does she make?", "abstract art", "which art", shapePhrase, ""},
		{"With whom does Mia row?", "her sister Lena", "who", shapePhrase, ""},
		{"What does he do to relax?", "Running, pottery", "what do", shapeList, openGerund},
		{"What did he say?", "It's the key to making them feel welcome", "what", shapeClause, ""},
		{"How is the store doing?", "The store is doing great.", "how", shapeClause, ""},
		{"How did she feel?", "in awe of the universe", "how feel", shapePhrase, ""},
		{"Why did he travel?", "To clear his mind", "why", shapePhrase, "infinitive"},
		{"", "", "yes or no", shapePhrase, ""},
	} {
		f := formOf(tc.question, tc.answer)
		if string(f.asked) != tc.asked || f.shape != tc.shape || f.opening != tc.opening {
			t.Errorf("%q, %q: asked %q, shape %q, opening %q; want %q, %q, %q", tc.question, tc.answer, f.asked, f.shape, f.opening, tc.asked, tc.shape, tc.opening)
		}
	}
}

func FuzzForm(f *testing.F) {
	f.Add("What kind of", `"`)
	f.Add("how", " ,; and ")
	f.Add("which", "\xff\xfe 25 May")
	f.Fuzz(func(t *testing.T, question, answer string) {
		first := formOf(question, answer)
		if again := formOf(question, answer); again != first {
			t.Errorf("one text has the forms %v and %v", first, again)
		}
	})
}
