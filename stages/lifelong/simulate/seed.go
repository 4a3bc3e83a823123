package simulate

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	world "github.com/memforge/memforge/pipeline/kit/simulation"
)

// Seed is what is known of a person whose life is simulated: it takes the place of what
// would be drawn.
type Seed struct {
	// Person is a first and a last name; drawn where it is empty.
	Person string
	// Theme is what the main arc is about; that of simulated lives where it is empty.
	Theme string
	// About are aspects of the person with their values, which the profile tells and
	// which never change.
	About []Known
	// Visits are what happened to the person, in the order of time.
	Visits []Visit
}

// Known is an aspect of a person and its value.
type Known struct{ Aspect, Value string }

// Visit is something that happened somewhere on a day, in the words that tell it.
type Visit struct {
	// Date is a day as 2012-05-29.
	Date string
	// Place is of another name than that of the visit before.
	Place, Words string
}

// Aspects of a person that a seed may tell; Level makes further ones.
const (
	Work      = "work status"
	Marital   = "marital status"
	Income    = "income band"
	Area      = "home area"
	Age       = "age group"
	MainTrait = "main trait"
	NextTrait = "second trait"
	Stop      = "latest stop"
)

// LevelAspect returns the aspect that says how strong something is in a person, "need for order" for
// example.
func LevelAspect(of string) string { return "level of " + of }

// Pools of what seeds tell.
const (
	poolWork    = "work"
	poolMarital = "marital"
	poolIncome  = "income"
	poolArea    = "area"
	poolAge     = "age"
	poolTrait   = "trait"
	poolLevel   = "level"
	poolStop    = "stop"
)

func seedAspects() []aspect {
	return []aspect{{Work, poolWork}, {Marital, poolMarital}, {Income, poolIncome}, {Area, poolArea}, {Age, poolAge}, {MainTrait, poolTrait}, {NextTrait, poolTrait}, {Stop, poolStop}}
}

// knownWords returns wrong values for facts of seeds, which may have other values. Each
// pool has more than a question takes.
func knownWords(pool string) []string {
	list := map[string]string{
		poolWork:    "Working now|Student|Retired|Looking for work|On parental leave|Laid off|On sick leave",
		poolMarital: "Never married|Married|Divorced|Widowed|Separated|Engaged",
		poolIncome:  "High Income|Middle Income|Low Income|No Income|Upper Middle Income",
		poolArea:    "Cities|Suburbs|Small towns|Villages|Farmland|Islands",
		poolAge:     "Child (under 13 years old)|Teenager (13-17 years old)|Youth (18-35 years old)|Middle-aged (36-65 years old)|Elderly (over 65 years old)",
		poolTrait:   "calm|friendly|patient|curious|humble|organized|serious|creative|talkative|trustful|cooperative|outgoing|silent|careless|analytical",
		poolLevel:   "high|middle|low|mixed|undecided",
		poolStop:    "Train Station|Coffee Shop|Park|Bookstore|Office|Library|Bakery|Hotel|Airport|Plaza|Bank|Post Office|Supermarket|Bridge|Diner",
	}[pool]
	if list == "" {
		return nil
	}
	return strings.Split(list, "|")
}

// themeKinds returns the kinds of things in the main arc of a theme.
func themeKinds(theme string) []string {
	list := map[string]string{
		"childcare":     "play group|day nursery|birthday party|toddler class",
		"dining":        "supper club|tasting evening|food market|cooking course",
		"education":     "evening class|study circle|exam course|library project",
		"elderlycare":   "care plan|day centre|home help|visiting service",
		"entertainment": "film night|concert series|game evening|theatre trip",
		"mental health": "support group|quiet retreat|sleep diary|counselling course",
		"sport health":  "running plan|swimming course|yoga class|health check",
		"travel":        "train trip|city weekend|hiking tour|ferry passage",
	}[theme]
	if list == "" {
		return nil
	}
	return strings.Split(list, "|")
}

// SimulateLife makes a life course from random numbers and a seed. It has a session for
// each day of a visit, and as many as its size says where there are no visits.
func SimulateLife(rnd *rand.Rand, size Size, of Seed) (World, error) {
	days := map[string][]Visit{}
	var dates []string
	for _, v := range of.Visits {
		if len(days[v.Date]) == 0 {
			dates = append(dates, v.Date)
		}
		days[v.Date] = append(days[v.Date], v)
	}
	if len(dates) > 0 {
		size.Sessions = len(dates)
	}
	if err := size.Check(); err != nil {
		return World{}, err
	}
	if !slices.IsSorted(dates) {
		return World{}, fmt.Errorf("the visits of %s are not in the order of time", of.Person)
	}
	s := newSimulator(rnd, domainOfTheme(of.Theme), size)
	if of.Person != "" {
		s.world.Person = of.Person
		s.noteName(of.Person)
	}
	theme := cmp.Or(of.Theme, "everyday")
	s.diary = "the " + strings.ToUpper(theme[:1]) + theme[1:] + " diary"
	s.tellSeed(of.About)
	if len(dates) == 0 {
		s.pickDays()
		return s.world, nil
	}
	err := s.addVisitDays(dates, days)
	return s.world, err
}

// addVisitDays adds a session for each day with a visit, and dates the bootstrap a week
// before the first.
func (s *simulator) addVisitDays(dates []string, visits map[string][]Visit) error {
	for n, d := range dates {
		day, err := time.Parse(time.DateOnly, d)
		if err != nil {
			return fmt.Errorf("a visit of %s has the day %q: %w", s.world.Person, d, err)
		}
		if n == 0 {
			s.world.Sessions[0].Date = day.AddDate(0, 0, -7).Format(time.DateOnly)
		}
		s.addSession(n+1, d, visits[d]...)
	}
	return nil
}

func domainOfTheme(theme string) domain {
	d := lifeDomain()[0]
	if kinds := themeKinds(theme); len(kinds) > 0 {
		d.kinds, d.main = append(kinds, d.kinds[d.mains:]...), []string{theme}
	}
	return d
}

// tellSeed is the bootstrap of a seeded simulation. Its facts cannot change.
func (s *simulator) tellSeed(about []Known) {
	for _, k := range about {
		s.emit(Event{Op: OpAppend, Key: world.Key{Entity: s.world.Person, Aspect: k.Aspect}, Value: k.Value, Picture: -1})
		s.round++
	}
	s.world.Sessions[0].Rounds = s.round
}

// addVisit tells where the person was, in the words of the seed.
func (s *simulator) addVisit(v Visit) {
	e := Event{Op: OpAppend, Key: world.Key{Entity: s.diary, Aspect: Stop}, Value: v.Place, Words: v.Words, Picture: -1}
	if h := s.state[e.Key]; h != nil {
		e.Op, e.Old = OpRevise, h.value
	}
	s.emit(e)
}
