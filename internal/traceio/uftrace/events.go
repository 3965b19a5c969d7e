package uftrace

import "strconv"

// Events in a task's own file that uftrace itself makes.
var builtinEvents = map[uint64]string{
	100001: "read:proc/statm",
	100002: "read:page-fault",
	100003: "read:pmu-cycle",
	100004: "read:pmu-cache",
	100005: "read:pmu-branch",
	100006: "diff:proc/statm",
	100007: "diff:page-fault",
	100008: "diff:pmu-cycle",
	100009: "diff:pmu-cache",
	100010: "diff:pmu-branch",
	100011: "watch:cpu",
	100012: "watch:var",
}

// Ids from firstUserEvent on are the program's own, named in events.txt.
const firstUserEvent = 1000000

func (r *recording) eventName(id uint64) string {
	if name := r.events[id]; name != "" {
		return name
	}
	if name := builtinEvents[id]; name != "" {
		return name
	}
	if id >= firstUserEvent {
		return "user_event:" + strconv.FormatUint(id, 10)
	}
	return "event:" + strconv.FormatUint(id, 10)
}
