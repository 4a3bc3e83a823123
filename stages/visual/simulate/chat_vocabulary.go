package simulate

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
