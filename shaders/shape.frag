flat in vec4 v_fill;
flat in vec4 v_color;
flat in uint v_shade;
flat in vec4 v_form;
in vec4 v_ramps;
in vec4 v_at;

layout(location = 0) out vec4 o_color;

// The values of scene.Shade that are told apart here.
const uint CUSHION = 1u;
const uint CUSHION_UP = 2u;
const uint HATCH = 3u;
const uint OUTLINE = 4u;
const uint GRADIENT_X = 5u;
const uint DASHED = 6u;

// Signed distance to the border of the rectangle with half size h and corner radius r, px.
float border(vec2 p, vec2 h, float r) {
	vec2 q = abs(p) - h + r;
	return length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - r;
}

void main() {
	vec4 c = v_color;
	if (v_shade == CUSHION || v_shade == CUSHION_UP) c = cushion(v_fill, v_ramps);
	float cover = 1.0;
	if (v_shade == HATCH) cover = stripe(v_at.w);
	if (v_shade == GRADIENT_X) cover = 1.0 - clamp(v_at.z, 0.0, 1.0);

	bool outline = v_shade == OUTLINE || v_shade == DASHED;
	if (v_shade == DASHED && gap(v_at.w) > 0.5) cover = 0.0;

	float d = border(v_at.xy, v_form.xy, v_form.z);
	if (v_form.z > 0.0) {
		cover *= clamp(0.5 - d, 0.0, 1.0);
		if (outline) cover *= clamp(d + v_form.w + 0.5, 0.0, 1.0);
	} else if (outline && d <= -v_form.w) {
		cover = 0.0; // square borders stay crisp
	}
	o_color = c * cover;
}
