package structure

// joint is what stands between a name and that of its parent when a path is written out.
type joint uint8

const (
	apart  joint = iota // " · "
	slash               // of folders and import paths
	dot                 // of Go, Java, Python and JavaScript
	colons              // of C++ and Rust
)

func (j joint) String() string { return [...]string{" · ", "/", ".", "::"}[j] }

// level is one part of a place in the code.
type level struct {
	name  string
	kind  Kind
	joint joint
}

// place is where a function is: the levels around it, outermost first, and its own.
type place []level
