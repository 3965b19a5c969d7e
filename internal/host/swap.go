package host

/*
#cgo pkg-config: egl
#include <EGL/egl.h>

// keeps_content has the current surface keep its content when it is swapped, and reports whether it
// does.
static int keeps_content(void) {
	EGLDisplay d = eglGetCurrentDisplay();
	EGLSurface s = eglGetCurrentSurface(EGL_DRAW);
	EGLint behavior = EGL_BUFFER_DESTROYED;
	if (d == EGL_NO_DISPLAY || s == EGL_NO_SURFACE) return 0;
	eglSurfaceAttrib(d, s, EGL_SWAP_BEHAVIOR, EGL_BUFFER_PRESERVED);
	if (!eglQuerySurface(d, s, EGL_SWAP_BEHAVIOR, &behavior)) return 0;
	return behavior == EGL_BUFFER_PRESERVED;
}
*/
import "C"

// keepsContent has the window whose context is current keep its content when its buffers are
// swapped, and reports whether it does. Where the CPU draws, that costs nothing and saves copying
// all of a picture that has changed little; a graphics card would have to copy.
func keepsContent() bool { return C.keeps_content() != 0 }
