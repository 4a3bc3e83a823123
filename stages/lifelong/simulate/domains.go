package simulate

import "sync"

// DomainLife is the domain of the life course; the others are verticals.
const DomainLife = "life"

// aspect is what can be otherwise about a thing, and of which pool its values are.
type aspect struct{ name, pool string }

// domain is what worlds of one vertical, or of the life course, consist of.
type domain struct {
	name string
	// regime and scenario are set where an agent acts.
	regime, scenario string
	// kinds of things; those before mains belong to the main arc.
	kinds      []string
	mains      int
	main, side []string
	told       []aspect
	shown      []aspect
}

// Domains lists the six verticals and the life course.
func Domains() []string {
	var out []string
	for _, d := range domains() {
		out = append(out, d.name)
	}
	return out
}

// all are the domains, made once: they are asked for by every event.
var all = sync.OnceValue(func() []domain { return append(domains(), agenticDomains()...) })

func domainOf(name string) (domain, bool) {
	for _, d := range all() {
		if d.name == name {
			return d, true
		}
	}
	return domain{}, false
}

func toldOfLead(lead, city, day, room, org, second string) []aspect {
	return []aspect{{lead, poolPerson}, {city, poolCity}, {day, poolDay}, {room, poolRoom}, {org, poolOrg}, {second, poolPerson}}
}

// shownAspects are a count and an amount that change, and a number that a thing keeps.
func shownAspects(count, amount, serial string) []aspect {
	return []aspect{{count, poolCount}, {amount, poolAmount}, {serial, poolSerial}}
}

// isPermanent reports whether a thing keeps an aspect for good, as what is stamped into it.
func (a aspect) isPermanent() bool { return a.pool == poolSerial || a.pool == poolStamp }

func domains() []domain { return append(professionDomains(), lifeDomain()...) }

func professionDomains() []domain {
	return []domain{
		{
			name: "academic", kinds: []string{"survey", "lab study", "thesis chapter", "workshop paper", "seminar", "reading group"}, mains: 4,
			main: []string{"research", "publication"}, side: []string{"teaching", "department"},
			told:  toldOfLead("lead", "field site", "due date", "seminar room", "funder", "reviewer"),
			shown: shownAspects("source count", "travel budget", "reference code"),
		},
		{
			name: "software", kinds: []string{"service", "dashboard", "import job", "login page", "search index", "mobile app"}, mains: 4,
			main: []string{"delivery", "architecture"}, side: []string{"operations", "team"},
			told:  toldOfLead("owner", "data centre", "release day", "meeting room", "supplier", "tester"),
			shown: []aspect{{"open ticket count", poolCount}, {"cloud budget", poolAmount}, {"build code", poolCode}},
		},
		{
			name: "health", kinds: []string{"rehab plan", "sleep study", "screening", "diet plan", "vaccination round", "check-up"}, mains: 4,
			main: []string{"treatment", "recovery"}, side: []string{"prevention", "paperwork"},
			told:  toldOfLead("nurse", "clinic town", "next appointment", "ward", "insurer", "physician"),
			shown: []aspect{{"visit count", poolFew}, {"co-payment", poolFee}, {"file number", poolSerial}},
		},
		{
			name: "finance", kinds: []string{"audit", "loan", "fund", "invoice run", "tax return", "insurance claim"}, mains: 4,
			main: []string{"year end", "investment"}, side: []string{"compliance", "household"},
			told:  toldOfLead("contact", "branch", "closing day", "archive room", "bank", "approver"),
			shown: shownAspects("open item count", "balance", "ledger code"),
		},
		{
			name: "education", kinds: []string{"course", "school trip", "exam", "maths club", "library week", "choir concert"}, mains: 4,
			main: []string{"curriculum", "school year"}, side: []string{"events", "staff room"},
			told:  toldOfLead("teacher", "host town", "first day", "classroom", "sponsor", "substitute"),
			shown: []aspect{{"enrolment", poolCount}, {"fee", poolFee}, {"course code", poolSerial}},
		},
		{
			name: "startup", kinds: []string{"pilot", "beta launch", "investor deck", "packaging line", "trade fair stand", "hiring round"}, mains: 4,
			main: []string{"product", "funding"}, side: []string{"office", "hiring"},
			told:  toldOfLead("driver", "launch city", "deadline", "war room", "partner", "adviser"),
			shown: shownAspects("open task count", "monthly spend", "deal code"),
		},
	}
}

func lifeDomain() []domain {
	return []domain{
		{
			name: DomainLife, kinds: []string{"job application", "savings plan", "language course", "flat search", "garden plot", "running group", "family reunion", "cooking class"}, mains: 4,
			main: []string{"career", "goals"}, side: []string{"daily life", "family", "health"},
			told:  toldOfLead("contact", "town", "next date", "meeting place", "provider", "stand-in"),
			shown: []aspect{{"number of appointments", poolFew}, {"planned cost", poolFee}, {"file number", poolSerial}},
		},
	}
}
