// Package endurance has tests only: they build the program, treat it as a black
// box over HTTP and the command line, and let happen to it what happens in
// competitions: busy machines, pauses, hostile senders, rulesheets that nobody has
// seen before, kill -9.
//
// "go test" runs each in a small form that takes seconds. STACKMATE_ENDURANCE=full
// runs them in full, strict about clocks, best one at a time on a quiet machine:
// "make endurance". STACKMATE_ENDURANCE_COUNT is the number of repetitions in place
// of a test's own: of matches, pauses, connections, rulesheets, mutants or kills;
// STACKMATE_ENDURANCE_TIME is how long those go on that may go on for any time.
package endurance
