package explain

import (
	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
)

// What findings of the account claim, as data: the totals from which their sentences are made.

// quantityOf is what a claim about time of a kind counts.
var quantityOf = [account.Kinds]finding.Quantity{account.CPU: finding.CPUNs, account.IO: finding.IONs,
	account.OffCPU: finding.OffCPUNs, account.Wait: finding.BlockedNs, account.Idle: finding.IdleNs}

// claimRun claims quantities of the whole runs.
func (a *attribution) claimRun(of ...finding.Quantity) (list []finding.Claim) {
	for _, q := range of {
		list = append(list, finding.Claim{Quantity: q, Thread: a.r.Threads(), Values: a.totalOf(q)})
	}
	return list
}

// totalOf returns how much of a quantity both runs have, ns.
func (a *attribution) totalOf(q finding.Quantity) (ns [2]int64) {
	switch q {
	case finding.ElapsedNs:
		return a.b.Elapsed
	case finding.WorkNs:
		return a.b.Work()
	case finding.AlikeNs:
		return a.b.Alike()
	}
	for k, of := range quantityOf {
		if of == q {
			ns = [2]int64{a.b.Total[pair.A][k], a.b.Total[pair.B][k]}
		}
	}
	return ns
}

// claimTime claims the time of a kind that a function takes.
func (a *attribution) claimTime(k account.Kind, id uint32, ns [2]int64) []finding.Claim {
	return a.r.ByName(finding.Claim{Quantity: quantityOf[k], Function: a.name(id), Values: ns}, id)
}

// claimWait claims how long calls wait for the object of a change, and of all of the function's
// calls their number and how long they wait.
func (a *attribution) claimWait(w *account.WaitChange) []finding.Claim {
	list := a.claimTime(account.Wait, w.Function, w.Ns)
	for i := range list {
		list[i].Object = a.objectIn(w.Object)
	}
	return append(list, a.r.Claims(w.Function, finding.WaitNs, finding.Calls)...)
}

// objectIn returns an object of the balance as an index into each trace's, as claims name it.
func (a *attribution) objectIn(o int32) (at [2]*int) {
	if o < 0 {
		none := -1
		return [2]*int{&none, &none}
	}
	x := a.b.Objects[o]
	for sd, k := range [2]int32{x.A, x.B} {
		if k >= 0 {
			i := int(k)
			at[sd] = &i
		}
	}
	return at
}

// confirmed claims a function's own time, and its number of calls and self time over all threads
// where these are the same: the account leaves some threads out.
func (a *attribution) confirmed(id uint32, ns, calls [2]int64) []finding.Claim {
	list := a.claimTime(account.CPU, id, ns)
	for _, c := range a.r.Claims(id, finding.Calls, finding.SelfNs) {
		if want := [2][2]int64{calls, ns}[toInt(c.Quantity == finding.SelfNs)]; c.Values == want {
			list = append(list, c)
		}
	}
	return list
}
