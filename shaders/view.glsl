// Heads the vertex shaders of what lies in a view: where that is in the framebuffer, and what
// colours this wants.

uniform vec2 u_origin;   // of the view in the framebuffer, px from the top left
uniform vec2 u_size;     // of the framebuffer, px
uniform float u_linear;  // 1 where the framebuffer encodes to sRGB by itself, else 0
uniform float u_scale;   // px per device-independent pixel

// Places p, in px from the view's top left corner.
vec4 place(vec2 p) {
	vec2 ndc = (p + u_origin) / u_size * 2.0 - 1.0;
	return vec4(ndc.x, -ndc.y, 0.0, 1.0);
}

// The colour c, straight alpha and sRGB-encoded, as the framebuffer wants it: alpha multiplied in,
// and in linear light if it encodes.
vec4 premultiplied(vec4 c) {
	vec3 light = mix(pow((c.rgb + 0.055) / 1.055, vec3(2.4)), c.rgb / 12.92,
		vec3(lessThanEqual(c.rgb, vec3(0.04045))));
	return vec4(mix(c.rgb, light, u_linear) * c.a, c.a);
}
