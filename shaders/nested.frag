// The luminance of a nested cell d levels below the root (ViewFusion, eq. 1):
// ψ_d(x, y) = [(1 − (1 − f_x·x)^d) · (1 − |1 − 2·f_y·y|^d)]^k with f_x = 1 and f_y = 0.8.

flat in float v_depth;
in vec2 v_at;

layout(location = 0) out vec4 o_color;

uniform float u_linear;  // 1 where the framebuffer encodes to sRGB by itself, else 0

void main() {
	float across = 1.0 - pow(1.0 - v_at.x, v_depth);
	float down = 1.0 - pow(abs(1.0 - 1.6 * v_at.y), v_depth);
	// The same darkness needs about half the exponent on encoded values.
	float k = mix(0.035, 0.08, u_linear);
	o_color = vec4(vec3(pow(max(across * down, 1e-6), k)), 1.0);
}
