// Package batch compares many pairs of traces: the ranks of two runs, the tests of two commits. It
// brings no scheduler. A manifest lists the pairs; each is compared by itself and written as rows
// of five tables, so any number of processes and machines can take shares of one batch:
//
//	manifest.go  the list of pairs: a CSV file
//	plan.go      makes one, from the names of files
//	task.go      compares one pair; timeline.go samples it over time
//	rows.go      the tables, and what their columns hold
//	settings.go  how they are compared, as batch.json keeps it
//	parts.go     the directory of a batch; a part of it appears whole or not at all
//	shard.go     which parts a process takes
//	run.go       takes them, on all processors; room.go divides the memory among the pairs
//	complete.go  which parts are missing
//	merge.go     joins the parts, once all are there
//	table.go     the rows of a whole batch, merged or not; read.go reads one file of them
//	totals.go    sums over the whole batch, which moments.go and cuts.go keep exact
//
// What is written depends on the traces and the options alone: no times of day, no host names, no
// order in which processes came. So a batch that was stopped and resumed is that of one run, to the
// byte, and whoever doubts a part can make it again.
//
// The package knows no command line and no picture. The tables are for DuckDB, pandas and whatever
// else reads Parquet; docs/batch.md tells how.
package batch
