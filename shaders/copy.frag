// Copies a picture of the framebuffer's size, pixel by pixel. Not by texelFetch, which decodes sRGB
// even where a texture is told not to.

uniform sampler2D u_picture;
uniform vec2 u_size;  // px

layout(location = 0) out vec4 o_color;

void main() { o_color = texture(u_picture, gl_FragCoord.xy / u_size); }
