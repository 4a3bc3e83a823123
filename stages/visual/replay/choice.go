package replay

import "strings"

// openings are how the open form of a question begins and the choice form does. The
// rest of both is the same.
func openings() [][2]string {
	return [][2]string{
		{"Which other picture shows ", "Which of these pictures shows "},
		{"What is going on ", "Which of these is going on "}, {"What was going on ", "Which of these was going on "},
		{"In what kind of place ", "In which of these kinds of place "},
		{"What is the weather like ", "Which of these describes the weather "}, {"What was the weather like ", "Which of these described the weather "},
		{"What is right beside ", "Which of these is right beside "}, {"What was right beside ", "Which of these was right beside "},
		{"What colour ", "Which of these colours "},
		{"What pattern ", "Which of these patterns "},
		{"What is written on ", "Which of these is written on "}, {"What was written on ", "Which of these was written on "},
		{"Where in ", "At which of these places in "},
		{"Where ", "At which of these spots "},
		{"What in ", "Which of these in "},
	}
}

// stem is what the choice form asks, for a question in its open form.
func stem(question string, r reading) string {
	if r.form == "first" {
		return "Which of these is shown first?"
	}
	be := "is"
	switch {
	case r.aspect == "count":
		verb := " are "
		if r.form == "before" {
			be, verb = "was", " were "
		}
		rest := strings.TrimPrefix(question, "How many "+r.class+verb)
		return "Which of these " + be + " the number of " + r.class + " " + rest
	case r.aspect == "which" && r.form != "match":
		if r.form == "before" {
			be = "was"
		}
		return "Which of these " + be + " the " + r.class + " " + strings.TrimPrefix(question, "Which "+r.class+" "+be+" ")
	}
	for _, o := range openings() {
		if rest, ok := strings.CutPrefix(question, o[0]); ok {
			return o[1] + rest
		}
	}
	return ""
}
