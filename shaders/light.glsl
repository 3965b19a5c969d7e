// Heads the fragment shaders that shade cushions.

uniform float u_linear;  // 1 where the framebuffer encodes to sRGB by itself, else 0

// Decodes sRGB within one 8-bit step (a fit that minimises the largest error, 0.7 of a step); the
// exact power is too dear for every pixel of a cushion.
vec3 decode(vec3 c) {
	return c * (0.0595442 + c * (0.3612909 + c * (0.9006577 - c * 0.3214928)));
}

// Shades the fill c, straight alpha and sRGB-encoded, by the ramps of cushion.glsl; the result is
// as the framebuffer wants it.
vec4 cushion(vec4 c, vec4 ramps) {
	vec4 s = max(ramps, 0.0);
	s *= s;
	// A dark fill reflects less: without that its lit edge would glow.
	float shine = s.z * min(1.0, 1.15 * max(c.r, max(c.g, c.b)) - 0.15);
	vec3 lit = mix(c.rgb, vec3(1.0), max(shine, 0.0)) * ((1.0 - s.x - s.y) * (1.0 - s.w));
	return vec4(mix(lit, decode(lit), u_linear) * c.a, c.a);
}
