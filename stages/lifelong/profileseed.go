package lifelong

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/oracle"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// profileSeed is what a user brings into a life, and what of the user it can't take, counted by
// field.
type profileSeed struct {
	simulate.Seed
	lost map[string]int
}

// Forms that texts of strangers must have to be said: a value ends no sentence, and what
// an aspect is called has letters alone.
var (
	fullName  = regexp.MustCompile(`^[A-Z][a-z]+ [A-Z][a-z]+$`)
	sayable   = regexp.MustCompile(`^[^.!?;\n"]{1,80}$`)
	themeForm = regexp.MustCompile(`^[a-z]{3,}( [a-z]+)*$`)
	levelForm = regexp.MustCompile(`^[a-z][a-z -]{2,60}$`)
)

// newProfileSeed takes a name, facts and preferences from a profile, and a theme and visits from
// what happened. Of what happened the first item counts; the others are lost.
func newProfileSeed(p schemas.Profile, items []schemas.EvidenceItem) *profileSeed {
	s := &profileSeed{lost: map[string]int{}}
	if fullName.MatchString(p.Name) {
		s.Person = p.Name
	} else {
		s.lost["name"]++
	}
	s.addAttributes(p)
	s.addPreferences(p)
	if len(items) == 0 {
		s.lost["events"]++
		return s
	}
	s.addEvents(items[0])
	for _, more := range items[1:] {
		s.lost["events of another theme"] += len(more.Units)
	}
	return s
}

// addAttributes become facts of the profile.
func (s *profileSeed) addAttributes(p schemas.Profile) {
	aspects := map[string]string{"employment": simulate.Work, "marital": simulate.Marital, "income": simulate.Income, "area": simulate.Area, "age": simulate.Age}
	for _, key := range slices.Sorted(maps.Keys(p.Attributes)) {
		name, _, _ := strings.Cut(key, " ") // of the five traits as one
		if aspects[key] == "" || !s.addFact(aspects[key], p.Attributes[key]) {
			s.lost[name]++
		}
	}
	for i, t := range p.Traits {
		aspect := ""
		if i < 2 {
			aspect = []string{simulate.MainTrait, simulate.NextTrait}[i]
		}
		if aspect == "" || !s.addFact(aspect, strings.ToLower(t)) {
			s.lost["personality"]++
		}
	}
}

// addFact adds a fact of the person, where it can be said and is the first of its aspect.
func (s *profileSeed) addFact(aspect, value string) bool {
	twice := slices.ContainsFunc(s.About, func(k simulate.Known) bool { return k.Aspect == aspect })
	if twice || !sayable.MatchString(value) {
		return false
	}
	s.About = append(s.About, simulate.Known{Aspect: aspect, Value: value})
	return true
}

// addPreferences become how strong something is in the person. The sentence that states one
// in full is not said.
func (s *profileSeed) addPreferences(p schemas.Profile) {
	for _, one := range p.Preferences {
		of, _, _ := strings.Cut(strings.ToLower(one.Dimension), " (")
		of, _, _ = strings.Cut(of, ":")
		of = strings.TrimPrefix(of, "degree of ")
		if !levelForm.MatchString(of) || one.Level == "" || !s.addFact(simulate.LevelAspect(of), one.Level) {
			s.lost["preferences_value"]++
		}
		s.lost["preferences"]++
	}
}

// addEvents takes the theme, and of each event the day, the place and what was written.
func (s *profileSeed) addEvents(item schemas.EvidenceItem) {
	theme := strings.ReplaceAll(item.Question.Labels["theme"], "_", " ")
	if themeForm.MatchString(theme) {
		s.Theme = theme
	} else {
		s.lost["theme"]++
	}
	last := ""
	for _, u := range item.Units {
		for name := range u.Labels {
			if name != "location" {
				s.lost["events."+name]++
			}
		}
		day, _, timed := strings.Cut(u.Time, "T")
		place := strings.Join(strings.Fields(u.Labels["location"]), " ")
		words := strings.Replace(u.Text, "\nAsks: ", " ", 1)
		switch {
		case !timed, len(s.Visits) > 0 && day < s.Visits[len(s.Visits)-1].Date:
			s.lost["events without a day"]++
		case !sayable.MatchString(place):
			s.lost["events without a place"]++
		case len(s.Visits) > 0 && day == s.Visits[len(s.Visits)-1].Date && !s.soundsLikeFact(words):
			// a fact changes once a session: of a day the first place is told, and all words
			s.Visits[len(s.Visits)-1].Words += " " + words
			s.lost["events.hour"]++
			s.lost["events.location"]++
		case place == last:
			s.lost["events at the same place again"]++
		case s.soundsLikeFact(words):
			s.lost["events whose words tell another fact"]++
		default:
			s.lost["events.hour"]++
			s.Visits, last = append(s.Visits, simulate.Visit{Date: day, Place: place, Words: words}), place
		}
	}
}

// soundsLikeFact reports whether what somebody wrote would be taken for the telling of a fact.
// The person stands for any: what is said of "my" home is of whoever speaks.
func (s *profileSeed) soundsLikeFact(words string) bool {
	profile := schemas.Session{Kind: schemas.KindProfile, Participants: []string{"Some Body"}}
	for _, k := range s.About {
		profile.Turns = append(profile.Turns, schemas.Turn{Role: schemas.TurnUser, Text: fmt.Sprintf("My %s is %s.", k.Aspect, k.Value)})
	}
	said := schemas.Session{Order: 1, Turns: []schemas.Turn{{Role: schemas.TurnUser, Text: words}}}
	all := []schemas.Session{profile, said}
	for i := range all {
		for n := range all[i].Turns {
			all[i].Turns[n].TurnID = schemas.TurnIDOf(fmt.Sprint(i), n+1)
		}
	}
	return len(oracle.New(all, nil).Points()[1]) > 0
}

// visitDays are those on which something happened.
func (s *profileSeed) visitDays() []string {
	var out []string
	for _, v := range s.Visits {
		out = append(out, v.Date)
	}
	return slices.Compact(out)
}
