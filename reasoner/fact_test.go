package reasoner

import (
	"context"
	"testing"
)

func TestAFactDoesNotWaitForAProofThatIgnoresItsContext(t *testing.T) {
	var f fact[int]
	calls, started, release := 0, make(chan struct{}), make(chan struct{})
	prove := func() (int, bool) {
		calls++
		close(started)
		<-release
		return 7, true
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	if value, proved := f.get(ctx, prove); proved {
		t.Errorf("%d is proved while the proof goes on", value)
	}
	close(release)
	if value, proved := f.get(t.Context(), prove); !proved || value != 7 || calls != 1 {
		t.Errorf("%d, %v after %d proofs, want 7 by the proof under way", value, proved, calls)
	}
}

func TestAFactIsProvedAgainAfterAProofThatItsContextEnded(t *testing.T) {
	var f fact[int]
	calls := 0
	prove := func() (int, bool) { calls++; return 0, false }
	ended, cancel := context.WithCancel(t.Context())
	f.get(ended, func() (int, bool) { cancel(); return prove() })
	f.get(ended, prove)
	f.get(t.Context(), prove)
	f.get(t.Context(), prove)
	if calls != 2 {
		t.Errorf("%d proofs, want the one that ended early and one more", calls)
	}
}

func TestAFactPanicsAsItsProof(t *testing.T) {
	var f fact[int]
	defer func() {
		if recover() == nil {
			t.Error("the panic of the proof is lost")
		}
	}()
	f.get(t.Context(), func() (int, bool) { panic("broken") })
}
