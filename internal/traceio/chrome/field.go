package chrome

// field is a member of an event that is kept.
type field uint8

const (
	noField field = iota
	nameField
	catField
	phField
	tsField
	durField
	pidField
	tidField
	idField
	scopeField
	bindField
	nextField
	flowInField
	flowOutField
	id2Field
	argsField
)

var fields = map[string]field{
	"name": nameField, "cat": catField, "ph": phField, "ts": tsField, "dur": durField,
	"pid": pidField, "tid": tidField, "id": idField, "scope": scopeField, "bind_id": bindField,
	"bp": nextField, "flow_in": flowInField, "flow_out": flowOutField, "id2": id2Field,
	"args": argsField,
}

// set notes what a member is.
func (e *event) set(b []byte, f field, v span) {
	switch f {
	case nameField:
		e.name = v
	case catField:
		e.cat = v
	case phField:
		e.ph, e.letter = v, 0
	case tsField:
		e.ts, e.atKnown = v, false
	case durField:
		e.dur, e.lengthKnown = v, false
	case pidField:
		e.pid, e.pidWord = v, 0
	case tidField:
		e.tid, e.tidWord = v, 0
	case idField:
		e.id = v
	case scopeField:
		e.scope = v
	case bindField:
		e.bind = v
	case nextField:
		e.next = string(b[v.from:v.to]) != "e"
	case id2Field:
		e.id2 = v
	case flowInField:
		e.flowIn = b[v.from] == 't'
	case flowOutField:
		e.flowOut = b[v.from] == 't'
	}
}
