flat in vec4 v_color;
in vec2 v_at;

uniform sampler2D u_letters;

layout(location = 0) out vec4 o_color;

void main() { o_color = v_color * texture(u_letters, v_at).a; }
