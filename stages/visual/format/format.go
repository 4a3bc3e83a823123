// Package memeye lays conversations with questions about their pictures out as MemEye
// publishes its own: a file of dialogues with choice questions in four rotations and
// one with the open forms for every task, pictures beside them, and the histories of
// several tasks merged (D.6). What MemEye's loader would take without a word and read
// wrongly is refused, here and by a reader of its own (Read).
package format

// The shapes of MemEye's files, in the order of their keys.
type (
	dialogue struct {
		Profile  map[string]string `json:"character_profile"`
		Task     string            `json:"task_name"`
		Sessions []session         `json:"multi_session_dialogues"`
		QAs      []qa              `json:"human-annotated QAs"`
	}
	session struct {
		ID     string  `json:"session_id"`
		Date   string  `json:"date"`
		Rounds []round `json:"dialogues"`
	}
	round struct {
		ID        string   `json:"round"`
		User      string   `json:"user"`
		Assistant string   `json:"assistant"`
		Images    []string `json:"input_image,omitempty"`
		Captions  []string `json:"image_caption,omitempty"`
		ImageIDs  []string `json:"image_id,omitempty"`
	}
	qa struct {
		ID       string     `json:"question_id"`
		Point    [][]string `json:"point"`
		Question string     `json:"question"`
		Answer   string     `json:"answer"`
		// Options are the four rotations, each with its letters and its own answer;
		// none in an open file.
		Options  []map[string]string `json:"options,omitempty"`
		Sessions []string            `json:"session_id"`
		Clues    []string            `json:"clue"`
		Images   []string            `json:"question_images,omitempty"`
		// Both names are read upstream, each by some methods only.
		Caption      string `json:"image_caption,omitempty"`
		OtherCaption string `json:"question_image_caption,omitempty"`
	}
)

// letters are the keys of options, in order.
const letters = "ABCD"

// Suffix of the files with open questions, and how those of merged histories begin.
const (
	openSuffix   = "_Open"
	mergedPrefix = "concat_"
)
