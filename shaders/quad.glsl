// Heads every vertex shader of scene quads: what one instance brings, and where its corners lie.
// The attributes are the fields of scene.Quad as they lie in memory; an instance is a triangle
// strip whose four corners gl_VertexID counts.

layout(location = 0) in vec4 a_rect;   // x0, y0, x1, y1 in px from the view's top left corner
layout(location = 1) in vec4 a_fill;   // straight alpha, sRGB-encoded
layout(location = 2) in uint a_shade;  // scene.Shade
layout(location = 3) in vec4 a_form;   // corner radius, line width, U0, U1

uniform vec2 u_origin;   // of the view in the framebuffer, px from the top left
uniform vec2 u_size;     // of the framebuffer, px
uniform float u_linear;  // 1 where the framebuffer encodes to sRGB by itself, else 0
uniform float u_scale;   // px per device-independent pixel

// Narrower than a pixel is widened to one, which covers exactly one pixel centre.
vec2 extent() { return max(a_rect.zw - a_rect.xy, vec2(1.0)); }

vec2 corner() { return vec2(gl_VertexID & 1, gl_VertexID >> 1); }

vec4 place(vec2 p) {
	vec2 ndc = (p + u_origin) / u_size * 2.0 - 1.0;
	return vec4(ndc.x, -ndc.y, 0.0, 1.0);
}

// The fill as the framebuffer wants it: alpha multiplied in, and in linear light if it encodes.
vec4 fill() {
	vec3 c = a_fill.rgb;
	vec3 light = mix(pow((c + 0.055) / 1.055, vec3(2.4)), c / 12.92,
		vec3(lessThanEqual(c, vec3(0.04045))));
	return vec4(mix(c, light, u_linear) * a_fill.a, a_fill.a);
}

// U0 and U1; quads built without them show the whole shape.
vec2 part() { return a_form.w > a_form.z ? a_form.zw : vec2(0.0, 1.0); }

// The ramps a cushion's shading is made of, each linear over the quad, so that they are exact at
// the corners and cheap in between: towards the left and right border, the lit edge and the foot.
// Their positive parts squared are the strengths.
//
// A cushion is a soft cylinder lit from above and slightly from the left. The falloff at the left
// and right borders takes a fifth of a wide shape and at most half of a narrow one, whose right
// border is darkened the more the fewer pixels it has, so that neighbours in one colour stay apart.
// x counts from the left border of the whole shape, which is whole px wide; t runs over the height.
vec4 ramps(float x, float whole, float t) {
	float reach = clamp(max(0.2 * whole, 9.0 * u_scale), 0.5, max(0.5 * whole, 0.5));
	float slim = 1.0 - smoothstep(1.5, 6.0, whole / u_scale);
	float left = sqrt(mix(0.13, 0.02, slim));
	float right = sqrt(mix(0.18, 0.46, slim));
	if (a_shade == 2u) t = 1.0 - t; // CushionUp
	return vec4(left * (1.0 - x / reach), right * (1.0 - (whole - x) / reach),
		sqrt(0.40) * (1.0 - 2.0 * t), sqrt(0.13) * (t - 0.55) / 0.45);
}
