// What a cushion's shading is made of: ramps towards the left and right border, the lit edge and
// the foot. Their positive parts squared are the strengths.
//
// A cushion is a soft cylinder lit from above and slightly from the left. The falloff at the left
// and right borders takes a fifth of a wide shape and at most half of a narrow one, whose right
// border is darkened the more the fewer pixels it has, so that neighbours in one colour stay apart.

// How far the falloff reaches from the borders, px, and the ramps' heights at the left and the
// right one, of a shape whole px wide; scale is px per device-independent pixel.
vec3 falloff(float whole, float scale) {
	float reach = clamp(max(0.2 * whole, 9.0 * scale), 0.5, max(0.5 * whole, 0.5));
	float slim = 1.0 - smoothstep(1.5, 6.0, whole / scale);
	return vec3(reach, sqrt(mix(0.13, 0.02, slim)), sqrt(mix(0.18, 0.46, slim)));
}

// The ramps at x, which counts from the left border of the whole shape, and t, which runs over its
// height.
vec4 ramps(vec3 fall, float x, float whole, float t) {
	return vec4(fall.y * (1.0 - x / fall.x), fall.z * (1.0 - (whole - x) / fall.x),
		sqrt(0.40) * (1.0 - 2.0 * t), sqrt(0.13) * (t - 0.55) / 0.45);
}
