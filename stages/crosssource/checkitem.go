package crosssource

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model/tool"
	"github.com/memforge/memforge/schemas"
)

// checkItem says what makes an item unfit to be placed, by code, or nil. The adapters of
// data sets hold their items to most of it; a stage between, or another source, may not.
func checkItem(item schemas.EvidenceItem) *pipeline.Rejection {
	if item.ContentMissing() {
		return pipeline.Reject("no-content", "the content of a unit, or the question, is not here: bring it before the item is placed")
	}
	if wrong := item.Problems(); len(wrong) > 0 {
		return pipeline.Reject(wrong[0].Code, "%s", wrong[0].Text)
	}
	if item.Task != schemas.TaskFunctionCall {
		return nil
	}
	fits := 0
	var why *pipeline.Rejection
	for _, t := range item.Question.Tools {
		c, bad := tool.Compile(t)
		if bad != nil {
			return bad
		}
		if r := c.Check(item.Question.AnswerCall); r == nil {
			fits++
		} else if why == nil || why.Code == tool.CodeCall {
			why = r // of the tool that the call names, where there is one
		}
	}
	if fits == 0 && why == nil {
		return pipeline.Reject(tool.CodeTool, "a call is asked for, and no tool is offered")
	}
	if fits == 0 {
		return why
	}
	return nil
}
