package pipeline

// A Starter is a configuration to begin a family from, which `memforge init` writes. It
// builds as it stands, without a network and without a language model.
type Starter struct {
	// Name chooses it; Summary says in a sentence what it builds, Title is the release's.
	Name, Summary, Title string
	// From are the steps that the release is made of.
	From []string
	// Steps is the rest of the file from its sources on: a template of text/template in
	// which {{size A B C}} stands for A, B or C in a small, medium or large build.
	Steps string
}

const starterKind = "starter"

// AddStarter registers a starter under its name.
func AddStarter(r *Registry, s Starter) { r.Extend(starterKind, s.Name, s) }

// Starters lists the registered starters by name.
func Starters(r *Registry) []Starter { return Extensions[Starter](r, starterKind) }
