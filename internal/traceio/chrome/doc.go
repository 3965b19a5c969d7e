// Package chrome loads the Chrome Trace Event JSON format, in all the dialects its writers have: an
// object with traceEvents, an array, an array that was never closed. It knows nothing of other
// JSON formats and classifies no function names.
//
// The format is described in "Trace Event Format" (Duffin, Chromium project); where writers and the
// description disagree, DESIGN §3 decides. The text passes through these stages:
//
//   - toplevel.go walks over the members around the events, byte by byte, and keeps almost nothing;
//   - pipeline.go cuts the events into blocks where an event seems to begin, has workers parse the
//     blocks at the same time, and takes the results in order. A cut is a guess; it is checked
//     against where the block before it really ended, and a wrong one costs a second parse, never a
//     wrong result;
//   - batch.go turns a block into records, without an allocation per event, and finds the next
//     event after a broken one;
//   - feed.go replays the records into the Builder, in file order, from one goroutine.
//
// What becomes of the phases:
//
//	B E X         calls of the thread (pid, tid); a missing tid is the pid, a missing pid is 0;
//	              an X without dur has length 0
//	b e, S F      calls in the lane of their id
//	i I R, n T p  instants of the thread, or of the lane of their id
//	s t f         flows, as are bind_id with flow_in and flow_out on a call
//	C             counters, one a series
//	M             names and sort indices of processes and threads; other metadata is not kept
//	N O D P V v   object snapshots, samples, memory dumps, and
//	c ( ) =       clock marks, contexts and links: they widen the trace's extent, no more
//	anything else a bad record
//
// Stack frames (sf, stack, stackFrames), samples beside the events, colours and thread clocks are
// passed over too. An empty object is no record: writers end a list with one to be rid of the last
// comma. The member displayTimeUnit only says how to print times; they are in µs all the same.
package chrome
