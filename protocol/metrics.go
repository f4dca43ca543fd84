package protocol

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics counts what an endpoint does, for Prometheus.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec // command, status
	refused  *prometheus.CounterVec // reason
	joint    *prometheus.CounterVec // kind
	moves    *prometheus.CounterVec // by
	share    prometheus.Histogram
	late     prometheus.Counter
}

// Who has chosen a move.
const (
	byAgent    = "agent"
	byAnew     = "agent made anew"
	byFallback = "fallback"
)

// What a PLAY says.
const (
	jointNone     = "none"
	jointNew      = "moves"
	jointLength   = "not one move per role"
	jointRepeated = "repeated while being answered"
)

// clockShares are the buckets of reply times, in parts of the play clock.
var clockShares = []float64{0.01, 0.1, 0.25, 0.5, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 1, 1.1, 1.5, 2}

func newMetrics(e *Endpoint) *metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(), // memory and goroutines
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	f := promauto.With(registry)
	gauge := func(name, help string, value func() int) {
		f.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value()) })
	}
	gauge("stackmate_matches", "Matches that run.", func() int { n, _ := e.occupancy(); return n })
	gauge("stackmate_connections_waiting", "Open connections that have not sent a whole request.",
		func() int { n, _ := e.admission.connections(); return n })
	gauge("stackmate_connections_answered", "Open connections whose request is being answered.",
		func() int { _, n := e.admission.connections(); return n })
	vec := func(name, help string, labels ...string) *prometheus.CounterVec {
		return f.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	return &metrics{
		registry: registry,
		requests: vec("stackmate_requests_total", "Requests by command and HTTP status.", "command", "status"),
		refused:  vec("stackmate_refused_total", "Requests and connections refused, by reason.", "reason"),
		joint:    vec("stackmate_joint_moves_total", "PLAY messages of running matches, by what they tell of the joint move.", "kind"),
		moves:    vec("stackmate_moves_total", "Moves answered, by who has chosen them.", "by"),
		late: f.NewCounter(prometheus.CounterOpts{
			Name: "stackmate_late_moves_total", Help: "Moves answered after the play clock.",
		}),
		share: f.NewHistogram(prometheus.HistogramOpts{
			Name: "stackmate_reply_clock_ratio", Help: "Time taken for a move, in parts of the play clock.", Buckets: clockShares,
		}),
	}
}

// request counts a request that has been answered.
func (m *metrics) request(c Command, status int) {
	switch c {
	case Info, Ping, Preview, Start, Play, Stop, Abort:
	default:
		c = "other" // the label takes few values, whatever is sent
	}
	m.requests.WithLabelValues(string(c), strconv.Itoa(status)).Inc()
}

// move counts a move that has been answered; clock 0 has no limit.
func (m *metrics) move(by string, took, clock time.Duration) {
	m.moves.WithLabelValues(by).Inc()
	if clock == 0 {
		return
	}
	m.share.Observe(took.Seconds() / clock.Seconds())
	if took > clock {
		m.late.Inc()
	}
}
