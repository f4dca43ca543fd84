package oracle_test
import ("testing";"fmt";"stackmate/gdl")
func TestDraw(t *testing.T) {
	type stat struct{ n, large, invalid, cyc, positions, sim, sum int}
	stats := map[string]*stat{}
	for s := *seed; s < *seed+uint64(*sheets); s++ {
		name, text, g := drawSheet(s)
		st := stats[name]
		if st == nil { st = &stat{}; stats[name] = st }
		st.n++
		_, _, err := gdl.Load(t.Context(), "", []byte(text))
		if err != nil {
			st.invalid++
			fmt.Println(name, err, text)
			continue
		}
		if g == nil { st.large++; continue }
		st.positions += len(g.Positions)
		if !g.IsAcyclic() { st.cyc++ }
		if g.Simultaneous()>=0 { st.sim++ }
		if _,ok:=g.ConstantSum(); ok {st.sum++}
	}
	for n, s := range stats { fmt.Printf("%s %+v avg %d\n", n, *s, s.positions/s.n) }
}
