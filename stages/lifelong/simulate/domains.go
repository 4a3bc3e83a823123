package simulate

import (
	"slices"
	"sync"
)

// DomainLife is the domain of the life course; the others are verticals.
const DomainLife = "life"

// aspect is a variable property of a thing, with the pool of its values.
type aspect struct{ name, pool string }

// domain describes the worlds of one vertical, or of the life course.
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

// toldPairs returns what is told of a thing: two people, towns, days and organisations.
// With two aspects of a kind, a value of another place in the same thing is a wrong option.
func toldPairs(person, second, city, town, day, date, org, other string) []aspect {
	return []aspect{
		{person, poolPerson}, {second, poolPerson}, {city, poolCity}, {town, poolCity}, {day, poolDay}, {date, poolDay}, {org, poolOrg}, {other, poolOrg},
	}
}

// shownPairs returns two counts and two amounts that change, and a serial number that
// stays. A thing shows all but one of the first four.
func shownPairs(counts, amounts string, count, other, amount, second, serial string) []aspect {
	return []aspect{{count, counts}, {other, counts}, {amount, amounts}, {second, amounts}, {serial, poolSerial}}
}

func (a aspect) isPermanent() bool { return a.pool == poolSerial || a.pool == poolStamp }

func domains() []domain { return append(professionDomains(), lifeDomain()...) }

func professionDomains() []domain {
	return []domain{
		{
			name: "academic", kinds: []string{"survey", "lab study", "thesis chapter", "workshop paper", "seminar", "reading group"}, mains: 4,
			main: []string{"research", "publication"}, side: []string{"teaching", "department"},
			told:  toldPairs("lead", "reviewer", "field site", "conference city", "due date", "kick-off day", "funder", "publisher"),
			shown: shownPairs(poolCount, poolAmount, "source count", "page count", "travel budget", "equipment budget", "reference code"),
		},
		{
			name: "software", kinds: []string{"service", "dashboard", "import job", "login page", "search index", "mobile app"}, mains: 4,
			main: []string{"delivery", "architecture"}, side: []string{"operations", "team"},
			told:  toldPairs("owner", "tester", "data centre", "support city", "release day", "freeze day", "supplier", "reseller"),
			shown: shownPairs(poolCount, poolAmount, "open ticket count", "closed ticket count", "cloud budget", "licence budget", "build code"),
		},
		{
			name: "health", kinds: []string{"rehab plan", "sleep study", "screening", "diet plan", "vaccination round", "check-up"}, mains: 4,
			main: []string{"treatment", "recovery"}, side: []string{"prevention", "paperwork"},
			told:  toldPairs("nurse", "physician", "clinic town", "pharmacy town", "next appointment", "follow-up day", "insurer", "laboratory"),
			shown: shownPairs(poolFew, poolFee, "visit count", "exercise count", "co-payment", "refund", "file number"),
		},
		{
			name: "finance", kinds: []string{"audit", "loan", "fund", "invoice run", "tax return", "insurance claim"}, mains: 4,
			main: []string{"year end", "investment"}, side: []string{"compliance", "household"},
			told:  toldPairs("contact", "approver", "branch", "registry town", "closing day", "payment day", "bank", "broker"),
			shown: shownPairs(poolCount, poolAmount, "open item count", "booked item count", "balance", "reserve", "ledger code"),
		},
		{
			name: "education", kinds: []string{"course", "school trip", "exam", "maths club", "library week", "choir concert"}, mains: 4,
			main: []string{"curriculum", "school year"}, side: []string{"events", "staff room"},
			told:  toldPairs("teacher", "substitute", "host town", "partner town", "first day", "last day", "sponsor", "caterer"),
			shown: shownPairs(poolCount, poolFee, "enrolment", "seat count", "entry fee", "deposit", "course code"),
		},
		{
			name: "startup", kinds: []string{"pilot", "beta launch", "investor deck", "packaging line", "trade fair stand", "hiring round"}, mains: 4,
			main: []string{"product", "funding"}, side: []string{"office", "hiring"},
			told:  toldPairs("driver", "adviser", "launch city", "depot city", "deadline", "review day", "reseller", "distributor"),
			shown: shownPairs(poolCount, poolAmount, "open task count", "closed task count", "monthly spend", "monthly revenue", "deal code"),
		},
	}
}

