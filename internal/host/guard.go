package host

import "runtime/debug"

// Mender is an App that can mend what made it panic, such as a damaged file that it shows. Mend is
// given the panic's value, and reports whether the App can go on: then what panicked is called
// again.
type Mender interface{ Mend(panicked any) bool }

// guard calls a part of a frame until it does not panic, or the App cannot mend it.
func (s *stage) guard(do func()) {
	for !s.try(do) {
	}
}

func (s *stage) try(do func()) (done bool) {
	// A fault on memory that is mapped from a file is a panic, too.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			if m, ok := s.app.(Mender); !ok || !m.Mend(v) {
				panic(v)
			}
		}
	}()
	do()
	return true
}
