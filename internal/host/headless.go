package host

/*
#cgo pkg-config: egl
#include <stdlib.h>
#include <string.h>
#include <EGL/egl.h>
#include <EGL/eglext.h>

// A surfaceless display needs no display server; where it is unknown, the default one may do.
static EGLDisplay display(void) {
	const char *known = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
	if (known && strstr(known, "EGL_MESA_platform_surfaceless")) {
		PFNEGLGETPLATFORMDISPLAYEXTPROC get =
			(PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
		EGLDisplay d = EGL_NO_DISPLAY;
		if (get) d = get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
		if (d != EGL_NO_DISPLAY && eglInitialize(d, NULL, NULL)) return d;
	}
	EGLDisplay d = eglGetDisplay(EGL_DEFAULT_DISPLAY);
	if (d != EGL_NO_DISPLAY && eglInitialize(d, NULL, NULL)) return d;
	return EGL_NO_DISPLAY;
}

static EGLContext context(EGLDisplay d) {
	const EGLint attributes[] = {
		EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_NONE,
	};
	const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE};
	EGLConfig config;
	EGLint n = 0;
	if (!eglBindAPI(EGL_OPENGL_ES_API)) return EGL_NO_CONTEXT;
	if (!eglChooseConfig(d, attributes, &config, 1, &n) || n == 0) return EGL_NO_CONTEXT;
	return eglCreateContext(d, config, EGL_NO_CONTEXT, version);
}
*/
import "C"

import (
	"fmt"
	"runtime"
)

// Context is an OpenGL ES 3 context without a window or any surface: drawing goes to framebuffer
// objects. It belongs to the thread that made it.
type Context struct {
	display C.EGLDisplay
	context C.EGLContext
}

// Headless makes such a context, which needs no display server, and makes it current. It locks the
// calling goroutine to its thread until Close.
func Headless() (*Context, error) {
	runtime.LockOSThread()
	c, err := headless()
	if err != nil {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("host: headless context: %w", noRenderer(err))
	}
	return c, nil
}

func headless() (*Context, error) {
	d := C.display()
	if d == C.EGLDisplay(C.EGL_NO_DISPLAY) {
		return nil, fmt.Errorf("no EGL display, error %#x", int(C.eglGetError()))
	}
	x := C.context(d)
	if x == C.EGLContext(C.EGL_NO_CONTEXT) {
		return nil, fmt.Errorf("no context, EGL error %#x", int(C.eglGetError()))
	}
	none := C.EGLSurface(C.EGL_NO_SURFACE)
	if C.eglMakeCurrent(d, none, none, x) != C.EGL_TRUE {
		err := fmt.Errorf("cannot be current without a surface, EGL error %#x", int(C.eglGetError()))
		C.eglDestroyContext(d, x)
		return nil, err
	}
	return &Context{display: d, context: x}, nil
}

// Close destroys the context and frees the thread. It must be called on the goroutine that called
// Headless. The EGL display, which other contexts of the process share, stays.
func (c *Context) Close() {
	none := C.EGLSurface(C.EGL_NO_SURFACE)
	C.eglMakeCurrent(c.display, none, none, C.EGLContext(C.EGL_NO_CONTEXT))
	C.eglDestroyContext(c.display, c.context)
	runtime.UnlockOSThread()
}
