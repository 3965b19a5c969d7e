package render

/*
#cgo pkg-config: egl
#include <stdlib.h>
#include <EGL/egl.h>

static int lost(void) { return eglGetError() == EGL_CONTEXT_LOST; }

static void *address(const char *name) { return (void *)eglGetProcAddress(name); }
*/
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// load resolves the OpenGL functions through EGL, which made every context this package is used in.
// The addresses do not depend on the context, so once is enough.
var load = sync.OnceValue(func() error {
	err := gl.InitWithProcAddrFunc(func(name string) unsafe.Pointer {
		s := C.CString(name)
		defer C.free(unsafe.Pointer(s))
		return C.address(s)
	})
	if err != nil {
		return fmt.Errorf("render: OpenGL ES 3 function missing: %w", err)
	}
	return nil
})

// swapLost reports whether EGL found the context lost when it was last called on this thread.
func swapLost() bool { return C.lost() != 0 }
