// Package archtest holds the rules of the house as tests. Of imports (DESIGN §2): which package may
// import which, who alone may use a library, what builds without cgo, and that every package says
// what it is. Of size: how long files, functions and lines of comments may be, and how many lines
// of tests there are for a line of code. Of the repository: what may be tracked at its root. It has
// no code of its own.
package archtest
