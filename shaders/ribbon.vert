// Sweeps one scene.Ribbon per instance, whose attributes are its fields as they lie in memory: a
// strip of three bands, each with u_pieces pieces: the core, between both borders, and the border of
// either curve, which takes in the line along it and its soft edges. Where the ribbon
// is too slim for both borders they meet half-way, so bands never overlap. gl_VertexID counts the
// strip's corners; the first and the last corner of a band come twice, which makes the triangles
// between bands vanish.
//
// A ribbon lies nearer than those before it, and of equal depths the first stays: where a ribbon
// folds over itself, it blends with what is behind it once. With lines, the borders come first, so
// that no line is broken where the core folds over it; without, the core, since the soft edges would
// show through it as seams.

layout(location = 0) in vec4 a_begin0;  // control points of curve 0, two by two, px
layout(location = 1) in vec4 a_end0;
layout(location = 2) in vec4 a_begin1;  // of curve 1
layout(location = 3) in vec4 a_end1;
layout(location = 4) in vec4 a_fill;    // straight alpha, sRGB-encoded
layout(location = 5) in float a_line;   // width, px
layout(location = 6) in vec4 a_ink;     // as a_fill

uniform int u_pieces;
uniform float u_step;  // from the depth of a ribbon to that of the next

flat out vec4 v_fill;     // as the framebuffer wants it
flat out vec4 v_ink;
flat out float v_half;    // half the line's width, px
flat out float v_depth;
out vec2 v_edge;          // px to the side of the curve's normals: from it, to the other
out vec2 v_ends;          // px from the ends, inwards

const float EDGE = 1e-3;  // how far from the ends directions are taken: there a curve may stand still

// The weights of the control points in the curve at t, and in its derivative but for a factor.
vec4 point(float t) {
	float s = 1.0 - t;
	return vec4(s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t);
}

vec4 slope(float t) {
	float s = 1.0 - t;
	return vec4(-s * s, s * s - 2.0 * s * t, 2.0 * s * t - t * t, t * t);
}

// Moves p out by half a pixel if it is the last corner before the end at t, and returns how far
// from there it is. An end runs along the line that joins the curves, which have the control points
// (x, y) and (x2, y2), or where that is too short to tell, square to the way the ribbon leaves it.
// Where a curve leaves along that line, its end is square to its own way.
float soften(inout vec2 p, float t, bool last, vec4 x, vec4 y, vec4 x2, vec4 y2) {
	vec4 w = point(t), w_in = point(abs(t - EDGE)) - w;
	vec2 across = vec2(dot(x2 - x, w), dot(y2 - y, w));
	vec2 way = vec2(dot(x2 + x, w_in), dot(y2 + y, w_in));
	vec2 n = vec2(-across.y, across.x);
	if (dot(n, n) < 1.0) n = way;
	vec2 own = vec2(dot(x, w_in), dot(y, w_in));
	if (abs(dot(n, own)) < 0.25 * length(n) * length(own)) n = way = own;
	n *= (dot(n, way) < 0.0 ? -1.0 : 1.0) / max(length(n), 1e-9);
	if (last) p -= 0.5 * n;
	return dot(p - vec2(dot(x, w), dot(y, w)), n);
}

void main() {
	int corners = 2 * (u_pieces + 1);
	int band = gl_VertexID / (corners + 2);
	int corner = clamp(gl_VertexID - band * (corners + 2) - 1, 0, corners - 1);
	if (a_line > 0.0) band = (band + 1) % 3;
	int k = corner >> 1;
	bool left = (corner & 1) == 0;
	float h = 1.0 / float(u_pieces), t = float(k) * h, half_width = 0.5 * max(a_line, 0.0);

	// The curve that the corner belongs to, the other one, and how the former lies at t.
	bool second = band == 0 ? !left : band == 2;
	vec4 begin = second ? a_begin1 : a_begin0, begin2 = second ? a_begin0 : a_begin1;
	vec4 end = second ? a_end1 : a_end0, end2 = second ? a_end0 : a_end1;
	vec4 x = vec4(begin.xz, end.xz), x2 = vec4(begin2.xz, end2.xz);
	vec4 y = vec4(begin.yw, end.yw), y2 = vec4(begin2.yw, end2.yw);
	vec4 w = point(t), d = slope(clamp(t, EDGE, 1.0 - EDGE));
	vec2 p = vec2(dot(x, w), dot(y, w)), across = vec2(dot(x2 - x, w), dot(y2 - y, w));
	vec2 n = vec2(-dot(y, d), dot(x, d));
	if (dot(n, n) < 1e-12) n = across; // it stands still
	n /= max(length(n), 1e-9);

	// The side of a border that faces the other curve ends where it is all fill, or half-way to that
	// curve. Where curves cross, borders keep their sides and do not pinch, and no core is between.
	// Where the way to the other curve runs along this one, that curve is not beside it: half-way
	// could be a hundred pixels further along the border, which would be torn. There it is as wide
	// on both sides, and knows of no other line.
	vec4 beside = n.x * (x2 - x) + n.y * (y2 - y);
	// Curves that coincide, as those of a line do, count as lying on either side of one another.
	float reach = half_width + 0.5, deep = dot(beside, w);
	if (deep == 0.0 && second) deep = 1e-9;
	if (band != 0 && length(across) > 4.0 * max(reach, abs(deep))) {
		p += (left ? reach : -reach) * n;
		v_edge = vec2(left ? reach : -reach, (deep > 0.0 ? 2.0 : -2.0) * reach);
	} else if (band == 0 || (deep > 0.0) == left) {
		vec2 next = vec2(dot(beside, point(max(t - h, 0.0))), dot(beside, point(min(t + h, 1.0))));
		bool meet = min(next.x * deep, next.y * deep) <= 0.0;
		float part = meet ? 0.5 : min(reach / abs(deep), 0.5);
		p += part * across;
		v_edge = vec2(part * deep, deep);
	} else {
		p += (left ? reach : -reach) * n;
		v_edge = vec2(left ? reach : -reach, deep);
	}
	if (band == 0) v_edge = vec2(1e4, 3e4); // far from either

	// A soft end reaches half a pixel beyond; what is far from it does not ask how far.
	v_ends = vec2(1e3);
	if (k <= 1) v_ends.x = soften(p, 0.0, k == 0, x, y, x2, y2);
	if (k >= u_pieces - 1) v_ends.y = soften(p, 1.0, k == u_pieces, x, y, x2, y2);

	v_fill = premultiplied(a_fill);
	v_ink = premultiplied(a_ink);
	v_half = half_width;
	v_depth = 1.0 - float(gl_InstanceID + 2) * u_step;
	gl_Position = place(p);
}
