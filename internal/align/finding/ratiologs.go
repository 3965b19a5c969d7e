package finding

import "math"

// ratioLogs sets logs to ln((b + tick) / (pace·a + tick)) of each pair. The three lists are equally
// long. Where the processor has AVX-512, eight logarithms are taken at once, to the same bits.
func ratioLogs(logs, a, b []float64, pace, tick float64) {
	n := len(logs)
	a, b = a[:n], b[:n]
	for p := ratioLogsAtOnce(logs, a, b, pace, tick); p < n; p++ {
		logs[p] = math.Log((b[p] + tick) / (pace*a[p] + tick))
	}
}
