package perfetto

import "google.golang.org/protobuf/encoding/protowire"

// Numbers of fields, by message, as the files below protos/perfetto/trace of Perfetto's repository
// define them. A number that is written in a message is never used for another field, so files of
// all releases can be read with one table.

// Trace, trace.proto.
const tracePacket protowire.Number = 1

// TracePacket, trace_packet.proto.
const (
	packetFtrace       protowire.Number = 1
	packetProcessTree  protowire.Number = 2
	packetUID          protowire.Number = 3 // trusted_uid
	packetChromeEvents protowire.Number = 5
	packetClocks       protowire.Number = 6
	packetTimestamp    protowire.Number = 8
	packetSequence     protowire.Number = 10 // trusted_packet_sequence_id
	packetTrackEvent   protowire.Number = 11
	packetInterned     protowire.Number = 12
	packetFlags        protowire.Number = 13 // sequence_flags
	packetConfig       protowire.Number = 33 // trace_config
	packetStats        protowire.Number = 35 // trace_stats
	packetMarker       protowire.Number = 36 // synchronization_marker
	packetCleared      protowire.Number = 41 // incremental_state_cleared
	packetDropped      protowire.Number = 42 // previous_packet_dropped
	packetMachine      protowire.Number = 98 // machine_id; none is the one that records
	packetProcess      protowire.Number = 43 // process_descriptor
	packetThread       protowire.Number = 44 // thread_descriptor
	packetSystem       protowire.Number = 45 // system_info
	packetCompressed   protowire.Number = 50 // compressed_packets
	packetStreamed     protowire.Number = 54 // streaming_profile_packet
	packetClockID      protowire.Number = 58 // timestamp_clock_id
	packetDefaults     protowire.Number = 59 // trace_packet_defaults
	packetTrack        protowire.Number = 60 // track_descriptor
	packetPerfSample   protowire.Number = 66 // perf_sample
	packetPID          protowire.Number = 79 // trusted_pid
	packetFirst        protowire.Number = 87 // first_packet_on_sequence
	packetUUID         protowire.Number = 89 // trace_uuid
	packetZstd         protowire.Number = 133
	packetStackSample  protowire.Number = 135 // stack_sample

	// Of sequence_flags.
	stateCleared = 1 // SEQ_INCREMENTAL_STATE_CLEARED
	needsState   = 2 // SEQ_NEEDS_INCREMENTAL_STATE
)

// TracePacketDefaults, trace_packet_defaults.proto.
const (
	defaultsClock      protowire.Number = 58 // timestamp_clock_id
	defaultsTrackEvent protowire.Number = 11 // track_event_defaults
)

// systemVersion is SystemInfo.tracing_service_version, ../common/system_info.proto.
const systemVersion protowire.Number = 4

// ClockSnapshot, clock_snapshot.proto, and Clock in it.
const (
	snapshotClock    protowire.Number = 1
	snapshotPrimary  protowire.Number = 2 // primary_trace_clock
	clockID          protowire.Number = 1
	clockTimestamp   protowire.Number = 2
	clockIncremental protowire.Number = 3
	clockUnit        protowire.Number = 4 // unit_multiplier_ns
)

// TrackDescriptor, track_event/track_descriptor.proto.
const (
	trackUUID          protowire.Number = 1
	trackName          protowire.Number = 2
	trackProcess       protowire.Number = 3
	trackThread        protowire.Number = 4
	trackParent        protowire.Number = 5
	trackChromeProcess protowire.Number = 6
	trackChromeThread  protowire.Number = 7
	trackCounter       protowire.Number = 8
	trackStaticName    protowire.Number = 10
	trackRank          protowire.Number = 12 // sibling_order_rank
	trackAtraceName    protowire.Number = 13
)

// ThreadDescriptor, ProcessDescriptor, ChromeProcessDescriptor and CounterDescriptor, in files
// named after them in track_event/.
const (
	threadPID         protowire.Number = 1
	threadTID         protowire.Number = 2
	threadName        protowire.Number = 5
	threadReference   protowire.Number = 6 // reference_timestamp_us
	processPID        protowire.Number = 1
	processCmdline    protowire.Number = 2
	descriptorSort    protowire.Number = 3 // legacy_sort_index, of all of them
	processName       protowire.Number = 6
	processLabels     protowire.Number = 8
	chromeProcessType protowire.Number = 1
	counterType       protowire.Number = 1
	counterMultiplier protowire.Number = 4
	counterDelta      protowire.Number = 5 // is_incremental

	counterThreadTime         = 1 // COUNTER_THREAD_TIME_NS
	counterThreadInstructions = 2 // COUNTER_THREAD_INSTRUCTION_COUNT
)

