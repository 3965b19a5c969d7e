package view

import "reflect"

// Empty empties a view or a panel that is dropped, which is a pointer to a struct. Who still refers
// to it holds nothing more then: Gio's router remembers for which controls its last events were.
func Empty(v any) {
	if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && !p.IsNil() {
		p.Elem().SetZero()
	}
}
