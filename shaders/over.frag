// Blends a picture over what was drawn, pixel by pixel. Texels decode sRGB where the framebuffer
// encodes it.

uniform sampler2D u_picture;  // alpha multiplied in
uniform vec2 u_corner;        // its top left pixel: px from the left and the lower edge

layout(location = 0) out vec4 o_color;

void main() {
	o_color = texelFetch(u_picture, ivec2(gl_FragCoord.x - u_corner.x, u_corner.y - gl_FragCoord.y), 0);
}
