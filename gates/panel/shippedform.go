package panel

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

const jobShipped = "gate.shipped"

// shippedInput is a question as who is tested gets it: Question is the form that is published.
type shippedInput struct {
	Question string         `json:"question"`
	Options  []view.Choice  `json:"options,omitempty"`
	Tools    []schemas.Tool `json:"tools,omitempty"`
	Setting  string         `json:"setting,omitempty"`
	Passages []passage      `json:"passages"`
	Pictures int            `json:"pictures"`
}

type shippedResponse struct {
	Why           string `json:"why"`
	Answerable    string `json:"answerable"`
	Unambiguous   string `json:"unambiguous"`
	Grammatical   string `json:"grammatical"`
	SelfContained string `json:"self_contained"`
}

// faults are the codes of what is not so, in the order of the fields.
func (r shippedResponse) faults() (out []string, usable bool) {
	for _, f := range []struct{ code, said string }{
		{"not-answerable", r.Answerable}, {"ambiguous", r.Unambiguous}, {"ungrammatical", r.Grammatical}, {"not-self-contained", r.SelfContained},
	} {
		switch f.said {
		case answerYes:
		case answerNo:
			out = append(out, f.code)
		default:
			return nil, false
		}
	}
	return out, true
}

// Shipped asks of a question in its published form, with all that goes with it, whether it can
// be put as it is; a call is right when nothing is against it.
func Shipped() Form {
	return &questionForm{
		jobs: sync.OnceValues(func() ([]Job, error) { return oneJob(NewJob[shippedInput, shippedResponse](jobShipped)) }),
		input: func(_ *schemas.Question, s shownView) (int, any) {
			return 0, shippedInput{s.Question, s.Options, s.Tools, s.Setting, s.passages, s.pictures}
		},
		applies: func(Definition, *schemas.Question) pipeline.Judgement { return pipeline.Judgement{} },
		read: func(_ *schemas.Question, text string, _ int) (answer, mark, reason string) {
			var given shippedResponse
			err := json.Unmarshal([]byte(text), &given)
			faults, usable := given.faults()
			if err != nil || !usable {
				return Unusable(model.CodeInvalid, "the response does not say yes or no to each point")
			}
			if len(faults) == 0 {
				return answerYes, schemas.MarkRight, ""
			}
			return strings.Join(faults, ", "), schemas.MarkWrong, ""
		},
		choice: true, readsWithoutItem: true, tokens: answerTokens,
	}
}

func shippedGate() Definition {
	return Definition{
		Name: "as-shipped", Version: "2", Summary: "as it is published, it is answerable, unambiguous, grammatical and self-contained",
		Form: Shipped(), View: view.Full, Pictures: true, WordsAlone: true, Roles: []string{roleJudge}, Rule: yesUnderNone, CleanRate: seeingRate,
		Explain: func(probes []schemas.Probe) (code, reason string, err error) {
			i := slices.IndexFunc(probes, func(p schemas.Probe) bool { return p.Mark == schemas.MarkWrong })
			if i < 0 {
				return "", "", fmt.Errorf("none of %d answers finds a fault", len(probes))
			}
			var given shippedResponse
			err = json.Unmarshal([]byte(probes[i].Response), &given)
			code, _, _ = strings.Cut(probes[i].Answer, ",")
			return code, validText(fmt.Sprintf("%s: %s", probes[i].Answer, given.Why)), err
		},
	}
}