func lifeDomain() []domain {
	return []domain{
		{
			name: DomainLife, kinds: []string{"job application", "savings plan", "language course", "flat search", "garden plot", "running group", "family reunion", "cooking class"}, mains: 4,
			main: []string{"career", "goals"}, side: []string{"daily life", "family", "health"},
			told:  toldPairs("contact", "stand-in", "host town", "fallback town", "next date", "reply day", "provider", "insurer"),
			shown: shownPairs(poolFew, poolFee, "number of appointments", "number of calls", "planned cost", "deposit", "file number"),
		},
	}
}

// Regimes of domains in which an agent acts; those of lifelong evolution have none.
const (
	GUI      = "gui"
	Embodied = "embodied"
)

// Agentic lists the applications and places that agents work in (WorldMemArena 4.1 and
// figure 3).
func Agentic() []string {
	var out []string
	for _, d := range agenticDomains() {
		out = append(out, d.name)
	}
	return out
}

// Regime returns GUI or Embodied, and empty for a domain of lifelong evolution.
func Regime(name string) string {
	d, _ := domainOf(name)
	return d.regime
}

// Scenario returns what WorldMemArena calls a domain: the last part of the directory of its
// published tasks (E1).
func Scenario(name string) string {
	d, ok := domainOf(name)
	if !ok || d.scenario == "" {
		return name
	}
	return d.scenario
}

// IsCarried reports whether an aspect of a domain is where something lies, so that to
// change it somebody must take the thing up and put it down.
func IsCarried(domain, aspect string) bool {
	return slices.Contains([]string{poolSpot, poolBay, poolStow}, poolOf(domain, aspect))
}

// ToldAspects lists the aspects of things of a domain that actions change.
func ToldAspects(domain string) []string {
	d, _ := domainOf(domain)
	var out []string
	for _, a := range d.told {
		out = append(out, a.name)
	}
	return out
}

func agenticDomains() []domain {
	return slices.Concat(officeDomains(), onlineDomains(), placeDomains())
}

func officeDomains() []domain {
	return []domain{
		{
			name: "spreadsheet", regime: GUI, scenario: "excel", kinds: []string{"budget", "timesheet", "stock list", "sales sheet"}, mains: 2,
			main: []string{"bookkeeping"}, side: []string{"tidying up"},
			told:  []aspect{{"owner", poolPerson}, {"approver", poolPerson}, {"cut-off day", poolDay}, {"audit day", poolDay}, {"cost centre", poolCode}, {"branch city", poolCity}},
			shown: []aspect{{"row count", poolCount}, {"comment count", poolCount}, {"grand total", poolAmount}},
		},
		{
			name: "files", regime: GUI, scenario: "file_mgmt", kinds: []string{"archive", "photo folder", "backup", "project folder"}, mains: 2,
			main: []string{"clearing out"}, side: []string{"backups"},
			told:  []aspect{{"holder", poolPerson}, {"archivist", poolPerson}, {"expiry day", poolDay}, {"review day", poolDay}, {"drive label", poolCode}, {"server city", poolCity}},
			shown: []aspect{{"number of files", poolCount}, {"number of folders", poolCount}, {"checksum", poolHash}},
		},
		{
			name: "pictures", regime: GUI, scenario: "image_edit", kinds: []string{"poster", "book cover", "banner", "postcard"}, mains: 2,
			main: []string{"artwork"}, side: []string{"proofs"},
			told:  []aspect{{"designer", poolPerson}, {"illustrator", poolPerson}, {"backdrop", poolColour}, {"frame colour", poolColour}, {"lettering", poolFont}, {"print city", poolCity}},
			shown: []aspect{{"layer count", poolCount}, {"guide count", poolCount}, {"swatch code", poolHash}},
		},
		{
			name: "documents", regime: GUI, scenario: "word_docs", kinds: []string{"contract", "handbook", "annual report", "cover letter"}, mains: 2,
			main: []string{"drafting"}, side: []string{"filing"},
			told:  []aspect{{"signatory", poolPerson}, {"witness", poolPerson}, {"issue day", poolDay}, {"expiry day", poolDay}, {"body font", poolFont}, {"filing city", poolCity}},
			shown: []aspect{{"word count", poolCount}, {"page count", poolCount}, {"revision mark", poolHash}},
		},
	}
}

