// Package notices holds the licences of what the program is built of: Diptych itself, Go, and each
// module that is linked for any system, with the licences of the C code and the fonts in them. The
// text is a file that go test -update writes, and that a test keeps complete against what go list
// tells of the program's packages.
package notices

import _ "embed"

// Text is all licences, each under the name and version of what it is for.
//
//go:embed notices.txt
var Text string
