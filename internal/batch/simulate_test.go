package batch

import (
	"fmt"
	"math/rand/v2"
)

// simulated returns the rows of a pair as a comparison of two ranks gives them: 40 functions, 8
// findings, 6 waits. What they hold is drawn from the pair's number.
func simulated(number int) *Rows {
	r := rand.New(rand.NewPCG(uint64(number), 18))
	p := PairRow{Number: int64(number), Pair: fmt.Sprintf("rank%06d", number),
		A: fmt.Sprintf("../runA/rank%06d.json.gz", number), B: fmt.Sprintf("../runB/rank%06d.json.gz", number),
		Unit: "ns", CallsA: 50_000 + r.Int64N(100), CallsB: 50_000 + r.Int64N(100), Threads: 4,
		Similarity: r.Float64(), Dice: r.Float64(), ElapsedANs: 1e9 + r.Int64N(1e7),
		ElapsedBNs: 1e9 + r.Int64N(1e8), WorkANs: 4e9, WorkBNs: 4e9 + r.Int64N(1e8), Findings: 8}
	p.DeltaNs, p.DeltaWorkNs = p.ElapsedBNs-p.ElapsedANs, p.WorkBNs-p.WorkANs
	p.UnexplainedNs = p.DeltaNs / 50
	p.Explained = explained(p.DeltaNs, p.UnexplainedNs)
	rows := &Rows{Pairs: []PairRow{p}}
	for k := range 40 {
		f := FunctionRow{Number: p.Number, Pair: p.Pair, Function: fmt.Sprintf("solver::step%d(double*)", k),
			CallsA: r.Int64N(2_000), CallsB: r.Int64N(2_000), SelfANs: r.Int64N(1e8), SelfBNs: r.Int64N(1e8)}
		f.TotalANs, f.TotalBNs, f.DeltaNs = 2*f.SelfANs, 2*f.SelfBNs, f.SelfBNs-f.SelfANs
		rows.Functions = append(rows.Functions, f)
	}
	for k := range 8 {
		f := FindingRow{Number: p.Number, Pair: p.Pair, Rank: int64(k + 1), Kind: "slower",
			Function: fmt.Sprintf("solver::step%d(double*)", k), Caller: "main", CallsA: r.Int64N(100),
			CallsB: r.Int64N(100), DeltaNs: r.Int64N(1e7), Share: r.Float64(), Certainty: "certain",
			ThreadA: "1", CallA: r.Int64N(50_000), StartANs: r.Int64N(1e9), ThreadB: "1",
			CallB: r.Int64N(50_000), StartBNs: r.Int64N(1e9)}
		f.ElapsedNs, f.WorkNs = f.DeltaNs, f.DeltaNs
		f.Text = fmt.Sprintf("%s takes %d ns more per call: %d calls under main", f.Function, f.DeltaNs, f.CallsB)
		rows.Findings = append(rows.Findings, f)
	}
	for k := range 6 {
		rows.Waits = append(rows.Waits, WaitRow{Number: p.Number, Pair: p.Pair, Waiter: "worker",
			Releaser: "main", Object: fmt.Sprintf("lock %d", k), CountA: r.Int64N(100), CountB: r.Int64N(100),
			WaitANs: r.Int64N(1e7), WaitBNs: r.Int64N(1e7), DeltaNs: r.Int64N(1e6)})
	}
	for k := range Buckets {
		rows.Timeline = append(rows.Timeline, TimelineRow{Number: p.Number, Pair: p.Pair, Bucket: int64(k),
			Dissimilarity: float64(r.IntN(50)) / 50, SkewNs: r.Int64N(1e7), AtANs: int64(k) * 5e6,
			AtBNs: int64(k)*5e6 + r.Int64N(1e7), WaitA: float64(r.IntN(5)) / 4, WaitB: float64(r.IntN(5)) / 4})
	}
	return rows
}
