// Package growth measures how the cost of everything that looks at whole traces grows with them:
// with the calls, with the threads and with the depth of stacks. It has benchmarks only: run
//
//	go test ./internal/growth -run '^$' -bench . -benchtime 1x
//
// Each reports for its largest size the processor time per call, and the worst growth of it from
// one size to the next: 1 if cost follows the calls.
package growth
