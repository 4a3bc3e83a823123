package model

// What requests weigh, for forecasts. Tokens differ from model to model by a
// third and more; these are of the kind that most servers have.
const (
	// charsPerToken is the usual rule of thumb for English prose.
	charsPerToken = 4
	// pixelsPerToken is the area of the patch that Qwen2.5-VL makes one token
	// of, 28x28. OpenAI's patch models take 32x32, times a factor of the model.
	pixelsPerToken = 28 * 28
)

// TextTokens is about how many tokens a text has.
func TextTokens(chars float64) float64 { return chars / charsPerToken }

// ImageTokens is about how many tokens images have, by their megapixels.
func ImageTokens(megapixels float64) float64 { return 1e6 * megapixels / pixelsPerToken }

// PromptTokens is about how many the task's prompt has without its input.
func (j *Job[In, Out]) PromptTokens() float64 { return TextTokens(float64(j.prompt.Size())) }
