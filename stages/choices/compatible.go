package choices

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// entry is a question that is to have options.
type entry struct {
	id, task string
	// text is the answer, or the wrong option that comes with a question whose answer
	// is that there is none: what the other options must be like.
	text, plain string
	// content and asks are the words that say something, of the text and the question;
	// about are those of the question that are no names.
	content, asks, about []string
	form                 answerForm
	words                int
	// names says that the text has a name in it, echoes that it repeats words of the
	// question, none that there is no answer.
	names, echoes, none bool
	// wrong are the wrong options that it comes with.
	wrong []string
	// sessions are those that its evidence is from.
	sessions []string
}

func entryOf(q schemas.Question, none string) entry {
	e := entry{
		id: q.QuestionID, task: q.TaskID, text: q.AnswerText, none: none != "" && words.SameWords(q.AnswerText, none),
		asks: contentWords(q.Question), about: contentWords(withoutNames(q.Question)),
	}
	for _, piece := range q.Evidence {
		if piece.SessionID != "" {
			e.sessions = append(e.sessions, piece.SessionID)
		}
	}
	for _, o := range wrongOptions(q) {
		e.wrong = append(e.wrong, o.Text)
	}
	if e.none && len(e.wrong) > 0 {
		e.text = e.wrong[0]
	}
	e.plain, e.content, e.words, e.form = words.Value(e.text), contentWords(e.text), len(strings.Fields(e.text)), formOf(q.Question, e.text)
	e.names, e.echoes = hasCapital(e.text), countCommon(e.content, e.asks) > 0
	return e
}

// compatible reports whether the answer of o may stand beside that of e, as far
// as this can be decided without meaning: the same is asked for, the form is
// the same, the length about the same, and neither says part of the other or
// could be right with it. Of another task only answers without names are.
func (e *entry) compatible(o *entry) bool {
	switch longer, shorter := max(e.words, o.words), min(e.words, o.words); {
	case e.form != o.form, longer-shorter > 1+shorter/3:
		return false
	case e.form.asked.isVague() && !e.form.isDate() && countCommon(e.about, o.about) == 0:
		return false
	case e.task != o.task && o.names && e.form.shape != shapeName && !e.form.isDate():
		return false
	case e.echoes != (countCommon(o.content, e.asks) > 0):
		return false
	}
	return textsDiffer(e.form, e.plain, o.plain, e.content, o.content)
}

func textsDiffer(f answerForm, a, b string, content, other []string) bool {
	if a == b || strings.Contains(" "+a+" ", " "+b+" ") || strings.Contains(" "+b+" ", " "+a+" ") {
		return false
	}
	return f.isDate() || countCommon(content, other) == 0
}

// farness says how far another entry's situation is: 0 of a session in common, 1 of the same
// task, 2 of another.
func (e *entry) farness(o *entry) int {
	switch {
	case e.task != o.task:
		return 2
	case slices.ContainsFunc(e.sessions, func(s string) bool { return slices.Contains(o.sessions, s) }):
		return 0
	}
	return 1
}

func (e *entry) sharedWords(o *entry) int { return countCommon(e.asks, o.asks) }

func withoutNames(question string) string {
	list := strings.Fields(question)
	return strings.Join(slices.DeleteFunc(list, func(w string) bool { return unicode.IsUpper([]rune(w)[0]) }), " ")
}

// fewestLetters are those of words that say something, by and large.
const fewestLetters = 4

// contentWords returns the words of a text that carry meaning, ascending.
func contentWords(text string) []string {
	return slices.DeleteFunc(words.WordSet(text), func(w string) bool {
		return len([]rune(w)) < fewestLetters || isAuxiliary(w) || openingKind(w) != "" || isFiller(w)
	})
}

func isFiller(word string) bool {
	switch word {
	case "what", "when", "which", "where", "whom", "whose", "them", "this", "these", "those", "been", "being", "more", "most", "very", "about", "according":
		return true
	}
	return false
}

func countCommon(a, b []string) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch strings.Compare(a[0], b[0]) {
		case -1:
			a = a[1:]
		case 1:
			b = b[1:]
		default:
			n, a, b = n+1, a[1:], b[1:]
		}
	}
	return n
}
