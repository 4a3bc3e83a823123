package gates

import (
	"fmt"

	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// updateInput asks whether updates say something else than what they take the place of.
type updateInput struct {
	Claims  []updateClaim `json:"claims"`
	Problem string        `json:"problem,omitempty"`
}

type updateClaim struct {
	Number int    `json:"number"`
	Before string `json:"before"`
	Update string `json:"update"`
	memory string
}

// updateShare is the share of sessions in which an update may say what held before.
const updateShare = 0.05

// newUpdateChain is a gate over the updates of a session. A rule finds those that say what they
// supersede in the same words, and proposes those that may say it in others, for the judge.
func newUpdateChain(struct{}) (pipeline.Gate, error) {
	byRule := func(item *pipeline.Item) (*schemas.Session, pipeline.Judgement) {
		s, err := pipeline.ItemValue[schemas.Session](item)
		if err != nil {
			return nil, pipeline.GateError.Because("no-session", "%v", err)
		}
		return s, sessions.Judge(sessions.Chain(*s))
	}
	f := &claimsForm[updateInput, []sessions.Fault]{prompt: "gate.update", inTokens: 120, replyTokens: 50}
	f.propose = func(item *pipeline.Item) (out proposed[updateInput, []sessions.Fault], settled pipeline.Judgement) {
		s, settled := byRule(item)
		if settled.Outcome != pipeline.Pass {
			return out, settled
		}
		claims := resemblingUpdates(*s)
		if len(claims) == 0 {
			return out, settled
		}
		for _, c := range claims {
			out.Kept = append(out.Kept, sessions.Fault{Code: "same-content", Item: c.memory, Detail: fmt.Sprintf("it says in other words what it supersedes: %s and %s", sessions.Quote(c.Update), sessions.Quote(c.Before))})
		}
		out.N, out.Input = len(claims), func(problem string) updateInput { return updateInput{claims, problem} }
		return out, pipeline.Judgement{}
	}
	f.conclude = func(of []sessions.Fault, so []string) pipeline.Judgement {
		var faults []sessions.Fault
		for i, fault := range of {
			if i < len(so) && so[i] == claimSo {
				faults = append(faults, fault)
			}
		}
		return sessions.Judge(faults)
	}
	return newClaims("update-chain", schemas.NameSession, nil, updateShare, f, func(item *pipeline.Item) pipeline.Judgement {
		_, j := byRule(item)
		return j
	})
}

// resemblingUpdates are the updates of a session that may say what they supersede in other words.
func resemblingUpdates(s schemas.Session) (out []updateClaim) {
	before := map[string]string{}
	for _, e := range s.Earlier {
		before[e.MemoryID] = e.Content
	}
	for _, p := range s.Points {
		before[p.MemoryID] = p.Content
	}
	for _, p := range s.Points {
		for _, id := range p.Supersedes {
			if p.UpdateType != schemas.UpdateDelete && structural.Resemble(before[id], p.Content) {
				out = append(out, updateClaim{len(out) + 1, before[id], p.Content, p.MemoryID})
			}
		}
	}
	return out
}