// guessShipped looks for faults that words show. It sees no picture and follows no text, so it
// holds everything for answerable that has options which differ.
func guessShipped(in shippedInput, _ *rand.Rand) (shippedResponse, error) {
	out := shippedResponse{Answerable: answerYes, Unambiguous: answerYes, Grammatical: answerYes, SelfContained: answerYes}
	var why []string
	find := func(field *string, fault string) {
		if fault != "" {
			*field, why = answerNo, append(why, fault)
		}
	}
	find(&out.Grammatical, badWriting(in.Question))
	find(&out.SelfContained, dangling(in.Question, len(in.Options) > 0))
	values := map[string]string{}
	for _, o := range in.Options {
		key := cmp.Or(words.Value(o.Text), strings.TrimSpace(o.Text))
		if other, twice := values[key]; twice {
			find(&out.Unambiguous, fmt.Sprintf("the options %q and %q are one value", other, o.Text))
		}
		values[key] = o.Text
		find(&out.Grammatical, unfilled.FindString(o.Text))
	}
	for _, p := range in.Passages {
		if m := emptyField.FindString(p.Text); m != "" {
			find(&out.SelfContained, fmt.Sprintf("passage %d has a field without a value: %q", p.Number, strings.TrimSpace(m)))
		}
		find(&out.SelfContained, unfilled.FindString(p.Text))
	}
	out.Why = "The words show no fault. Pictures were not looked at."
	if len(why) > 0 {
		out.Why = strings.Join(slices.Compact(why), "; ") + ". Pictures were not looked at."
	}
	return out, nil
}

var (
	unfilled    = regexp.MustCompile(`\{\{|\}\}|%!?[sdv]\b|<nil>|\[object |\bundefined\b|\[truncated\]`)
	emptyField  = regexp.MustCompile(`(?i)(?:^|[;\n]) *[a-z][a-z_ ]{1,30}: *(?:;|null\b|n/a\b|$)`)
	pointsAway  = regexp.MustCompile(`(?i)\b(?:this|that) (?:person|user|speaker|man|woman)\b|\b(?:the|as) (?:above|shown below)\b|\b(?:the|of the) following(?:$|[:.?,]| (?:picture|image|text|table|list|statement|option|answer|question)s?\b)|\bof the following\b|\b(?:picture|image|text|table) (?:above|below)\b`)
	cutShort    = regexp.MustCompile(`(?:\.\.\.|…|[,;(]|\b(?:and|or|of|the|a|an|to|in))$`)
	wrongA      = regexp.MustCompile(`\ba [aeio][a-z]+`)
	wrongAn     = regexp.MustCompile(`\ban [bcdfgjklmnpqrstvwxyz][a-z]*[aeiouy][a-z]*`)
	soundsOther = regexp.MustCompile(`^a (?:one|once|oui|eu|ewe)`)
)

// badWriting is what is wrong with the grammar of a text as far as its words show it.
func badWriting(text string) string {
	list := words.Words(text)
	for i := range len(list) - 1 {
		again := list[i] + " " + list[i+1]
		if list[i] == list[i+1] && !slices.Contains([]string{"that", "had", "is"}, list[i]) && strings.Trim(list[i], "0123456789") != "" && strings.Contains(strings.ToLower(text), again) && !strings.Contains(text, asName(again)) {
			return fmt.Sprintf("%q stands there twice", list[i])
		}
	}
	switch text = strings.TrimSpace(text); {
	case text == "":
		return "there is no question"
	case unfilled.MatchString(text):
		return fmt.Sprintf("%q was not filled in", unfilled.FindString(text))
	case cutShort.MatchString(text):
		return "the question is cut short"
	case strings.Count(text, `"`)%2 == 1 || strings.Count(text, "(") != strings.Count(text, ")"):
		return "a quotation or bracket is not closed"
	}
	for _, m := range wrongA.FindAllString(text, -1) {
		if !soundsOther.MatchString(m) {
			return fmt.Sprintf("%q has the wrong article", m)
		}
	}
	if m := wrongAn.FindString(text); m != "" {
		return fmt.Sprintf("%q has the wrong article", m)
	}
	return ""
}

// asName writes a word that stands there twice as a name does: Bora Bora.
func asName(twice string) string {
	word, _, _ := strings.Cut(twice, " ")
	r, n := utf8.DecodeRuneInString(word)
	name := string(unicode.ToUpper(r)) + word[n:]
	return name + " " + name
}

// dangling is what a text points at that does not go with it; "which of the following" points at
// options.
func dangling(text string, hasOptions bool) string {
	for _, m := range pointsAway.FindAllString(text, -1) {
		if hasOptions && strings.Contains(strings.ToLower(m), "following") {
			continue
		}
		return fmt.Sprintf("%q points at something that does not go with the question", m)
	}
	return ""
}
