// Package archtest holds the rules of the house as tests:
//
//   - imports: which package may import which, which one alone may use a library, what
//     builds without cgo, and that every package says what it is;
//   - size: how long files, functions and lines of comments may be, and how many lines of tests
//     there are for a line of code;
//   - the repository: what may be tracked at its root.
//
// It has no code of its own.
package archtest
