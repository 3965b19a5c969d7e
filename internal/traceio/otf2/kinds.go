package otf2

// Kinds of events that calls are made of, or that say who waits on whom.
const (
	attributeList = 6

	bufferFlush        = 10
	measurementOnOff   = 11
	enter              = 12
	leave              = 13
	mpiSend            = 14
	mpiIsend           = 15
	mpiIsendComplete   = 16
	mpiIrecvRequest    = 17
	mpiRecv            = 18
	mpiIrecv           = 19
	mpiRequestTest     = 20
	mpiCancelled       = 21
	mpiCollectiveBegin = 22
	mpiCollectiveEnd   = 23
	ompAcquireLock     = 26
	ompReleaseLock     = 27
	metric             = 31
	parameterString    = 32
	parameterInt       = 33
	parameterUnsigned  = 34
	rmaAcquireLock     = 41
	rmaReleaseLock     = 43
	threadFork         = 53
	threadJoin         = 54
	threadTeamBegin    = 55
	threadTeamEnd      = 56
	threadAcquireLock  = 57
	threadReleaseLock  = 58
	threadCreate       = 62
	threadBegin        = 63
	threadWait         = 64
	threadEnd          = 65
	contextEnter       = 66
	contextLeave       = 67
	contextSample      = 68
	ioOperationBegin   = 75
	programBegin       = 83
	programEnd         = 84
)

// mostKind is the greatest kind of record that a file is expected to have.
const mostKind = 96

// known reports whether a byte may begin an event.
func known(kind byte) bool {
	return kind == attributeList || kind >= bufferFlush && kind <= mostKind
}

// singles are the events that have no length, only one packed number. The set is closed: all later
// kinds have a length.
var singles = [256]bool{enter: true, leave: true, mpiIsendComplete: true, mpiIrecvRequest: true,
	mpiRequestTest: true, mpiCancelled: true, 24: true, 28: true, 29: true, 30: true}

// eventKind is what an event is called and has: a letter for each value.
//
//	b      a byte
//	w q i  packed numbers of 32 and 64 bits, and one of 64 bits with a sign
//	t      a time, not packed
//	others references of 32 bits, by the letters in mapped
type eventKind struct{ name, layout string }

// mapped tells which of a location's mapping tables a reference goes through.
var mapped = [256]int8{'s': 1, 'a': 2, 'r': 4, 'g': 5, 'm': 6, 'c': 7, 'p': 8, 'W': 9, 'S': 10, 'C': 11,
	'I': 12, 'f': 13, 'h': 14}

