// Package growth measures how the cost of everything that looks at whole traces grows with them:
// with the calls, with the threads and with the depth of stacks. It has benchmarks only: run
//
//	go test ./internal/growth -run '^$' -bench . -benchtime 1x
//
// Each reports for its largest size the processor time per call, and the worst growth of it where
// the size doubles: 1 if cost follows the calls. Of scenes it is the time of a scene. Threads has
// ever fewer calls in a thread, so that what a thread costs by itself shows, and what threads ask
// of each other; Dealt leaves the latter as it is. MoreThreads has as many calls in each thread, so
// that only what grows with the square of the threads shows. Depth has ever deeper stacks, and
// Chain has no two calls of one function.
package growth
