// Package endurance has tests only. They build the program, treat it as a black box over HTTP and the command
// line, and expose it to the conditions of competitions: busy machines, pauses, hostile senders, unknown
// rulesheets, kill -9.
//
// "go test" runs each test in a small form of some seconds. STACKMATE_ENDURANCE=full runs the full form, strict
// about clocks, best one test at a time on a quiet machine: "make endurance". STACKMATE_ENDURANCE_COUNT replaces
// a test's number of repetitions: matches, pauses, connections, rulesheets, mutants or kills.
// STACKMATE_ENDURANCE_TIME is the duration of tests without a fixed end.
package endurance
