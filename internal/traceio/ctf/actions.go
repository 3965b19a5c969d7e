package ctf

import (
	"cmp"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/spans"
)

// action is what becomes of the events of a class, and where its fields are.
type action struct {
	do             func(*feed, *source, *action)
	class          *eventClass
	number         int32 // of the tracer's
	pid, tid, comm *node // whose event it is; nil for what it does not say
	fields         *node
	addr           *node   // what the event is about: an address, a mutex, a thread
	also           also    // what else it tells
	wanted         []*node // the fields that do looks at; only addr, if it is the only one
	rest           bool    // it looks at more than addr
	common         bool    // pid, tid and comm are of the context that all events have
	function       trace.Function
	kind           callKind
	numbered       uint8 // 1 if it numbers system calls, 0 if it names them
	dumps          bool  // the tracer tells the state of the process
	quiet          bool  // the event is no part of the run
	chained        bool  // it has the stack, as addresses

	// What the feed works out when it meets the first event, in the order of time.
	met  bool
	host int32
	fn   trace.FuncID // of function
}

// callKind is whether an event enters or leaves a function that it gives the address of.
type callKind uint8

const (
	otherwise callKind = iota
	enters
	exits
)

// also are fields by their names, nil where an event lacks them.
type also struct {
	status, ret                                     *node // results
	memsz, path, isPIC, buildID                     *node // of a file in memory
	pid, comm, name                                 *node // of a thread that is told of
	prevTID, prevPID, prevComm, prevState, nextComm *node // of a switch
}

func alsoOf(n *node) also {
	return also{status: n.named("status"), ret: n.named("ret"), memsz: n.named("memsz"),
		path: n.named("path"), isPIC: n.named("is_pic"), buildID: n.named("build_id"),
		pid: n.named("pid"), comm: n.named("comm"), name: n.named("name"),
		prevTID: n.named("prev_tid"), prevPID: n.named("prev_pid"), prevComm: n.named("prev_comm"),
		prevState: n.named("prev_state"), nextComm: n.named("next_comm")}
}

// actions are the events that are more than instants, by name without "_fast", as the variant of
// LTTng's profile without arguments has it.
var actions = map[string]struct {
	do   func(*feed, *source, *action)
	addr string // the field that it needs, if any
	rest bool   // it looks at other fields too
}{
	"lttng_ust_cyg_profile:func_entry":         {enter, "addr", false},
	"lttng_ust_cyg_profile:func_exit":          {exit, "", false},
	"lttng_ust_pthread:pthread_mutex_lock_req": {lockRequest, "mutex", false},
	"lttng_ust_pthread:pthread_mutex_lock_acq": {lockAcquired, "mutex", true},
	"lttng_ust_pthread:pthread_mutex_trylock":  {lockTried, "mutex", true},
	"lttng_ust_pthread:pthread_mutex_unlock":   {unlocked, "mutex", true},
	"lttng_ust_statedump:bin_info":             {mapped, "baddr", true},
	"lttng_ust_statedump:build_id":             {identified, "baddr", true},
	"lttng_ust_statedump:procname":             {processNamed, "procname", true},
	"lttng_ust_dl:dlopen":                      {mapped, "baddr", true},
	"lttng_ust_dl:dlmopen":                     {mapped, "baddr", true},
	"lttng_ust_dl:build_id":                    {identified, "baddr", true},
	"lttng_ust_lib:load":                       {mapped, "baddr", true},
	"lttng_ust_lib:build_id":                   {identified, "baddr", true},
	"sched_switch":                             {schedSwitch, "next_tid", true},
	"sched_waking":                             {schedWaking, "tid", false},
	"sched_wakeup":                             {schedWakeup, "tid", false},
	"sched_wakeup_new":                         {schedWakeup, "tid", false},
	"lttng_statedump_process_state":            {processState, "tid", true},
	"exit_syscall":                             {syscallExit, "", true},
	"lttng_ust_tracef:event":                   {message, "msg", true},
}

// funcExit is the event that leaves a function. Its own name does not become that of a function.
const funcExit = "lttng_ust_cyg_profile:func_exit"

// actionOf works out what becomes of the events of a class.
func (t *tracer) actionOf(l *layout, e *eventClass) *action {
	a := &action{do: instant, class: e, fields: e.body.fields, also: alsoOf(e.body.fields), common: true}
	context := func(names ...string) *node {
		for _, name := range names {
			if n := e.body.context.named(name); n != nil {
				a.common = false
				return n
			}
			if n := l.common.named(name); n != nil {
				return n
			}
		}
		return nil
	}
	a.pid, a.tid, a.comm = context("pid", "vpid"), context("tid", "vtid"), context("procname")
	known, ok := actions[strings.Replace(e.name, "_fast:", ":", 1)]
	if ok {
		if a.addr = a.fields.named(known.addr); a.addr != nil || known.addr == "" {
			a.do, a.rest = known.do, known.rest
		}
	}
	a.dumps = strings.HasPrefix(e.name, "lttng_ust_statedump:")
	if e.name == funcExit {
		a.addr = a.fields.named("addr")
	} else {
		t.call(a, e.name)
	}
	switch {
	case a.addr != nil && e.name == funcExit:
		a.kind = exits
	case a.addr != nil && known.addr == "addr":
		a.kind = enters
	}
	a.want()
	return a
}

// call finds what the events of a class are called, and the system calls among them.
func (t *tracer) call(a *action, event string) {
	provider, name, named := strings.Cut(event, ":")
	if !named {
		provider, name = "", event
	}
	a.function = trace.Function{Name: cmp.Or(event, spans.Unnamed), Package: provider, Kind: trace.Event}
	switch {
	case t.perf:
		perfAction(a, event)
	case t.kernel && syscallName(name) != "":
		a.do, a.function, a.rest = syscallEntry, syscall(syscallName(name)), true
	case t.kernel && syscallEnd(name) != "":
		a.do, a.function, a.rest = syscallExit, syscall(syscallEnd(name)), true
	}
}

// want lists the fields that are looked at.
func (a *action) want() {
	switch {
	case a.rest && a.fields != nil:
		for _, n := range a.fields.kids {
			if n.isNumber() || n.isText() {
				a.wanted = append(a.wanted, n)
			}
		}
	case a.addr != nil:
		a.wanted = []*node{a.addr}
	}
}

// owner returns the fields that tell whose event it is.
func (a *action) owner() []*node { return []*node{a.pid, a.tid, a.comm} }
