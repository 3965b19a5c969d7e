package host

/*
#include <EGL/egl.h>

static int preserve(void) {
	EGLDisplay d = eglGetCurrentDisplay();
	EGLSurface s = eglGetCurrentSurface(EGL_DRAW);
	EGLint behavior = EGL_BUFFER_DESTROYED;
	return s != EGL_NO_SURFACE && eglSurfaceAttrib(d, s, EGL_SWAP_BEHAVIOR, EGL_BUFFER_PRESERVED) &&
		eglQuerySurface(d, s, EGL_SWAP_BEHAVIOR, &behavior) && behavior == EGL_BUFFER_PRESERVED;
}
*/
import "C"

// preserve has the window whose context is current keep its content when it is shown, and reports
// whether it does. Then only what has changed must be brought to it. A driver of a graphics card
// may copy the whole window for that, so it is for those that draw with the CPU, which copy it in
// any case.
func preserve() bool { return C.preserve() != 0 }
