// Places texts: one instance each, a rectangle of a texture in which its letters are white.

layout(location = 0) in vec4 a_rect;  // x0, y0, x1, y1 in px from the view's top left corner
layout(location = 1) in vec4 a_fill;  // straight alpha, sRGB-encoded
layout(location = 2) in vec2 a_from;  // of the rectangle in the texture, px from its top left corner

flat out vec4 v_color;  // as the framebuffer wants it
out vec2 v_at;          // in the texture, as a share of its size

uniform sampler2D u_letters;

void main() {
	vec2 c = vec2(gl_VertexID & 1, gl_VertexID >> 1) * (a_rect.zw - a_rect.xy);
	v_color = premultiplied(a_fill);
	v_at = (a_from + c) / vec2(textureSize(u_letters, 0));
	v_at.y = 1.0 - v_at.y; // its first row is the lowest
	gl_Position = place(a_rect.xy + c);
}
