package aggregate

// lanes is how many numbers a vector has at most. Slices that vectors read have room for as many
// behind their end.
const lanes = 8

// wholesOn finds gain and criterion of the aggregates of active slices i to i, i to i+1 and so on,
// as many as values and gains have room for, by the operator Sum. Logs are the logarithms of their
// numbers of slices.
func (s *solver) wholesOn(c *column, i int, logLeaves float64, logs, values, gains []float64) {
	n := len(values)
	row, mass := c.gains(i)[:n], c.mass[i+1:][:n]
	gains, logs = gains[:n], logs[:n]
	if s.wholesAtOnce(values, gains, row, mass, logs, c.mass[i], logLeaves) {
		return
	}
	for k, gain := range row {
		loss := (mass[k]-c.mass[i])*(logLeaves+logs[k]) - gain
		loss *= s.perLoss
		values[k], gains[k] = s.perGain*gain-loss, s.q.scale.gain*gain
	}
}

// sureOf returns how many of the first n of these have no loss.
func (s *solver) sureOf(c *column, i, n int, logLeaves float64, logs []float64) int {
	row := c.gains(i)
	for k := range n {
		loss := (c.mass[i+k+1]-c.mass[i])*(logLeaves+logs[k]) - row[k]
		if !(loss*s.perLoss <= tie/2) {
			return k
		}
	}
	return n
}

func addFloats(sum, more []float64) {
	more = more[:len(sum)]
	for i := addFloatsAtOnce(sum, more); i < len(sum); i++ {
		sum[i] += more[i]
	}
}

func addCounts(sum, more []int32) {
	more = more[:len(sum)]
	for i := addCountsAtOnce(sum, more); i < len(sum); i++ {
		sum[i] += more[i]
	}
}

// plainNextNear is nextNear without vectors.
func plainNextNear(values, rest []float64, k int, least float64) int {
	rest = rest[:len(values)]
	for k < len(values) && values[k]+rest[k] < least {
		k++
	}
	return k
}

func addFloat(sum []float64, more float64) {
	for i := addFloatAtOnce(sum, more); i < len(sum); i++ {
		sum[i] += more
	}
}

func addCount(sum []int32, more int32) {
	for i := addCountAtOnce(sum, more); i < len(sum); i++ {
		sum[i] += more
	}
}
