package aggregate

import "math"

// Measuring a source takes a logarithm for each node, state and pair of slices, and most of its
// time goes there. A table of the logarithms of 1 + i/1024, for the nearest i, and four terms of
// the series for what is left find one in a third of the time that math.Log takes. They are as
// exact to about 2 units in the last place, and the logarithm of 1 is exactly 0.
const (
	tableBits = 10
	mantissa  = 52 // bits of a float64
)

var logTable [1<<tableBits + 1]struct{ inverse, log float64 }

func init() {
	for i := range logTable {
		logTable[i].inverse = 1 / (1 + float64(i)/(1<<tableBits))
		logTable[i].log = -math.Log(logTable[i].inverse)
	}
}

// fastLog returns the natural logarithm of a normal number above 0. It is so short that the
// compiler puts it where it is called.
func fastLog(v float64) float64 {
	bits := math.Float64bits(v)
	fraction := bits & (1<<mantissa - 1)
	t := &logTable[(fraction+1<<(mantissa-tableBits-1))>>(mantissa-tableBits)]
	r := math.Float64frombits(fraction|1023<<mantissa)*t.inverse - 1
	return float64(int(bits>>mantissa)-1023)*math.Ln2 +
		(t.log + (r - r*r*(1./2-r*(1./3-r*(1./4)))))
}

// xlog returns v ln v, 0 for 0. The base of logarithms cancels out when gain and loss are divided
// by those of the root.
func xlog(v float64) float64 {
	if v == 0 {
		return 0
	}
	return v * fastLog(v)
}

// setLogs sets each number to S ln S of the values up to there.
func setLogs(logs, values []float64) {
	values = values[:len(logs)]
	s, x := 0.0, 0.0
	for i, v := range values {
		if v != 0 {
			s += v
			x = s * fastLog(s)
		}
		logs[i] = x
	}
}