// TrackEvent, track_event/track_event.proto.
const (
	eventDeltaUs    protowire.Number = 1 // timestamp_delta_us
	eventCategory   protowire.Number = 3 // category_iids
	eventAnnotation protowire.Number = 4 // debug_annotations
	eventTask       protowire.Number = 5 // task_execution
	eventLegacy     protowire.Number = 6 // legacy_event
	eventType       protowire.Number = 9
	eventNameID     protowire.Number = 10
	eventTrack      protowire.Number = 11 // track_uuid, also of TrackEventDefaults
	eventAbsoluteUs protowire.Number = 16 // timestamp_absolute_us
	eventCategories protowire.Number = 22
	eventName       protowire.Number = 23
	eventInt        protowire.Number = 30 // counter_value
	eventLocation   protowire.Number = 33 // source_location
	eventLocationID protowire.Number = 34 // source_location_iid
	eventFlowOld    protowire.Number = 36 // flow_ids_old
	eventEndOld     protowire.Number = 42 // terminating_flow_ids_old
	eventDouble     protowire.Number = 44 // double_counter_value
	eventFlow       protowire.Number = 47 // flow_ids
	eventFlowEnd    protowire.Number = 48 // terminating_flow_ids
	taskPostedFrom  protowire.Number = 1  // TaskExecution.posted_from_iid

	eventExtraInts         protowire.Number = 12 // extra_counter_values
	eventExtraTracks       protowire.Number = 31 // extra_counter_track_uuids
	eventExtraDoubleTracks protowire.Number = 45
	eventExtraDoubles      protowire.Number = 46

	typeBegin   = 1 // TYPE_SLICE_BEGIN
	typeEnd     = 2 // TYPE_SLICE_END
	typeInstant = 3 // TYPE_INSTANT
	typeCounter = 4 // TYPE_COUNTER
	typeState   = 5 // TYPE_STATE
)

// TrackEvent.LegacyEvent.
const (
	legacyNameID    protowire.Number = 1
	legacyPhase     protowire.Number = 2
	legacyDuration  protowire.Number = 3 // duration_us
	legacyUnscoped  protowire.Number = 6 // unscoped_id
	legacyScope     protowire.Number = 7 // id_scope
	legacyBind      protowire.Number = 8 // bind_id
	legacyLocal     protowire.Number = 10
	legacyGlobal    protowire.Number = 11
	legacyEnclosing protowire.Number = 12 // bind_to_enclosing
	legacyDirection protowire.Number = 13 // flow_direction
	legacyPID       protowire.Number = 18 // pid_override
	legacyTID       protowire.Number = 19 // tid_override

	flowIn  = 1 // FLOW_IN
	flowOut = 2 // FLOW_OUT; both bits are FLOW_INOUT
)

// DebugAnnotation, track_event/debug_annotation.proto, and NestedValue in it.
const (
	argNameID protowire.Number = 1
	argBool   protowire.Number = 2
	argUint   protowire.Number = 3
	argInt    protowire.Number = 4
	argDouble protowire.Number = 5
	argText   protowire.Number = 6
	argPtr    protowire.Number = 7 // pointer_value
	argNested protowire.Number = 8
	argJSON   protowire.Number = 9 // legacy_json_value
	argName   protowire.Number = 10
	argDict   protowire.Number = 11 // dict_entries
	argArray  protowire.Number = 12 // array_values
	argTextID protowire.Number = 17 // string_value_iid

	nestedType   protowire.Number = 1
	nestedKeys   protowire.Number = 2
	nestedValues protowire.Number = 3
	nestedArray  protowire.Number = 4
	nestedInt    protowire.Number = 5
	nestedDouble protowire.Number = 6
	nestedBool   protowire.Number = 7
	nestedText   protowire.Number = 8
	nestedIsDict                  = 1
	nestedIsList                  = 2
)

// InternedData, interned_data/interned_data.proto; the entries of its tables have a number and a
// text, those of source locations (track_event/source_location.proto) two texts.
const (
	internedCategories protowire.Number = 1
	internedNames      protowire.Number = 2
	internedArgNames   protowire.Number = 3
	internedLocations  protowire.Number = 4
	internedSymbols    protowire.Number = 26 // kernel_symbols
	internedArgTexts   protowire.Number = 29 // debug_annotation_string_values
	internedID         protowire.Number = 1
	internedText       protowire.Number = 2
	locationFile       protowire.Number = 2
	locationFunction   protowire.Number = 3
)

// Of stacks in InternedData; Mapping, Frame and Callstack, profiling/profile_common.proto.
const (
	internedFunctions protowire.Number = 5 // function_names
	internedFrames    protowire.Number = 6
	internedStacks    protowire.Number = 7  // callstacks
	internedPaths     protowire.Number = 17 // mapping_paths
	internedMappings  protowire.Number = 19
	mappingPath       protowire.Number = 7 // path_string_ids
	frameFunction     protowire.Number = 2
	frameMapping      protowire.Number = 3
	stackFrames       protowire.Number = 2
)

