package schemas

// Kinds of a film script.
const (
	FilmFull = "film" // a title card, a cast, a dozen events
	FilmClip = "clip" // one actor doing one thing in one place
)

// Kinds of a FilmEvent. All but FilmWalks and FilmActs become Events of the rendered
// Video.
const (
	FilmEnters  = "enters"
	FilmLeaves  = "leaves"
	FilmPicks   = "picks up"
	FilmPuts    = "puts down"
	FilmOpens   = "opens"
	FilmChanges = "sign changes"
	FilmWalks   = "walks" // between two other events
	FilmActs    = "acts"  // the action of a clip, named by Text
)

// Film is the script of a procedural video. Picture, sound and ground truth
// all derive from it. Positions are in stage units: the view is 640 wide and
// 360 high when the camera does not zoom, y grows downwards, and an actor's
// position is the point between the feet. Colours are #rrggbb.
type Film struct {
	Kind string `json:"kind"`
	// Source is the name of the source that wrote the script.
	Source string `json:"source"`
	Title  string `json:"title,omitempty"`
	// Twins is shared by the films of a source that were written to be alike.
	Twins  string `json:"twins,omitempty"`
	Place  string `json:"place"`
	Width  int32  `json:"width"`
	Height int32  `json:"height"`
	FPS    int32  `json:"fps"`
	Frames int64  `json:"frames"`
	// Card is how many seconds the title card covers the stage.
	Card float64 `json:"card"`
	// Light is day, dusk or night.
	Light   string      `json:"light"`
	Palette FilmPalette `json:"palette"`
	Camera  FilmCamera  `json:"camera"`
	// Labels annotate the whole: action and scene of a clip, LabelLikeness of a
	// film.
	Labels   map[string]string `json:"labels,omitempty"`
	Actors   []FilmActor       `json:"actors"`
	Props    []FilmProp        `json:"props,omitempty"`
	Fixtures []FilmFixture     `json:"fixtures,omitempty"`
	// Events are sorted by Start.
	Events []FilmEvent `json:"events"`
	// Lures are, by event kind, things of the same place and sort that neither this
	// film nor its twin shows.
	Lures map[string][]string `json:"lures,omitempty"`
	// Seed varies decoration and music, and nothing that is asked about.
	Seed uint32 `json:"seed"`
}

// Duration is the film's length in seconds.
func (f Film) Duration() float64 { return float64(f.Frames) / float64(f.FPS) }

// FilmPalette colours the place.
type FilmPalette struct {
	Wall   string `json:"wall"`
	Floor  string `json:"floor"`
	Wood   string `json:"wood"`
	Accent string `json:"accent"`
}

// FilmPoint is a place on the stage.
type FilmPoint struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// FilmCamera rests on one view, moves to another between Start and End (seconds) and
// rests there. A resting camera is cheap to draw and to encode.
type FilmCamera struct {
	From  FilmView `json:"from"`
	To    FilmView `json:"to"`
	Start float64  `json:"start"`
	End   float64  `json:"end"`
}

// FilmView is centred on Centre and Zoom times nearer than the whole stage.
type FilmView struct {
	Centre FilmPoint `json:"centre"`
	Zoom   float64   `json:"zoom"`
}

// FilmActor is one person.
type FilmActor struct {
	ID   string `json:"id"`
	Role string `json:"role"`
	// Description is how a question names the actor, by what is seen: "the person in the
	// green apron".
	Description string   `json:"description"`
	Look        FilmLook `json:"look"`
	// At is where the actor stands at the first frame; absent until it enters.
	At *FilmPoint `json:"at,omitempty"`
}

// FilmLook dresses an actor.
type FilmLook struct {
	Garment  string  `json:"garment"` // apron, overalls, jacket, ...
	Colour   string  `json:"colour"`  // of the garment
	Shirt    string  `json:"shirt"`
	Trousers string  `json:"trousers"`
	Skin     string  `json:"skin"`
	Hair     string  `json:"hair"` // style
	HairTone string  `json:"hair_tone"`
	Hat      string  `json:"hat,omitempty"`
	Size     float64 `json:"size"` // 1 is 158 units tall
}

// FilmProp is one thing that can be carried.
type FilmProp struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	// Description is "red kettle".
	Description string    `json:"description"`
	Colour      string    `json:"colour"`
	At          FilmPoint `json:"at"` // middle of its foot at the first frame
	// Away says that the thing is not on the stage until an actor enters with it; At is
	// then ignored.
	Away bool `json:"away,omitempty"`
}

// Groups of fixtures.
const (
	FilmSurface = "surface" // things stand on it
	FilmOpening = "opening" // it can be opened
	FilmSign    = "sign"    // it bears a text
)

// FilmFixture is a part of the place that things happen to.
type FilmFixture struct {
	ID          string    `json:"id"`
	Group       string    `json:"group"`
	Kind        string    `json:"kind"`
	Description string    `json:"description"`
	Colour      string    `json:"colour"`
	At          FilmPoint `json:"at"` // middle of its foot, or of a wall-hung thing
	// Handle is where a hand opens it.
	Handle *FilmPoint `json:"handle,omitempty"`
	// Text a sign bears at the first frame.
	Text string `json:"text,omitempty"`
}

// FilmEvent is one thing that happens between Start and End (seconds). Actor, Prop and
// Fixture are ids within the film. From and To are where the actor stands before and
// after. A prop changes hands halfway through a pick-up or put-down; Place is where it
// is put down. An actor who enters with a Prop has it in the hand.
type FilmEvent struct {
	Kind    string     `json:"kind"`
	Actor   string     `json:"actor,omitempty"`
	Prop    string     `json:"prop,omitempty"`
	Fixture string     `json:"fixture,omitempty"`
	Text    string     `json:"text,omitempty"`
	Start   float64    `json:"start"`
	End     float64    `json:"end"`
	From    *FilmPoint `json:"from,omitempty"`
	To      *FilmPoint `json:"to,omitempty"`
	Place   *FilmPoint `json:"place,omitempty"`
}
