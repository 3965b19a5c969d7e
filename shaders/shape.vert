// Places quads of any shade and form; shape.frag can do all that flat and cushion do, and more.

flat out vec4 v_fill;    // straight alpha, sRGB-encoded
flat out vec4 v_color;   // as the framebuffer wants it
flat out uint v_shade;
flat out vec4 v_form;    // half the size of the rectangle, corner radius, line width, px
out vec4 v_ramps;
out vec4 v_at;           // px from the centre, share of the whole shape's width, px across a hatch

void main() {
	vec2 size = extent(), c = corner(), u = part();
	float whole = size.x / (u.y - u.x);

	// Round corners are anti-aliased, so pixels whose centre lies just outside take part too.
	vec2 p = c * size;
	if (a_form.x > 0.0) p += c * 2.0 - 1.0;

	v_fill = a_fill;
	v_color = fill();
	v_shade = a_shade;
	v_form = vec4(0.5 * size, min(a_form.x, 0.5 * min(size.x, size.y)), a_form.y);
	v_ramps = ramps(p.x + u.x * whole, whole, p.y / size.y);
	vec2 view = a_rect.xy + p; // hatches are anchored to the view, so that neighbours' stripes join
	v_at = vec4(p - 0.5 * size, p.x / whole + u.x, view.x + view.y);
	gl_Position = place(view);
}
