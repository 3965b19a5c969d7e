// Bends one strip per instance around a scene.Arc, whose attributes are its fields as they lie in
// memory. The strip only has to enclose what the arc touches: arc.frag cuts it out exactly, and few
// pieces leave little that is cut off. All there is told in the arc's own frame, whose x axis points
// from the centre to the middle of the arc, so that no angle has a seam.

layout(location = 0) in vec4 a_ring;    // centre, px from the view's top left corner; radii, px
layout(location = 1) in vec2 a_angles;  // from, to; radians
layout(location = 2) in vec4 a_fill;    // straight alpha, sRGB-encoded
layout(location = 3) in uint a_shade;   // scene.Shade
layout(location = 4) in vec3 a_form;    // line width, px; U0, U1

uniform int u_pieces;  // of the strip

flat out vec4 v_fill;     // straight alpha, sRGB-encoded
flat out vec4 v_color;    // as the framebuffer wants it
flat out uint v_shade;
flat out vec4 v_ring;     // radii; sine and cosine of half the angle
flat out vec3 v_fall;     // of the cushion
flat out vec3 v_along;    // along the middle radius, px: a radian, middle and width of the shape
flat out float v_line;
out vec2 v_at;            // px in the arc's frame
out float v_across;       // px across a hatch

const float PI = 3.14159265;
const float PAD = 0.51;  // px that a soft border reaches outwards

void main() {
	// Narrower or thinner than a pixel is widened to one (scene.Arc.drawn does the same).
	float middle = 0.5 * (a_ring.z + a_ring.w);
	float thick = max(0.5 * (a_ring.w - a_ring.z), 0.5);
	float inner = middle - thick, outer = middle + thick;
	float h = min(max(0.5 * (a_angles.y - a_angles.x), 0.5 / max(middle, 0.1)), PI);
	bool closed = h >= PI;

	int k = gl_VertexID >> 1;
	float piece = 2.0 * h / float(u_pieces);
	float a = closed && k == u_pieces ? -h : float(k) * piece - h;
	vec2 ray = vec2(cos(a), sin(a)), ahead = vec2(-ray.y, ray.x);
	float r = (gl_VertexID & 1) == 0 ? max(inner - PAD, 0.0) : (outer + PAD) / cos(0.5 * piece);
	vec2 p = r * ray;
	if (!closed && k == 0) p -= PAD * ahead;
	if (!closed && k == u_pieces) p += PAD * ahead;

	vec2 u = a_form.z > a_form.y ? a_form.yz : vec2(0.0, 1.0);
	float whole = 2.0 * h * middle / (u.y - u.x);
	v_fill = a_fill;
	v_color = premultiplied(a_fill);
	v_shade = a_shade;
	// A disc has no inner border, not even a soft one; a closed arc no ends.
	v_ring.xy = vec2(a_ring.z > 0.0 ? inner : -1e4, outer);
	v_ring.zw = closed ? vec2(0.0, -2.0) : vec2(sin(h), cos(h));
	v_fall = falloff(whole, u_scale);
	v_along = vec3(middle, 0.5 * (u.x + u.y) * whole, whole);
	v_line = a_form.x;
	v_at = p;

	float m = 0.5 * (a_angles.x + a_angles.y);
	vec2 x = vec2(cos(m), sin(m));
	vec2 view = a_ring.xy + p.x * x + p.y * vec2(-x.y, x.x);
	v_across = view.x + view.y; // hatches are anchored to the view, so that neighbours' stripes join
	gl_Position = place(view);
}
