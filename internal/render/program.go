package render

import (
	"fmt"
	"strings"

	"diptych/shaders"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// version heads every shader body. Desktop OpenGL needs "#version 330 core" and no precisions.
const version = "#version 300 es\nprecision highp float;\nprecision highp int;\n"

// program is a compiled program with the locations of the uniforms of view.glsl. The location of a
// uniform that the program does not use is −1; OpenGL ignores what is set there.
type program struct {
	name                         uint32
	origin, size, linear, scaled int32
}

func (p *program) compile(s shaders.Program) error {
	name, err := link(s)
	if err != nil {
		return err
	}
	*p = program{name, uniform(name, "u_origin"), uniform(name, "u_size"),
		uniform(name, "u_linear"), uniform(name, "u_scale")}
	return nil
}

// use makes p the current program and sets what all it draws in t shares.
func (p *program) use(t Target, linear bool) {
	encode, scale := float32(0), t.Scale
	if linear {
		encode = 1
	}
	if scale <= 0 {
		scale = 1
	}
	gl.UseProgram(p.name)
	gl.Uniform2f(p.origin, float32(t.Origin.X), float32(t.Origin.Y))
	gl.Uniform2f(p.size, float32(t.Size.X), float32(t.Size.Y))
	gl.Uniform1f(p.linear, encode)
	gl.Uniform1f(p.scaled, scale)
}

// link compiles s into a program.
func link(s shaders.Program) (uint32, error) {
	vs, err := compile(gl.VERTEX_SHADER, s.Name+".vert", s.Vertex)
	if err != nil {
		return 0, err
	}
	defer gl.DeleteShader(vs)
	fs, err := compile(gl.FRAGMENT_SHADER, s.Name+".frag", s.Fragment)
	if err != nil {
		return 0, err
	}
	defer gl.DeleteShader(fs)
	p := gl.CreateProgram()
	gl.AttachShader(p, vs)
	gl.AttachShader(p, fs)
	gl.LinkProgram(p)
	var ok int32
	if gl.GetProgramiv(p, gl.LINK_STATUS, &ok); ok == gl.FALSE {
		defer gl.DeleteProgram(p)
		return 0, fmt.Errorf("render: link %s: %s", s.Name, linkLog(p))
	}
	return p, nil
}

func compile(kind uint32, name, body string) (uint32, error) {
	s := gl.CreateShader(kind)
	text, free := gl.Strs(version + body + "\x00")
	defer free()
	gl.ShaderSource(s, 1, text, nil)
	gl.CompileShader(s)
	var ok int32
	if gl.GetShaderiv(s, gl.COMPILE_STATUS, &ok); ok == gl.FALSE {
		defer gl.DeleteShader(s)
		return 0, fmt.Errorf("render: compile %s: %s", name, compileLog(s))
	}
	return s, nil
}

func compileLog(shader uint32) string {
	var n int32
	gl.GetShaderiv(shader, gl.INFO_LOG_LENGTH, &n)
	log := make([]byte, n+1)
	gl.GetShaderInfoLog(shader, n, nil, &log[0])
	return strings.TrimRight(string(log), "\x00\n")
}

func linkLog(program uint32) string {
	var n int32
	gl.GetProgramiv(program, gl.INFO_LOG_LENGTH, &n)
	log := make([]byte, n+1)
	gl.GetProgramInfoLog(program, n, nil, &log[0])
	return strings.TrimRight(string(log), "\x00\n")
}

func uniform(program uint32, name string) int32 {
	return gl.GetUniformLocation(program, gl.Str(name+"\x00"))
}
