// Heads the fragment shaders that hatch.

uniform float u_scale;  // px per device-independent pixel

// How much of the pixel a diagonal stripe covers. Stripes lie 6 device-independent px apart, which
// is sqrt(2) times as much along x + y, and are a good quarter of that wide.
float stripe(float along) {
	float pitch = 6.0 * u_scale * 1.41421356;
	float d = abs(fract(along / pitch) - 0.5) * pitch * 0.70710678;
	return clamp(0.9 * u_scale - d + 0.5, 0.0, 1.0);
}

// 1 in the gaps of a dashed line, 0 in its dashes. A dash and a gap are 6 device-independent px long
// along a level or upright line.
float gap(float along) { return step(0.6, fract(along / (6.0 * u_scale))); }
