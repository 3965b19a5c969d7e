// Package tracefile keeps loaded traces on disk, so that the second opening of a recording need not
// read it: a trace is one file of columns as they lie in memory, which is mapped and looked at
// where it lies (write.go says what a file is made of). Cache.Load is traceio.Load with such files.
//
// It is a cache: everything in it can be read again, so every failure counts as a miss, and a file
// that is damaged is removed. A file never changes: it appears whole, and is removed by its name
// alone, so that a program that has it mapped goes on.
//
// A recording is known by a stamp, what the file system says of its files, as git knows the files
// of its index; a file whose stamp is not known, by its content, which is read only if a trace is
// there that was read from a file of the same size.
//
// A file that is damaged while it is mapped makes whoever looks at it panic; blame.go tells which
// file is to blame, and the session then reads the recording again.
//
// What lies in a file is trusted once all of it was checked, which reads all of it. Until then a
// preview is shown of a large trace (preview.go).
//
// The package knows neither formats nor what is done with a trace.
package tracefile
