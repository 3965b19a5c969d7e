// Places cushions with square corners, which is what calls are.

flat out vec4 v_fill;
out vec4 v_ramps;

void main() {
	vec2 size = extent(), c = corner(), u = part();
	float whole = size.x / (u.y - u.x);
	v_fill = a_fill;
	v_ramps = ramps(mix(u.x, u.y, c.x) * whole, whole, c.y);
	gl_Position = place(a_rect.xy + c * size);
}
