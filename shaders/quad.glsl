// Heads every vertex shader of scene quads, after view.glsl and cushion.glsl: what one instance
// brings, and where its corners lie. The attributes are the fields of scene.Quad as they lie in
// memory; an instance is a triangle strip whose four corners gl_VertexID counts.

layout(location = 0) in vec4 a_rect;   // x0, y0, x1, y1 in px from the view's top left corner
layout(location = 1) in vec4 a_fill;   // straight alpha, sRGB-encoded
layout(location = 2) in uint a_shade;  // scene.Shade
layout(location = 3) in vec4 a_form;   // corner radius, line width, U0, U1

// Narrower than a pixel is widened to one, which covers exactly one pixel centre.
vec2 extent() { return max(a_rect.zw - a_rect.xy, vec2(1.0)); }

vec2 corner() { return vec2(gl_VertexID & 1, gl_VertexID >> 1); }

// The fill as the framebuffer wants it.
vec4 fill() { return premultiplied(a_fill); }

// U0 and U1; quads built without them show the whole shape.
vec2 part() { return a_form.w > a_form.z ? a_form.zw : vec2(0.0, 1.0); }

// The ramps of cushion.glsl at a point of the quad, linear over it, so that they are exact at the
// corners and cheap in between.
vec4 ramps(float x, float whole, float t) {
	if (a_shade == 2u) t = 1.0 - t; // CushionUp
	return ramps(falloff(whole, u_scale), x, whole, t);
}
