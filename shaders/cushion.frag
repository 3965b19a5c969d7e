flat in vec4 v_fill;
in vec4 v_ramps;

layout(location = 0) out vec4 o_color;

void main() { o_color = cushion(v_fill, v_ramps); }
