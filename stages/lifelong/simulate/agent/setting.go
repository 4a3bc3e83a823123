package agent

// setting is how steps speak of an application or a place.
type setting struct {
	// app is its name, start what is in front when a session begins, hit how a mouse, a
	// finger or a body acts.
	app, start, hit string
}

func settingOf(domain string) setting {
	return map[string]setting{
		"spreadsheet": {"the spreadsheet program", "the list of workbooks", "CLICK"},
		"files":       {"the file manager", "the home folder", "DOUBLE_CLICK"},
		"pictures":    {"the picture editor", "an empty canvas", "CLICK"},
		"documents":   {"the word processor", "the list of recent documents", "CLICK"},
		"shop":        {"the shop's site", "the page of all orders", "CLICK"},
		"admin":       {"the admin site", "the dashboard", "CLICK"},
		"styles":      {"the style editor", "the list of style sheets", "CLICK"},
		"phone":       {"the phone", "the home screen", "TAP"},
		"household":   {"the flat", "the hallway", "GOTO"},
		"navigation":  {"the depot", "the gate", "NAVIGATE"},
		"crafting":    {"the base", "the spawn point", "WALK"},
		"workshop":    {"the garden shed", "the path", "GOTO"},
	}[domain]
}
