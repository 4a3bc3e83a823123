package written

import "github.com/memforge/memforge/pipeline"

// VolumeSessions counts sessions of briefs, plans and lives.
const VolumeSessions = "lifelong.written_sessions"

// What requests weigh in tokens, measured on four lives of twelve sessions, and what share
// of sessions is mended.
const (
	tokensOutline  = 2500
	tokensFacts    = 2600 // of a session
	tokensSession  = 1500 // in words
	tokensSlice    = 2600
	tokensReading  = 900
	tokensWording  = 900
	sharesMended   = 0.5
	bytesOfSession = 20_000
)

// Forecast counts lives and their sessions.
func (s briefSource) Forecast(pipeline.Volume) pipeline.Forecast {
	n := 0
	for _, b := range s.cfg.Lives {
		n += b.Sessions
	}
	return pipeline.Forecast{Out: pipeline.Volume{NameBrief: {Records: float64(len(s.cfg.Lives))}, VolumeSessions: {Records: float64(n)}}}
}

// Forecast counts a life a file.
func (keptSource) Forecast(in pipeline.Volume) pipeline.Forecast {
	files := in[pipeline.VolumeFile]
	return pipeline.Forecast{Out: pipeline.Volume{NameLife: {Records: files.Records}, VolumeSessions: {Records: files.Bytes / bytesOfSession, Rough: true}}, Bytes: files.Bytes}
}

// Forecast counts a request for the outline, and one for some sessions.
func (s *blueprintStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	lives, sessions := in[NameBrief].Records, in[VolumeSessions].Records
	parts := sessions / float64(s.cfg.Each)
	return pipeline.Forecast{
		Out: pipeline.Volume{NamePlan: {Records: lives}, VolumeSessions: in[VolumeSessions]}, Calls: lives + parts,
		TokensIn:  lives*s.outline.PromptTokens() + parts*(s.facts.PromptTokens()+tokensOutline+tokensFacts*sessions/max(1, lives)/2),
		TokensOut: lives*tokensOutline + sessions*tokensFacts,
	}
}

// Forecast counts a session's author, readers and judge, and again what is mended.
func (s *dialogueStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	n, readers := in[VolumeSessions].Records, float64(len(s.cfg.Readers))
	again := 1.0
	if s.cfg.Mends > 0 {
		again += sharesMended
	}
	return pipeline.Forecast{
		Out:   pipeline.Volume{NameLife: {Records: in[NamePlan].Records}, VolumeSessions: in[VolumeSessions]},
		Calls: n * (again*(readers+1) + again),
		TokensIn: n * (s.dialogue.PromptTokens() + tokensSlice + again*readers*(s.reading.PromptTokens()+tokensSession) +
			again*(s.compare.PromptTokens()+2*tokensSession) + (again-1)*(s.mend.PromptTokens()+tokensSession)),
		TokensOut: n * (tokensSession + again*(readers+1)*tokensReading),
	}
}

// Forecast counts the author and the reader of each checkpoint.
func (s *wordingStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	n := in[NameLife].Records * float64(s.cfg.Checkpoints)
	return pipeline.Forecast{
		Out:   pipeline.Volume{NameLife: in[NameLife], VolumeSessions: in[VolumeSessions]},
		Calls: 2 * n, TokensIn: n * (s.wording.PromptTokens() + s.asked.PromptTokens() + 3*tokensWording), TokensOut: 2 * n * tokensWording,
	}
}
