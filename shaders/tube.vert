// Sweeps a run of a tube's pieces per instance: a triangle strip along its axis, evaluated here from
// the knots. The first attributes are the fields of scene.Tube as they lie in memory; internal/scene
// evaluates the same curve for picking. gl_VertexID counts the strip's corners, left and right of
// one sample in turn.

layout(location = 0) in uvec2 a_knots;  // first knot, number of knots
layout(location = 1) in vec4 a_ends;    // widths at the ends, px; nearness at the ends
layout(location = 2) in vec4 a_fill;    // straight alpha, sRGB-encoded
layout(location = 3) in float a_gloss;
layout(location = 4) in vec2 a_run;     // its first piece, and how many the whole tube has

uniform highp sampler2D u_knots;  // x, y, share of the way; rows of KNOTS_PER_ROW
uniform vec2 u_origin;            // of the view in the framebuffer, px from the top left
uniform vec2 u_size;              // of the framebuffer, px
uniform int u_hiding;             // 1 while only depths are drawn, of what hides, else 0
uniform vec4 u_form;              // Lambda, Morph, Line, Spine of scene.Tubes

flat out vec4 v_fill;
flat out float v_gloss;
out vec4 v_across;  // px from the axis along x, half-width, strengths of cushion and spine

const int KNOTS_PER_ROW_BITS = 10;
const float EDGE = 1e-3;
const float MAX_SLANT = 8.0;

// DEPTHS is the part of the range of depths that tubes use. A depth at an end of the range may pass
// that end when it is interpolated and rounded, and some rasterisers leave such pixels out.
const float DEPTHS = 0.99;

vec3 knot(int i) {
	i = int(a_knots.x) + clamp(i, 0, int(a_knots.y) - 1);
	return texelFetch(u_knots, ivec2(i & ((1 << KNOTS_PER_ROW_BITS) - 1), i >> KNOTS_PER_ROW_BITS),
		0).xyz;
}

void main() {
	float u = (a_run.x + float(gl_VertexID >> 1)) / a_run.y;
	float side = float(gl_VertexID & 1) * 2.0 - 1.0;

	float along = u * float(a_knots.y + 1u);
	int k = min(int(along), int(a_knots.y));
	float s = along - float(k), r = 1.0 - s;
	vec3 p0 = knot(k - 2), p1 = knot(k - 1), p2 = knot(k), p3 = knot(k + 1);
	vec3 p = p1 + (r * r * r * (p0 - p1) + (1.0 + 3.0 * s * (1.0 + s * (1.0 - s))) * (p2 - p1)
		+ s * s * s * (p3 - p1)) / 6.0;

	// At its very ends the spline stands still; a step inside, it has the direction of its chord.
	float q = clamp(s, EDGE, 1.0 - EDGE), w = 1.0 - q;
	vec2 d = w * w * (p1 - p0).xy + (1.0 + 2.0 * w * q) * (p2 - p1).xy + q * q * (p3 - p2).xy;
	float slant = clamp(length(d) / max(abs(d.y), 1e-9), 1.0, MAX_SLANT);

	float phi = u_form.x + (1.0 - u_form.x) * 0.5 * (1.0 + cos(6.2831853 * p.z));
	float line = 0.5 * u_form.z * slant;
	float tube = max(0.5 * phi * mix(a_ends.x, a_ends.y, p.z), line);
	float half_width = mix(line, tube, u_form.y);

	// To hide what is behind, a tube has to cover pixels wholly. To be seen, it takes in all pixels
	// that its soft borders touch; where a wide one's width changes, those slant more than its axis.
	float reach = half_width + 0.5 * slant + min(0.03 * half_width, 2.0);
	if (u_hiding == 1)
		reach = a_fill.a < 1.0 ? 0.0 : max(half_width - 0.5 * slant, 0.0);
	float x = side * reach;

	// The thinner a tube, the weaker its cushion: of a thin one, all pixels are near a border. Nor
	// has it room for a spine.
	v_across = vec4(x, half_width, smoothstep(0.5, 10.0, half_width),
		u_form.w * smoothstep(1.0, 3.0, half_width / max(u_form.z * slant, 1e-3)));
	v_fill = a_fill;
	v_gloss = a_gloss;
	vec2 ndc = (vec2(p.x + x, p.y) + u_origin) / u_size * 2.0 - 1.0;
	float depth = DEPTHS * (1.0 - 2.0 * mix(a_ends.z, a_ends.w, p.z));
	gl_Position = vec4(ndc.x, -ndc.y, depth, 1.0);
}
