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

func toldOfLead(lead, city, day, room, org, second string) []aspect {
	return []aspect{{lead, poolPerson}, {city, poolCity}, {day, poolDay}, {room, poolRoom}, {org, poolOrg}, {second, poolPerson}}
}

// shownAspects returns a count and an amount that change, and a serial number that stays.
func shownAspects(count, amount, serial string) []aspect {
	return []aspect{{count, poolCount}, {amount, poolAmount}, {serial, poolSerial}}
}

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
			told:  []aspect{{"owner", poolPerson}, {"cost centre", poolCode}, {"cut-off day", poolDay}, {"branch city", poolCity}, {"bank name", poolOrg}},
			shown: []aspect{{"grand total", poolAmount}, {"comment count", poolCount}},
		},
		{
			name: "files", regime: GUI, scenario: "file_mgmt", kinds: []string{"archive", "photo folder", "backup", "project folder"}, mains: 2,
			main: []string{"clearing out"}, side: []string{"backups"},
			told:  []aspect{{"holder", poolPerson}, {"drive label", poolCode}, {"expiry day", poolDay}, {"server city", poolCity}, {"shelf mark", poolMark}},
			shown: []aspect{{"number of files", poolCount}, {"checksum", poolHash}},
		},
		{
			name: "pictures", regime: GUI, scenario: "image_edit", kinds: []string{"poster", "book cover", "banner", "postcard"}, mains: 2,
			main: []string{"artwork"}, side: []string{"proofs"},
			told:  []aspect{{"designer", poolPerson}, {"backdrop", poolColour}, {"lettering", poolFont}, {"print city", poolCity}, {"client", poolOrg}},
			shown: []aspect{{"layer count", poolCount}, {"swatch code", poolHash}},
		},
		{
			name: "documents", regime: GUI, scenario: "word_docs", kinds: []string{"contract", "handbook", "annual report", "cover letter"}, mains: 2,
			main: []string{"drafting"}, side: []string{"filing"},
			told:  []aspect{{"signatory", poolPerson}, {"body font", poolFont}, {"issue day", poolDay}, {"filing city", poolCity}, {"addressee", poolOrg}},
			shown: []aspect{{"word count", poolCount}, {"revision mark", poolHash}},
		},
	}
}

func onlineDomains() []domain {
	return []domain{
		{
			name: "shop", regime: GUI, scenario: "web", kinds: []string{"lamp order", "desk order", "kettle order", "rug order"}, mains: 2,
			main: []string{"purchases"}, side: []string{"returns"},
			told:  []aspect{{"recipient", poolPerson}, {"chosen colour", poolColour}, {"delivery day", poolDay}, {"destination", poolCity}, {"carrier", poolOrg}},
			shown: []aspect{{"amount due", poolFee}, {"parcel number", poolStamp}},
		},
		{
			name: "admin", regime: GUI, scenario: "webarena_lite", kinds: []string{"user group", "mail queue", "web host", "print queue"}, mains: 2,
			main: []string{"operations"}, side: []string{"clean-up"},
			told:  []aspect{{"keyholder", poolPerson}, {"patch day", poolDay}, {"data centre", poolCity}, {"vendor", poolOrg}, {"quota class", poolCode}},
			shown: []aspect{{"open tickets", poolCount}, {"build number", poolHash}},
		},
		{
			name: "styles", regime: GUI, scenario: "css", kinds: []string{"landing page", "blog page", "checkout page", "footer block"}, mains: 2,
			main: []string{"redesign"}, side: []string{"fixes"},
			told:  []aspect{{"heading font", poolFont}, {"accent colour", poolColour}, {"reviewer", poolPerson}, {"launch day", poolDay}, {"theme name", poolTheme}},
			shown: []aspect{{"line width", poolPixels}, {"style hash", poolHash}},
		},
		{
			name: "phone", regime: GUI, scenario: "mobile", kinds: []string{"alarm", "reminder", "calendar entry", "countdown"}, mains: 2,
			main: []string{"daily planning"}, side: []string{"settings"},
			told:  []aspect{{"contact person", poolPerson}, {"ring tone", poolTone}, {"due day", poolDay}, {"time zone city", poolCity}, {"background", poolColour}},
			shown: []aspect{{"alert count", poolCount}, {"sync code", poolHash}},
		},
	}
}

func placeDomains() []domain {
	return []domain{
		{
			name: "household", regime: Embodied, scenario: "eb_alfred_base", kinds: []string{"mug", "vase", "toolbox", "blanket"}, mains: 2,
			main: []string{"putting away"}, side: []string{"looking after"},
			told:  []aspect{{"resting place", poolSpot}, {"keeper", poolPerson}, {"cleaning day", poolDay}, {"maker", poolOrg}, {"tint", poolColour}},
			shown: []aspect{{"dust reading", poolCount}, {"stamped code", poolStamp}},
		},
		{
			name: "navigation", regime: Embodied, scenario: "eb_nav_base", kinds: []string{"crate", "parcel", "trolley", "beacon"}, mains: 2,
			main: []string{"deliveries"}, side: []string{"rounds"},
			told:  []aspect{{"parking bay", poolBay}, {"escort", poolPerson}, {"pick-up day", poolDay}, {"home depot", poolCity}, {"haulier", poolOrg}},
			shown: []aspect{{"bearing", poolBearing}, {"tag print", poolStamp}},
		},
		{
			name: "crafting", regime: Embodied, scenario: "minecraft", kinds: []string{"pickaxe", "furnace", "lantern", "shield"}, mains: 2,
			main: []string{"crafting"}, side: []string{"storing"},
			told:  []aspect{{"stowage", poolStow}, {"metal", poolMetal}, {"owner", poolPerson}, {"guild", poolOrg}, {"dye", poolColour}},
			shown: []aspect{{"durability", poolCount}, {"rune", poolStamp}},
		},
		{
			name: "workshop", regime: Embodied, scenario: "omnigibson", kinds: []string{"plant pot", "paint tin", "lawn mower", "seed tray"}, mains: 2,
			main: []string{"garden work"}, side: []string{"repairs"},
			told:  []aspect{{"berth", poolSpot}, {"caretaker", poolPerson}, {"service day", poolDay}, {"label colour", poolColour}, {"supplier", poolOrg}},
			shown: []aspect{{"fill level", poolPercent}, {"plate number", poolStamp}},
		},
	}
}
