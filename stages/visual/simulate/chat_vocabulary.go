package simulate

func chatAccessories() []string {
	return []string{
		"round glasses", "sunglasses", "a beanie", "a straw hat", "a cap", "headphones", "a flower", "a headband", "a bow tie", "a scarf", "a beret", "a bike helmet", "a party hat", "a crown",
	}
}

// chatSigns are icons beside a name.
func chatSigns() []string {
	return []string{
		"a star", "a heart", "a flame", "a leaf", "a moon", "a snowflake", "a fish", "a bird", "a cat", "an apple", "a flower", "a rocket", "a feather", "a trophy", "a guitar", "an umbrella",
	}
}

func chatTags() []string {
	return []string{
		"Captain", "Treasurer", "Night owl", "Early bird", "Navigator", "Cook", "New here", "Goalkeeper", "Timekeeper", "Bass voice", "Key holder", "Tea duty", "On leave", "Photographer", "Driver",
		"Host", "Substitute", "Reporter",
	}
}

func chatStatuses() []string {
	return []string{
		"Back on Thursday", "Only calls, please", "Learning to bake", "Somewhere by the sea", "Slow to answer", "Counting the days", "Moving house", "At the allotment", "Rehearsing until nine",
		"Ask me about bees", "Looking for a flat", "Out of coffee", "Phone found again", "Away with the choir", "Training for June", "Reading, do not disturb", "Two weeks offline", "Open for lunch",
	}
}

// chatDots are colours of the dot that says whether somebody is there.
func chatDots() []string { return []string{"green", "yellow", "red", "grey", "purple", "blue"} }

func chatJackets() []string {
	return []string{"red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink", "brown", "black"}
}

func chatGroups() []string {
	return []string{"Harbour walk", "Choir, row two", "Sunday league", "Allotment 14", "Board game night", "Old classmates", "Cousins", "The long table", "Bike repair", "Book circle"}
}

// chatRows are places in a list, from the top.
func chatRows() []string {
	return []string{"at the top of the list", "second from the top", "third from the top", "third from the bottom", "second from the bottom", "at the bottom of the list"}
}

// chatCards are places of cards.
func chatCards() []string {
	return []string{"in the upper left", "in the upper right", "in the middle on the left", "in the middle on the right", "in the lower left", "in the lower right"}
}

// chatOrder are places in a row of people on a photograph.
func chatOrder() []string {
	return []string{"at the far left", "second from the left", "second from the right", "at the far right"}
}

// chatLines are messages. None says what is to be seen.
func chatLines() []string {
	return []string{
		"See you at six?", "I am running ten minutes late.", "Who has the key this week?", "Thanks, that helps a lot.", "Can somebody bring plates?", "The bus was full again.", "Same time next week!",
		"I forgot to answer, sorry.", "Let us meet at the corner.", "Did the parcel come?", "My phone was off all day.", "Good news: it is settled.", "I can take two in the car.", "Please vote until Friday.",
		"That made my day.", "Which platform was it?", "I will call you tonight.", "No rush, tomorrow is fine.", "We still need one more.", "Found it under the seat!", "Happy to help.", "Is anyone awake?",
		"The code has changed.", "Sleep well, all of you.", "I owe you a coffee.", "Let me ask at work.", "Can we move it to Tuesday?", "Six of us, I think.", "Done and dusted.", "Where do we park?",
		"He said yes!", "I left it with the neighbours.", "Next time I drive.", "Do we need tickets?", "Count me in.", "Not this weekend, I am afraid.", "It starts at half past seven.", "What shall I bring?",
	}
}

// chatMenu are lines of a profile, with their icons.
func chatMenu() []string {
	return []string{"Shared media/image", "Notifications/bell", "Starred messages/star", "Block contact/lock", "Clear chat/trash-2", "Add to a group/users"}
}
