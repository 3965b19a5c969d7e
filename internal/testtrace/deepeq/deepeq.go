// Package deepeq compares values with all that they refer to, as reflect.DeepEqual does, for tests
// whose traces have columns of many numbers. With the race detector, reflect takes a microsecond
// for each number. Here such a column is compared as one piece of memory. The package does not
// import package trace, so that the tests within that package can use it. Only tests import it.
package deepeq

import (
	"bytes"
	"reflect"
	"unsafe"
)

// Equal reports whether a and b are the same. Unlike with reflect.DeepEqual, a slice or map that is
// nil equals an empty one, and values that are reached through pointers must not form cycles.
func Equal(a, b any) bool { return equal(reflect.ValueOf(a), reflect.ValueOf(b)) }

func equal(v, w reflect.Value) bool {
	if !v.IsValid() || !w.IsValid() {
		return v.IsValid() == w.IsValid()
	}
	if v.Type() != w.Type() {
		return false
	}
	switch v.Kind() {
	case reflect.Pointer:
		return v.UnsafePointer() == w.UnsafePointer() || equal(v.Elem(), w.Elem())
	case reflect.Interface:
		return equal(v.Elem(), w.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if !equal(v.Field(i), w.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if v.Len() == w.Len() && isPlain(v.Type().Elem()) {
			return bytes.Equal(memory(v), memory(w))
		}
		return sameList(v, w)
	case reflect.Array:
		return sameList(v, w)
	case reflect.Map:
		return sameMap(v, w)
	case reflect.Func:
		return v.IsNil() && w.IsNil()
	}
	return v.Equal(w)
}

func sameList(v, w reflect.Value) bool {
	if v.Len() != w.Len() {
		return false
	}
	for i := range v.Len() {
		if !equal(v.Index(i), w.Index(i)) {
			return false
		}
	}
	return true
}

func sameMap(v, w reflect.Value) bool {
	if v.Len() != w.Len() {
		return false
	}
	for _, k := range v.MapKeys() {
		if x := w.MapIndex(k); !x.IsValid() || !equal(v.MapIndex(k), x) {
			return false
		}
	}
	return true
}

// isPlain reports whether values of a type are equal exactly if their memory is: numbers other than
// floats, which have two zeros, and structures of them without padding.
func isPlain(t reflect.Type) bool {
	switch k := t.Kind(); {
	case k == reflect.Bool, reflect.Int <= k && k <= reflect.Uintptr:
		return true
	case k == reflect.Array:
		return isPlain(t.Elem())
	case k == reflect.Struct:
		size := uintptr(0)
		for i := range t.NumField() {
			if !isPlain(t.Field(i).Type) {
				return false
			}
			size += t.Field(i).Type.Size()
		}
		return size == t.Size()
	}
	return false
}

// memory returns the elements of a slice as bytes.
func memory(v reflect.Value) []byte {
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*int(v.Type().Elem().Size()))
}
