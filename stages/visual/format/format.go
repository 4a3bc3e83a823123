// Package format exports conversations in MemEye's layout: for every task a file of
// dialogues with choice questions in four rotations and one with the open forms,
// pictures beside them, and the merged histories of several tasks (D.6). It reads the
// layout back (Read), refuses what MemEye's loader would misread silently, and has
// MemEye's scorers and the tables of its paper.
package format

// The shapes of MemEye's files, in the order of their keys.
type (
	dialogue struct {
		Profile  any       `json:"character_profile"`
		Task     string    `json:"task_name"`
		Sessions []session `json:"multi_session_dialogues"`
		QAs      []qa      `json:"human-annotated QAs"`
	}
	session struct {
		ID     string  `json:"session_id"`
		Date   string  `json:"date"`
		Rounds []round `json:"dialogues"`
	}
	round struct {
		ID        string   `json:"round"`
		User      *string  `json:"user"`
		Assistant *string  `json:"assistant"`
		Images    []string `json:"input_image,omitempty"`
		Captions  []string `json:"image_caption,omitempty"`
		ImageIDs  []string `json:"image_id,omitempty"`
	}
	qa struct {
		ID       string     `json:"question_id"`
		Point    [][]string `json:"point"`
		Question string     `json:"question"`
		Answer   string     `json:"answer"`
		// Options are the four rotations, each with its letters and its own answer; an
		// open file has none.
		Options  []map[string]string `json:"options,omitempty"`
		Sessions []string            `json:"session_id"`
		Clues    []string            `json:"clue"`
		Images   []string            `json:"question_images,omitempty"`
		// Some methods upstream read one of these names, others the other.
		Caption      string `json:"image_caption,omitempty"`
		OtherCaption string `json:"question_image_caption,omitempty"`
	}
)

// letters are the keys of options, in order.
const letters = "ABCD"

// Suffix of files with open questions, and prefix of merged histories.
const (
	openSuffix   = "_Open"
	mergedPrefix = "concat_"
)
