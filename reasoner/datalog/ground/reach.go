package ground

import (
	"slices"

	"stackmate/reasoner/datalog/internal/join"
	"stackmate/reasoner/datalog/internal/rules"
)

// reach computes the possible atoms. It records the matches of rules without open negations, except
// rules that derive demand, most of whose atoms become static.
func (gr *grounder) reach() error {
	if gr.demand == nil {
		gr.demand = &demand{theory: gr.Theory, plain: gr.Rules, guarded: gr.Rules}
	}
	gr.record = gr.newRecorder()
	for _, r := range gr.demand.guarded {
		if r.Head.Rel.IsOpen() && !slices.ContainsFunc(r.Body, func(l rules.Literal) bool { return l.IsOpenNegation() }) {
			gr.record.startRecord(r)
		}
	}
	f := join.NewFixpoint(join.Planning{Watch: gr.Watch, Ignore: (*rules.Literal).IsOpenNegation}, append(gr.CarryRules(), gr.OpenRules()...))
	f.Take = gr.record.take
	err := f.Run(gr.joiner)
	gr.exact = gr.demand.close()
	return err
}
