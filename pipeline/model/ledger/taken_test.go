package ledger

import "testing"

// TestWhyABatchIsNotBegun: who holds requests is named first, from one request on.
func TestWhyABatchIsNotBegun(t *testing.T) {
	for _, tc := range []struct {
		err  TakenError
		want string
	}{
		{TakenError{Requests: 9, Taken: 1, Asked: 1, Gone: 1, Batch: "b7"}, "1 of its 9 requests are in batch b7 already; `memforge batch poll` takes its answers in, `memforge batch drop b7` gives it up"},
		{TakenError{Requests: 9, Asked: 1, Gone: 1}, "1 of its 9 requests are being asked by a build; let it end and export again"},
		{TakenError{Requests: 9, Gone: 1}, "1 of its 9 requests do not wait for an answer (any more); export again"},
	} {
		if got := tc.err.Error(); got != tc.want {
			t.Errorf("%q, want %q", got, tc.want)
		}
	}
}
