flat in vec4 v_fill;
flat in vec4 v_color;
flat in uint v_shade;
flat in vec4 v_ring;
flat in vec3 v_fall;
flat in vec3 v_along;
flat in float v_line;
in vec2 v_at;
in float v_across;

layout(location = 0) out vec4 o_color;

// The values of scene.Shade that are told apart here.
const uint CUSHION = 1u;
const uint HATCH = 3u;
const uint OUTLINE = 4u;

float share(float v) { return clamp(v, 0.0, 1.0); }

// How much of the pixel lies between the rays at either end of the arc, each moved inwards by inset
// px. Where they run along or against each other, it is the difference of what lies beyond each, so
// that what is narrower than a pixel covers no more of it than there is.
float wedge(float inset) {
	// Distances from the rays, positive on the arc's side of them.
	float x = v_ring.z * v_at.x, y = v_ring.w * v_at.y;
	vec2 d = vec2(x + y, x - y) - inset;
	if (v_ring.w > 0.7) return max(share(0.5 + d.x) + share(0.5 + d.y) - 1.0, 0.0);
	if (v_ring.w > 0.0) return share(0.5 + min(d.x, d.y));
	if (v_ring.w > -0.7) return share(0.5 + max(d.x, d.y));
	if (v_ring.w > -1.5) return 1.0 - max(share(0.5 - d.x) + share(0.5 - d.y) - 1.0, 0.0);
	return 1.0; // closed
}

// How much of the pixel, r px from the centre, lies within the arc taken in by inset px all around.
float cover(float r, float inset) {
	float ring = share(v_ring.y - inset - r + 0.5) - share(v_ring.x + inset - r + 0.5);
	return max(ring, 0.0) * wedge(inset);
}

void main() {
	float r = length(v_at);
	float covered = cover(r, 0.0);
	vec4 c = v_color;
	if (v_shade == CUSHION) {
		float x = v_along.y + atan(v_at.y, v_at.x) * v_along.x;
		float inner = max(v_ring.x, 0.0);
		c = cushion(v_fill, ramps(v_fall, x, v_along.z, (r - inner) / (v_ring.y - inner)));
	}
	if (v_shade == HATCH) covered *= stripe(v_across);
	if (v_shade == OUTLINE) covered -= cover(r, v_line);
	o_color = c * covered;
}
