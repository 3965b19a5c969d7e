// Package shaders holds the GLSL bodies that package render compiles. They carry no version line,
// so that one body serves OpenGL ES (#version 300 es) and desktop OpenGL (#version 330 core);
// whoever compiles them prepends it. They know nothing of Go.
package shaders

import _ "embed"

// Program is the source of one program, without version lines.
type Program struct{ Name, Vertex, Fragment string }

// The programs that draw scene quads. Shape draws all of them; Flat and Cushion draw the ones they
// are named after alike, if their corners are square, at a fraction of its cost. Glide draws
// gliding cushions.
var (
	Flat    = Program{"flat", view + cushion + quad + flatVert, flatFrag}
	Cushion = Program{"cushion", view + cushion + quad + cushionVert, light + cushionFrag}
	Shape   = Program{"shape", view + cushion + quad + shapeVert, light + hatch + shapeFrag}
	Glide   = Program{"glide", view + cushion + quad + glideVert, light + glideFrag}
	// Nested draws what Shape does not: quads that multiply what lies beneath them.
	Nested = Program{"nested", view + cushion + quad + nestedVert, nestedFrag}
)

// The programs that draw scene tubes, ribbons, arcs and texts.
var (
	Tube   = Program{"tube", tubeVert, light + tubeFrag}
	Ribbon = Program{"ribbon", view + ribbonVert, ribbonFrag}
	Text   = Program{"text", view + textVert, textFrag}
	Arc    = Program{"arc", view + cushion + arcVert, light + hatch + cushion + arcFrag}
)

// Copy shows a picture that was drawn before.
var Copy = Program{"copy", copyVert, copyFrag}

// Over blends a picture over what was drawn.
var Over = Program{"over", copyVert, overFrag}

var (
	//go:embed view.glsl
	view string
	//go:embed cushion.glsl
	cushion string
	//go:embed quad.glsl
	quad string
	//go:embed light.glsl
	light string
	//go:embed hatch.glsl
	hatch string
	//go:embed copy.vert
	copyVert string
	//go:embed copy.frag
	copyFrag string
	//go:embed over.frag
	overFrag string
	//go:embed flat.vert
	flatVert string
	//go:embed flat.frag
	flatFrag string
	//go:embed cushion.vert
	cushionVert string
	//go:embed cushion.frag
	cushionFrag string
	//go:embed shape.vert
	shapeVert string
	//go:embed shape.frag
	shapeFrag string
	//go:embed glide.vert
	glideVert string
	//go:embed glide.frag
	glideFrag string
	//go:embed nested.vert
	nestedVert string
	//go:embed nested.frag
	nestedFrag string
	//go:embed tube.vert
	tubeVert string
	//go:embed tube.frag
	tubeFrag string
	//go:embed ribbon.vert
	ribbonVert string
	//go:embed ribbon.frag
	ribbonFrag string
	//go:embed text.vert
	textVert string
	//go:embed text.frag
	textFrag string
	//go:embed arc.vert
	arcVert string
	//go:embed arc.frag
	arcFrag string
)
