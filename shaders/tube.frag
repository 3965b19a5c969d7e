uniform vec4 u_form;     // Lambda, Morph, Line, Spine of scene.Tubes

flat in vec4 v_fill;     // straight alpha, sRGB-encoded
flat in float v_gloss;
in vec4 v_across;        // px from the axis along x, half-width, strengths of cushion and spine

layout(location = 0) out vec4 o_color;

const vec2 DARKNESS = vec2(0.20, 0.36);  // of the border of a thin and of a wide tube
const float SHINE = 0.90;                // white in the middle of a highlight of strength 1
const float SPINE = 0.35;                // what a spine leaves of the fill's light

void main() {
	float off = abs(v_across.x), half_width = max(v_across.y, 1e-3);
	// Both are linear in each triangle, so these derivatives are exact: px along x per px across
	// the border.
	vec2 down = dFdy(v_across.xy);
	float slant = length(vec2(1.0, down.y - sign(v_across.x) * down.x));
	float cover = clamp(0.5 + (half_width - off) / slant, 0.0, 1.0);

	float v = min(off / half_width, 1.0);
	v *= v;
	vec3 c = v_fill.rgb * (1.0 - mix(DARKNESS.x, DARKNESS.y, v_across.z) * v);

	// A dark fill reflects less: without that a highlight would glare in a dark theme.
	float lit = max(1.0 - 6.0 * v, 0.0) * (0.3 + 0.7 * max(v_fill.r, max(v_fill.g, v_fill.b)));
	c = mix(c, vec3(1.0), SHINE * v_gloss * v_across.z * lit * lit);

	float line = clamp(0.5 + 0.5 * u_form.z - off / slant, 0.0, 1.0);
	c = mix(c, v_fill.rgb * SPINE, line * v_across.w);

	float alpha = v_fill.a * cover;
	o_color = vec4(mix(c, decode(c), u_linear) * alpha, alpha);
}
