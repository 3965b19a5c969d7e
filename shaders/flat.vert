// Places quads that have one colour and square corners: the plainest and most frequent ones.

flat out vec4 v_color;

void main() {
	v_color = fill();
	gl_Position = place(a_rect.xy + corner() * extent());
}
