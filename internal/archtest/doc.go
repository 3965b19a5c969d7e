// Package archtest holds the allowed import directions (DESIGN §2) as tests: which package may
// import which, who alone may use a library, what builds without cgo, and that every package says
// what it is. It has no code of its own.
package archtest
