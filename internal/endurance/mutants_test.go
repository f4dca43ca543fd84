package endurance

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stackmate/internal/corpus"
)

var token = regexp.MustCompile(`;[^\n]*|[()]|[^\s();]+|\s+`)

// mutate damages rules in one to four places: tokens are left out, doubled,
// exchanged, or replaced by others of the text. In half of the mutants only
// arguments are, so that many are rules still; of the others, some lose their end.
func mutate(rng *rand.Rand, rules string) string {
	tokens := token.FindAllString(rules, -1)
	gentle := rng.IntN(2) == 0
	var places []int // positions of mutable tokens
	before := ""
	for i, text := range tokens {
		if strings.TrimSpace(text) == "" {
			continue
		}
		if !gentle || before != "(" && !strings.ContainsAny(text, "();") {
			places = append(places, i)
		}
		before = text
	}
	for n := 1 + rng.IntN(4); n > 0 && len(places) > 0; n-- {
		i, j := places[rng.IntN(len(places))], places[rng.IntN(len(places))]
		switch rng.IntN(5) {
		case 0:
			tokens[i] = ""
		case 1:
			tokens[i] += " " + tokens[i]
		case 2:
			tokens[i], tokens[j] = tokens[j], tokens[i]
		default:
			tokens[i] = tokens[j]
		}
	}
	if !gentle && rng.IntN(10) == 0 {
		tokens = tokens[:rng.IntN(len(tokens))]
	}
	return strings.Join(tokens, "")
}

var roleOf = regexp.MustCompile(`(?i)\(\s*role\s+([^\s()]+)`)

// levelTolerance is the maximum change of a player's memory between matches, in bytes: memory that its runtime retains.
const levelTolerance = 256 << 20

// maxGoroutines bounds the goroutines of a player without a match.
const maxGoroutines = 30

// TestDamagedRulesheetsHarmNothing sends damaged rulesheets and nonsense: the
// process lives, answers everything in time, is available after each match, and
// gives its memory back.
func TestDamagedRulesheetsHarmNothing(t *testing.T) {
	begin(t)
	mutants, players := repetitions(t, 8, 2000), either(1, 2)
	sheets := shuffled(t)
	counts := &tally{counts: make(map[string]int)}
	t.Run("players", func(t *testing.T) {
		for k := range players {
			t.Run(fmt.Sprint(k), func(t *testing.T) {
				t.Parallel()
				p := serve(t)
				before := warmUp(t, p, builtIn(t, "connectFour"))
				for i := k; i < mutants; i += players {
					rng := rand.New(rand.NewPCG(uint64(i), 3))
					name := sheets[i%len(sheets)].Name
					damaged(t, p, counts, fmt.Sprintf("%s, mutant %d", name, i), mutate(rng, string(corpus.Source(t, name))))
					if !p.alive() {
						t.Errorf("%s, mutant %d: %s", name, i, p.death())
						p = serve(t)
					}
				}
				after := settled(t, p, before+levelTolerance, either(time.Minute, 4*time.Minute))
				t.Logf("memory: %d MiB before, %d MiB after; %v goroutines", before>>20, after>>20, p.metric(t, "go_goroutines"))
				if n := p.metric(t, "go_goroutines"); n > maxGoroutines {
					t.Errorf("%v goroutines are left", n)
				}
				if after > before+levelTolerance {
					t.Errorf("memory is not back: %d MiB before, %d MiB after", before>>20, after>>20)
				}
			})
		}
	})
	t.Logf("%d mutants: %s", mutants, listed(counts.counts))
}

// tally counts by name, from several goroutines.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *tally) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[name]++
}

// silence is the time after which a message counts as never answered.
var silence = either(time.Minute, 10*time.Second)

// damaged plays damaged rules as far as they can be played. A PLAY of a match that has begun must be answered by a legal move
// if the rules give one.
func damaged(t *testing.T, p *player, counts *tally, name, rules string) {
	t.Helper()
	role := "robot"
	if found := roleOf.FindStringSubmatch(rules); found != nil {
		role = found[1]
	}
	startClock, playClock := 300*time.Millisecond, 200*time.Millisecond
	send := func(kind, message string, clock time.Duration) reply {
		r := p.send(message, silence)
		switch {
		case r.err != nil:
			t.Errorf("%s: %s: %v", name, kind, r)
		case r.took > clock+either(leniency, 3*time.Second):
			t.Errorf("%s: %s is answered very late: %v", name, kind, r)
		}
		counts.add(fmt.Sprintf("%s: %d %s", kind, r.status, known(r.text)))
		return r
	}
	start := send("START", startMessage("mutant", role, rules, startClock, playClock), startClock)
	if first := send("PLAY NIL", "(PLAY mutant NIL)", playClock); start.text == "ready" {
		if wrong := wrongFirst(t, rules, role, first); wrong != "" {
			counts.add("PLAY NIL without a legal move")
			t.Errorf("%s: %s", name, wrong)
		}
	}
	send("PLAY of nonsense", "(PLAY mutant ((f (g a)) noop 3 (( x)))", playClock)
	send("PLAY of foreign moves", "(PLAY mutant ((mark 1 1) noop))", playClock)
	send("STOP", "(STOP mutant (noop noop))", playClock)
	if took, ok := p.awaitAvailable(silence); !ok {
		t.Errorf("%s: not available %v after the match", name, took)
	}
}

// wrongFirst returns the fault of a first move, or "".
func wrongFirst(t *testing.T, rules, role string, first reply) string {
	t.Helper()
	judge, err := newReferee(t.Context(), rules, 5*time.Second, 1)
	if err != nil {
		return "" // nobody can tell
	}
	k := slices.IndexFunc(judge.roles, func(r string) bool { return strings.EqualFold(r, role) })
	if k < 0 || len(judge.legal[k]) == 0 {
		return ""
	}
	if !first.ok() || !slices.Contains(judge.legal[k], spaced(first.text)) {
		return fmt.Sprintf("PLAY NIL: %v, expected one of %.200q", first, judge.legal[k])
	}
	return ""
}

// known returns the text of an answer if it is one of the protocol's words.
func known(text string) string {
	if slices.Contains([]string{"ready", "busy", "done"}, text) {
		return text
	}
	return "..."
}

// warmUp plays a few turns of whole rules and returns the level of memory, in bytes.
func warmUp(t *testing.T, p *player, rules string) int64 {
	c := &contest{
		player: p, referee: mustReferee(t, rules, 1), id: "warm.1", rules: rules,
		playClock: 500 * time.Millisecond, patience: time.Second,
	}
	c.start(t, time.Second)
	for range 3 {
		c.play(t)
	}
	c.end()
	return settled(t, p, 0, either(time.Second, 10*time.Second))
}

// settled waits until the memory of a player is at most enough, or for as long as
// given: a runtime gives memory back when it is idle. It returns the lowest level.
func settled(t *testing.T, p *player, enough int64, wait time.Duration) int64 {
	t.Helper()
	level := p.resident(t, "VmRSS")
	for limit := time.Now().Add(wait); level > enough && time.Now().Before(limit); {
		time.Sleep(100 * time.Millisecond)
		level = min(level, p.resident(t, "VmRSS"))
	}
	return level
}
