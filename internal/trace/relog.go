package trace

// toLog turns a nested or whole thread into a logged one. The records of a nested thread are those
// of the walk around its forest, with the ends that closed nothing put back where they stood.
func (t *ThreadBuilder) toLog() {
	was := t.mode
	t.mode = logged
	if was != nested {
		return // whole intervals stay as they are; the log begins empty
	}
	c := &t.calls
	total := t.records()
	t.log = make([]record, 0, total+total/2+16)
	style := uint32(plainEnd)
	if t.ends == namedEnds {
		style = namedEnd
	}
	strays := t.strays
	emit := func(r record) {
		for len(strays) > 0 && strays[0].before == len(t.log) {
			t.log = append(t.log, strays[0].record)
			strays = strays[1:]
		}
		t.log = append(t.log, r)
	}
	stillOpen := make(map[int32]bool, len(t.open))
	for _, i := range t.open {
		stillOpen[i] = true
	}
	var stack []int32
	closeTop := func() {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !stillOpen[i] {
			emit(record{c.end.at(int(i)), c.fn.at(int(i)), style})
		}
	}
	for i := range c.start.n {
		for len(stack) > int(c.depth.at(i)) {
			closeTop()
		}
		emit(record{c.start.at(i), c.fn.at(i), uint32(i)})
		stack = append(stack, int32(i))
	}
	for len(stack) > 0 {
		closeTop()
	}
	for _, s := range strays {
		t.log = append(t.log, s.record)
	}
	t.calls, t.open, t.strays = columns{}, nil, nil
}
