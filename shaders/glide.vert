// Places calls in focus, whose light follows the pointer.

flat out vec4 v_fill;
out vec2 v_at;  // distance from the dark end as a share of the whole shape's width; share of height

void main() {
	vec2 c = corner();
	v_fill = a_fill;
	v_at = vec2(mix(a_form.z, a_form.w, c.x), a_shade == 8u ? 1.0 - c.y : c.y); // GlideUp
	gl_Position = place(a_rect.xy + c * extent());
}
