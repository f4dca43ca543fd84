package sat

// heap is a priority queue of variables by activity, the most active first.
type heap struct {
	activity *[]float64
	items    []int32
	index    []int32 // by variable: 1 + its index in items, 0 if it is not in the heap
}

// add adds a variable, unless it is in the heap.
func (h *heap) add(v int32) {
	for int(v) >= len(h.index) {
		h.index = append(h.index, 0)
	}
	if h.index[v] == 0 {
		h.items = append(h.items, v)
		h.up(len(h.items) - 1)
	}
}

// raise restores the order after the activity of v has increased.
func (h *heap) raise(v int32) {
	if i := h.index[v]; i > 0 {
		h.up(int(i) - 1)
	}
}

// pop removes and returns the most active variable.
func (h *heap) pop() (int32, bool) {
	if len(h.items) == 0 {
		return 0, false
	}
	top := h.items[0]
	h.index[top] = 0
	last := h.items[len(h.items)-1]
	h.items = h.items[:len(h.items)-1]
	if len(h.items) > 0 {
		h.items[0] = last
		h.down(0)
	}
	return top, true
}

func (h *heap) up(i int) {
	v, act := h.items[i], *h.activity
	for i > 0 {
		parent := (i - 1) / 2
		if act[h.items[parent]] >= act[v] {
			break
		}
		h.put(i, h.items[parent])
		i = parent
	}
	h.put(i, v)
}

func (h *heap) down(i int) {
	v, act := h.items[i], *h.activity
	for {
		child := 2*i + 1
		if child >= len(h.items) {
			break
		}
		if child+1 < len(h.items) && act[h.items[child+1]] > act[h.items[child]] {
			child++
		}
		if act[h.items[child]] <= act[v] {
			break
		}
		h.put(i, h.items[child])
		i = child
	}
	h.put(i, v)
}

func (h *heap) put(i int, v int32) {
	h.items[i] = v
	h.index[v] = int32(i + 1)
}