// PerfSample and StreamingProfilePacket, profiling/profile_packet.proto.
const (
	samplePID     protowire.Number = 2
	sampleTID     protowire.Number = 3
	sampleStack   protowire.Number = 4  // callstack_iid
	sampleLost    protowire.Number = 17 // records_lost
	sampleSkipped protowire.Number = 18
	streamedStack protowire.Number = 1 // callstack_iid
	streamedDelta protowire.Number = 2
)

// StackSample and TaskContext, profiling/stack_sample.proto, and what has the first number of their
// extensions of InternedData; InlineCallstack and its frames, profiling/inline_callstack.proto.
const (
	sampleTask     protowire.Number = 1
	sampleTaskID   protowire.Number = 2
	sampleInline   protowire.Number = 5 // callstack
	sampleInterned protowire.Number = 6 // callstack_iid
	taskPID        protowire.Number = 2
	taskTID        protowire.Number = 3
	internedTasks  protowire.Number = 2000
	inlineFrame    protowire.Number = 1
	inlineName     protowire.Number = 1
	inlineFile     protowire.Number = 2
)

// ChromeEventBundle and ChromeMetadata, chrome/chrome_trace_event.proto.
const (
	chromeTraceEvents   protowire.Number = 1
	chromeMetadata      protowire.Number = 2
	chromeLegacyJSON    protowire.Number = 5 // legacy_json_trace
	metadataName        protowire.Number = 1
	metadataStringValue protowire.Number = 2
)

// ChromeTraceEvent, in the same file, and Arg in it. The values of an Arg have the
// numbers that those of a DebugAnnotation have.
const (
	chromeName     protowire.Number = 1
	chromeTime     protowire.Number = 2 // µs
	chromePhase    protowire.Number = 3
	chromeTID      protowire.Number = 4
	chromeDuration protowire.Number = 5
	chromeScope    protowire.Number = 7
	chromeID       protowire.Number = 8
	chromeFlags    protowire.Number = 9
	chromeCategory protowire.Number = 10
	chromePID      protowire.Number = 11
	chromeBind     protowire.Number = 13
	chromeArg      protowire.Number = 14
	chromeArgName  protowire.Number = 1

	// Of flags, as Chromium's trace_event_common.h has them.
	chromeFlowIn  = 1 << 8
	chromeFlowOut = 1 << 9
)

// ProcessTree, ps/process_tree.proto.
const (
	treeProcess        protowire.Number = 1
	treeThread         protowire.Number = 2
	treeProcessPID     protowire.Number = 1
	treeProcessParent  protowire.Number = 2
	treeProcessCmdline protowire.Number = 3
	treeThreadTID      protowire.Number = 1
	treeThreadName     protowire.Number = 2
	treeThreadPID      protowire.Number = 3 // tgid
)

// FtraceEventBundle and CompactSched in it, ftrace/ftrace_event_bundle.proto.
const (
	bundleCPU      protowire.Number = 1
	bundleEvent    protowire.Number = 2
	bundleLost     protowire.Number = 3 // lost_events
	bundleCompact  protowire.Number = 4 // compact_sched
	bundleClock    protowire.Number = 5 // ftrace_clock
	bundleKernel   protowire.Number = 6 // ftrace_timestamp: what that clock showed
	bundleBoot     protowire.Number = 7 // boot_timestamp: what BOOTTIME showed then
	ftraceBoot                      = 0 // FTRACE_CLOCK_UNSPECIFIED
	ftraceRaw                       = 4 // FTRACE_CLOCK_MONO_RAW
	switchTime     protowire.Number = 1
	switchState    protowire.Number = 2
	switchNext     protowire.Number = 3
	wakingTime     protowire.Number = 7
	wakingThread   protowire.Number = 8
	compactStrings protowire.Number = 5 // intern_table
	switchComm     protowire.Number = 6 // switch_next_comm_index
)

// FtraceEvent, ftrace/ftrace_event.proto; SchedSwitch and SchedWaking, ftrace/sched.proto; Print,
// FuncgraphEntry and FuncgraphExit, ftrace/ftrace.proto.
const (
	ftraceTime    protowire.Number = 1
	ftraceThread  protowire.Number = 2
	ftracePrint   protowire.Number = 3
	ftraceSwitch  protowire.Number = 4
	ftraceWakeup  protowire.Number = 17 // sched_wakeup, where sched_waking is not recorded
	ftraceWaking  protowire.Number = 20
	ftraceEnter   protowire.Number = 437 // funcgraph_entry
	ftraceLeave   protowire.Number = 438 // funcgraph_exit
	printText     protowire.Number = 2
	enteredFunc   protowire.Number = 2
	leftFunc      protowire.Number = 3
	prevComm      protowire.Number = 1
	prevThread    protowire.Number = 2
	prevState     protowire.Number = 4
	nextComm      protowire.Number = 5
	nextThread    protowire.Number = 6
	wokenThread   protowire.Number = 2
	waitingStates                  = 0xff // bits, none of which a thread has that was pre-empted
	overStates                     = 0x70 // bits of a thread that is dead, a zombie, or parked
)