// eventKinds has the kinds by their numbers. The names are those that otf2-print prints.
var eventKinds = [256]eventKind{
	bufferFlush:        {"BUFFER_FLUSH", "t"},
	measurementOnOff:   {"MEASUREMENT_ON_OFF", "b"},
	enter:              {"ENTER", "r"},
	leave:              {"LEAVE", "r"},
	mpiSend:            {"MPI_SEND", "wcwq"},
	mpiIsend:           {"MPI_ISEND", "wcwqq"},
	mpiIsendComplete:   {"MPI_ISEND_COMPLETE", "q"},
	mpiIrecvRequest:    {"MPI_IRECV_REQUEST", "q"},
	mpiRecv:            {"MPI_RECV", "wcwq"},
	mpiIrecv:           {"MPI_IRECV", "wcwqq"},
	mpiRequestTest:     {"MPI_REQUEST_TEST", "q"},
	mpiCancelled:       {"MPI_REQUEST_CANCELLED", "q"},
	mpiCollectiveBegin: {"MPI_COLLECTIVE_BEGIN", ""},
	mpiCollectiveEnd:   {"MPI_COLLECTIVE_END", "bcwqq"},
	24:                 {"OMP_FORK", "w"},
	25:                 {"OMP_JOIN", ""},
	ompAcquireLock:     {"OMP_ACQUIRE_LOCK", "ww"},
	ompReleaseLock:     {"OMP_RELEASE_LOCK", "ww"},
	28:                 {"OMP_TASK_CREATE", "q"},
	29:                 {"OMP_TASK_SWITCH", "q"},
	30:                 {"OMP_TASK_COMPLETE", "q"},
	metric:             {"METRIC", "mb"},
	parameterString:    {"PARAMETER_STRING", "ps"},
	parameterInt:       {"PARAMETER_INT64", "pi"},
	parameterUnsigned:  {"PARAMETER_UINT64", "pq"},
	35:                 {"RMA_WIN_CREATE", "W"},
	36:                 {"RMA_WIN_DESTROY", "W"},
	37:                 {"RMA_COLLECTIVE_BEGIN", ""},
	38:                 {"RMA_COLLECTIVE_END", "bwWwqq"},
	39:                 {"RMA_GROUP_SYNC", "wWg"},
	40:                 {"RMA_REQUEST_LOCK", "Wwqb"},
	rmaAcquireLock:     {"RMA_ACQUIRE_LOCK", "Wwqb"},
	42:                 {"RMA_TRY_LOCK", "Wwqb"},
	rmaReleaseLock:     {"RMA_RELEASE_LOCK", "Wwq"},
	44:                 {"RMA_SYNC", "Wwb"},
	45:                 {"RMA_WAIT_CHANGE", "W"},
	46:                 {"RMA_PUT", "Wwqq"},
	47:                 {"RMA_GET", "Wwqq"},
	48:                 {"RMA_ATOMIC", "Wwbqqq"},
	49:                 {"RMA_OP_COMPLETE_BLOCKING", "Wq"},
	50:                 {"RMA_OP_COMPLETE_NON_BLOCKING", "Wq"},
	51:                 {"RMA_OP_TEST", "Wq"},
	52:                 {"RMA_OP_COMPLETE_REMOTE", "Wq"},
	threadFork:         {"THREAD_FORK", "bw"},
	threadJoin:         {"THREAD_JOIN", "b"},
	threadTeamBegin:    {"THREAD_TEAM_BEGIN", "c"},
	threadTeamEnd:      {"THREAD_TEAM_END", "c"},
	threadAcquireLock:  {"THREAD_ACQUIRE_LOCK", "bww"},
	threadReleaseLock:  {"THREAD_RELEASE_LOCK", "bww"},
	59:                 {"THREAD_TASK_CREATE", "cww"},
	60:                 {"THREAD_TASK_SWITCH", "cww"},
	61:                 {"THREAD_TASK_COMPLETE", "cww"},
	threadCreate:       {"THREAD_CREATE", "cq"},
	threadBegin:        {"THREAD_BEGIN", "cq"},
	threadWait:         {"THREAD_WAIT", "cq"},
	threadEnd:          {"THREAD_END", "cq"},
	contextEnter:       {"CALLING_CONTEXT_ENTER", "Cw"},
	contextLeave:       {"CALLING_CONTEXT_LEAVE", "C"},
	contextSample:      {"CALLING_CONTEXT_SAMPLE", "CwI"},
	69:                 {"IO_CREATE_HANDLE", "hbww"},
	70:                 {"IO_DESTROY_HANDLE", "h"},
	71:                 {"IO_DUPLICATE_HANDLE", "hhw"},
	72:                 {"IO_SEEK", "hibq"},
	73:                 {"IO_CHANGE_FLAGS", "hw"},
	74:                 {"IO_DELETE_FILE", "wf"},
	ioOperationBegin:   {"IO_OPERATION_BEGIN", "hbwqq"},
	76:                 {"IO_OPERATION_TEST", "hq"},
	77:                 {"IO_OPERATION_ISSUED", "hq"},
	78:                 {"IO_OPERATION_COMPLETE", "hqq"},
	79:                 {"IO_OPERATION_CANCELLED", "hq"},
	80:                 {"IO_ACQUIRE_LOCK", "hb"},
	81:                 {"IO_RELEASE_LOCK", "hb"},
	82:                 {"IO_TRY_LOCK", "hb"},
	programBegin:       {"PROGRAM_BEGIN", "sw"},
	programEnd:         {"PROGRAM_END", "i"},
	85:                 {"NON_BLOCKING_COLLECTIVE_REQUEST", "q"},
	86:                 {"NON_BLOCKING_COLLECTIVE_COMPLETE", "bcwqqq"},
	87:                 {"COMM_CREATE", "c"},
	88:                 {"COMM_DESTROY", "c"},
}
