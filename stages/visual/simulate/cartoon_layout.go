package simulate

// panelLayout is where things stand in a panel: landmarks in a row with a figure before some,
// what goes on in the middle in front.
type panelLayout struct {
	box   [4]int
	slots int
	who   int
	tall  int // of a figure
	back  int // ground of landmarks
	floor int // ground of figures
}

// newPanelLayout has two slots in a narrow panel and four in a wide one.
func newPanelLayout(box [4]int, who int) panelLayout {
	s := panelLayout{box: box, slots: 4, who: who, tall: 186, back: box[1] + box[3]*70/100, floor: box[1] + box[3]*88/100}
	if box[2] < 600 {
		s.slots = 2
	}
	if box[3] > 500 {
		s.tall, s.back, s.floor = 222+12*s.slots, box[1]+box[3]*62/100, box[1]+box[3]*74/100
	}
	return s
}

// figureSlot is the slot of the i-th figure: those at the sides first where not all are.
func (s panelLayout) figureSlot(i int) int {
	if s.who <= 2 && s.slots == 4 {
		return []int{0, 3}[i%2]
	}
	return i
}

// slotCentre is the middle of a slot, and which way is inwards.
func (s panelLayout) slotCentre(slot int) (x, inwards int) {
	w := s.box[2] / s.slots
	inwards = 1
	if slot >= s.slots/2 {
		inwards = -1
	}
	return s.box[0] + w*slot + w/2, inwards
}

func (s panelLayout) landmark(slot int) [4]int {
	x, in := s.slotCentre(slot)
	w := s.tall * 76 / 100
	return [4]int{x + in*s.tall/6 - w/2, s.back - w*11/10, w, w * 11 / 10}
}

func (s panelLayout) figure(slot int) [4]int {
	x, in := s.slotCentre(slot)
	w := s.tall * 2 / 3
	return [4]int{x - in*s.tall/6 - w/2, s.floor - s.tall, w, s.tall}
}

// hand is where a figure holds something: above its raised fist.
func (s panelLayout) hand(figure [4]int, flip bool) [4]int {
	w, h := figure[2]*43/100, figure[2]*72/100
	x := figure[0] + figure[2]*90/100 - w/2
	if flip {
		x = figure[0] + figure[2]*10/100 - w/2
	}
	x = min(max(x, s.box[0]+4), s.box[0]+s.box[2]-w-4)
	return [4]int{x, figure[1] + figure[2]*915/1000 - h*85/100, w, h}
}

// beside is on the ground at the side away from the middle.
func (s panelLayout) beside(figure [4]int, slot int) [4]int {
	_, in := s.slotCentre(slot)
	w := figure[2] * 46 / 100
	x := figure[0] + figure[2]/2 - in*figure[2]*45/100 - w/2
	x = min(max(x, s.box[0]+6), s.box[0]+s.box[2]-w-6)
	return [4]int{x, figure[1] + figure[3]*21/20 - w, w, w}
}

func (s panelLayout) prop() [4]int {
	w := min(s.box[2]*40/100, s.tall*14/10)
	return [4]int{s.box[0] + (s.box[2]-w)/2, s.box[1] + s.box[3] - 8 - w/2, w, w / 2}
}

// bubble is the room for what a figure says.
func (s panelLayout) bubble(slot int) [4]int {
	f := s.figure(slot)
	w, low := 200, f[1]+6
	x := min(max(f[0]+f[2]/2-w/2, s.box[0]+8), s.box[0]+s.box[2]-w-8)
	return [4]int{x, low - 110, w, 110}
}

// isLow is true of a panel with little sky.
func (s panelLayout) isLow() bool { return s.box[3] < 500 }

// overhead is the sky that neither the caption nor a bubble takes, and how wide each
// thing in it may be.
func (s panelLayout) overhead() (box [4]int, cell int) {
	x, y, w := s.box[0], s.box[1], s.box[2]
	if s.isLow() {
		left := 250 + (s.slots-2)*30
		return [4]int{x + left, y + 6, w - left - 4, 90}, 68
	}
	return [4]int{x + 30, y + 40, w - 150, 130}, 100
}
