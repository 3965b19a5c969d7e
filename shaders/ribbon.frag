flat in vec4 v_fill;
flat in vec4 v_ink;
flat in float v_half;
flat in float v_depth;
in vec2 v_edge;
in vec2 v_ends;

uniform float u_step;  // from the depth of a ribbon to that of the next

layout(location = 0) out vec4 o_color;

// The pixel is shared by what lies within the line, the line, and what is outside of it.
void main() {
	float off = v_edge.y > 0.0 ? -v_edge.x : v_edge.x; // outwards
	float within = clamp(0.5 - v_half - off, 0.0, 1.0);
	float covered = clamp(0.5 + v_half - off, 0.0, 1.0);
	// Where the curves cross, the line along the other one is near too. How far it is off is measured
	// along this one's normals, and so has to be set upright.
	float other = v_edge.y - v_edge.x, slant = length(vec2(dFdx(other), dFdy(other)));
	if (v_half > 0.0) {
		float line = clamp(0.5 + v_half - abs(other) / max(slant, 1e-3), 0.0, 1.0);
		covered = max(covered, line);
		within = min(within, 1.0 - line);
	}
	covered *= clamp(0.5 + min(v_ends.x, v_ends.y), 0.0, 1.0);
	if (covered < 0.004) discard;
	o_color = v_fill * min(within, covered) + v_ink * max(covered - within, 0.0);
	// Within a ribbon, a soft edge must not keep another fold from being seen where that covers more.
	gl_FragDepth = v_depth + (1.0 - covered) * u_step;
}
