// A cushion cut at the pointer and brightest there (ViewFusion, figure 6): the luminance ψ of
// nested.frag with d = 1 and its own k, scaled to .70 + .36·ψ of the encoded fill.

flat in vec4 v_fill;
in vec2 v_at;

layout(location = 0) out vec4 o_color;

void main() {
	float psi = v_at.x * (1.0 - abs(1.0 - 1.6 * v_at.y));
	vec3 lit = min(v_fill.rgb * (0.70 + 0.36 * pow(max(psi, 1e-6), 0.35)), 1.0);
	o_color = vec4(mix(lit, decode(lit), u_linear) * v_fill.a, v_fill.a);
}