func onlineDomains() []domain {
	return []domain{
		{
			name: "shop", regime: GUI, scenario: "web", kinds: []string{"lamp order", "desk order", "kettle order", "rug order"}, mains: 2,
			main: []string{"purchases"}, side: []string{"returns"},
			told:  []aspect{{"recipient", poolPerson}, {"neighbour", poolPerson}, {"delivery day", poolDay}, {"return day", poolDay}, {"chosen colour", poolColour}, {"destination", poolCity}},
			shown: []aspect{{"amount due", poolFee}, {"deposit", poolFee}, {"parcel number", poolStamp}},
		},
		{
			name: "admin", regime: GUI, scenario: "webarena_lite", kinds: []string{"user group", "mail queue", "web host", "print queue"}, mains: 2,
			main: []string{"operations"}, side: []string{"clean-up"},
			told:  []aspect{{"keyholder", poolPerson}, {"deputy", poolPerson}, {"patch day", poolDay}, {"backup day", poolDay}, {"data centre", poolCity}, {"quota class", poolCode}},
			shown: []aspect{{"open tickets", poolCount}, {"closed tickets", poolCount}, {"build number", poolHash}},
		},
		{
			name: "styles", regime: GUI, scenario: "css", kinds: []string{"landing page", "blog page", "checkout page", "footer block"}, mains: 2,
			main: []string{"redesign"}, side: []string{"fixes"},
			told:  []aspect{{"reviewer", poolPerson}, {"maintainer", poolPerson}, {"launch day", poolDay}, {"freeze day", poolDay}, {"heading font", poolFont}, {"accent colour", poolColour}},
			shown: []aspect{{"line width", poolPixels}, {"margin width", poolPixels}, {"style hash", poolHash}},
		},
		{
			name: "phone", regime: GUI, scenario: "mobile", kinds: []string{"alarm", "reminder", "calendar entry", "countdown"}, mains: 2,
			main: []string{"daily planning"}, side: []string{"settings"},
			told:  []aspect{{"contact person", poolPerson}, {"stand-in", poolPerson}, {"due day", poolDay}, {"repeat day", poolDay}, {"background", poolColour}, {"time zone city", poolCity}},
			shown: []aspect{{"alert count", poolCount}, {"missed count", poolCount}, {"sync code", poolHash}},
		},
	}
}

func placeDomains() []domain {
	return []domain{
		{
			name: "household", regime: Embodied, scenario: "eb_alfred_base", kinds: []string{"mug", "vase", "toolbox", "blanket"}, mains: 2,
			main: []string{"putting away"}, side: []string{"looking after"},
			told:  []aspect{{"resting place", poolSpot}, {"keeper", poolPerson}, {"borrower", poolPerson}, {"cleaning day", poolDay}, {"airing day", poolDay}, {"tint", poolColour}},
			shown: []aspect{{"dust reading", poolCount}, {"wear reading", poolCount}, {"stamped code", poolStamp}},
		},
		{
			name: "navigation", regime: Embodied, scenario: "eb_nav_base", kinds: []string{"crate", "parcel", "trolley", "beacon"}, mains: 2,
			main: []string{"deliveries"}, side: []string{"rounds"},
			told:  []aspect{{"parking bay", poolBay}, {"escort", poolPerson}, {"dispatcher", poolPerson}, {"pick-up day", poolDay}, {"return day", poolDay}, {"home depot", poolCity}},
			shown: []aspect{{"bearing", poolBearing}, {"slope", poolBearing}, {"tag print", poolStamp}},
		},
		{
			name: "crafting", regime: Embodied, scenario: "minecraft", kinds: []string{"pickaxe", "furnace", "lantern", "shield"}, mains: 2,
			main: []string{"crafting"}, side: []string{"storing"},
			told:  []aspect{{"stowage", poolStow}, {"metal", poolMetal}, {"dye", poolColour}, {"owner", poolPerson}, {"crafter", poolPerson}, {"repair day", poolDay}},
			shown: []aspect{{"durability", poolCount}, {"sharpness", poolCount}, {"rune", poolStamp}},
		},
		{
			name: "workshop", regime: Embodied, scenario: "omnigibson", kinds: []string{"plant pot", "paint tin", "lawn mower", "seed tray"}, mains: 2,
			main: []string{"garden work"}, side: []string{"repairs"},
			told:  []aspect{{"berth", poolSpot}, {"caretaker", poolPerson}, {"helper", poolPerson}, {"service day", poolDay}, {"refill day", poolDay}, {"label colour", poolColour}},
			shown: []aspect{{"fill level", poolPercent}, {"moisture", poolPercent}, {"plate number", poolStamp}},
		},
	}
}
