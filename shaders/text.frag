flat in vec4 v_color;
in vec2 v_at;

uniform sampler2D u_letters;

layout(location = 0) out vec4 o_color;

void main() {
	ivec2 at = ivec2(floor(v_at));
	at.y = textureSize(u_letters, 0).y - 1 - at.y; // its first row is the lowest
	o_color = v_color * texelFetch(u_letters, at, 0).a;
}
