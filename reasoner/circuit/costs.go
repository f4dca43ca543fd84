package circuit

// Costs describes one program of a machine.
type Costs struct {
	Name     string
	Gates    int // gates of any width
	Operands int
	Runs     int
	Loops    int
}

// Costs lists what each program of the machine evaluates.
func (m *Machine) Costs() []Costs {
	var list []Costs
	for _, p := range []struct {
		name string
		*program
	}{{"evaluate", m.evaluate}, {"goals", m.goal}, {"advance", m.advance}} {
		c := Costs{Name: p.name}
		for _, seg := range p.segments {
			if len(seg.vars) > 0 {
				c.Loops++
			}
			for k := 0; k < len(seg.code); {
				width, count := int(seg.code[k+1]+seg.code[k+2]), int(seg.code[k+3])
				c.Runs++
				c.Gates += count
				c.Operands += count * width
				k += runHeader + count*(1+width)
			}
		}
		list = append(list, c)
	}
	return list
}
