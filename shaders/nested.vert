// Places the cells of a treemap that multiply what lies beneath them by their luminance.

flat out float v_depth;  // levels below the root
out vec2 v_at;           // share of the cell's width and height

void main() {
	v_depth = a_form.y;
	v_at = corner();
	gl_Position = place(a_rect.xy + v_at * extent());
}
