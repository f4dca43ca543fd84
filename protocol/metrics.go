package protocol

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

// counters are the Prometheus metrics of an endpoint.
type counters struct {
	set   *metrics.Set
	share *metrics.PrometheusHistogram // reply times of moves, in fractions of the play clock
	late  *metrics.Counter             // moves answered after the play clock
}

// Sources of a move.
const (
	byAgent    = "agent"
	byAnew     = "agent made anew"
	byFallback = "fallback"
)

// Kinds of joint moves in PLAY messages.
const (
	jointNone     = "none"
	jointNew      = "moves"
	jointLength   = "not one move per role"
	jointRepeated = "repeated while being answered"
)

// clockShares are the buckets of reply times, in fractions of the play clock.
var clockShares = []float64{0.01, 0.1, 0.25, 0.5, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 1, 1.1, 1.5, 2}

func newCounters(e *Endpoint) *counters {
	set := metrics.NewSet()
	gauge := func(name string, value func() int) {
		set.NewGauge(name, func() float64 { return float64(value()) })
	}
	gauge("stackmate_matches", func() int { n, _ := e.occupancy(); return n })
	// Pending connections, and connections that are being answered.
	gauge("stackmate_connections_waiting", func() int { n, _ := e.admission.connections(); return n })
	gauge("stackmate_connections_answered", func() int { _, n := e.admission.connections(); return n })
	return &counters{
		set:   set,
		share: set.NewPrometheusHistogramExt("stackmate_reply_clock_ratio", clockShares),
		late:  set.NewCounter("stackmate_late_moves_total"),
	}
}

// write writes all counters, and the memory, goroutines and open files of the process, in the text format of
// Prometheus.
func (c *counters) write(w io.Writer) {
	metrics.WriteProcessMetrics(w)
	c.set.WritePrometheus(w)
}

// count increments a counter with a label.
func (c *counters) count(name, label, value string) {
	c.set.GetOrCreateCounter(fmt.Sprintf("%s{%s=%q}", name, label, value)).Inc()
}

// request counts an answered request, by command and HTTP status.
func (c *counters) request(command Command, status int) {
	if !slices.Contains(commands, command) {
		command = "other" // limits the number of labels
	}
	c.set.GetOrCreateCounter(fmt.Sprintf(`stackmate_requests_total{command=%q,status="%d"}`, command, status)).Inc()
}

// refuse counts a refused request or connection.
func (c *counters) refuse(reason string) { c.count("stackmate_refused_total", "reason", reason) }

// told counts a PLAY of a running match, by the kind of its joint move.
func (c *counters) told(kind string) { c.count("stackmate_joint_moves_total", "kind", kind) }

// move counts an answered move, by its source; clock 0 means no limit.
func (c *counters) move(by string, took, clock time.Duration) {
	c.count("stackmate_moves_total", "by", by)
	if clock == 0 {
		return
	}
	c.share.Update(took.Seconds() / clock.Seconds())
	if took > clock {
		c.late.Inc()
	}
}
