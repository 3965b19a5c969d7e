package host_test

import (
	"encoding/binary"
	"image"
	"image/color"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
)

// client speaks the X protocol, for what xdotool cannot do: ask a window to close as a window
// manager's button does, and look at a pixel.
type client struct{ net.Conn }

var le = binary.LittleEndian

// dial connects to the test's display.
func dial(t *testing.T) client {
	t.Helper()
	c, err := net.Dial("unix", "/tmp/.X11-unix/X"+strings.TrimPrefix(xvfb.name, ":"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	x := client{c}
	x.send(t, []byte{'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	head := x.read(t, 8)
	if head[0] != 1 {
		t.Fatal("the display server refuses the connection")
	}
	x.read(t, 4*int(le.Uint16(head[6:])))
	return x
}

func (c client) send(t *testing.T, m []byte) {
	t.Helper()
	if _, err := c.Write(m); err != nil {
		t.Fatal(err)
	}
}

func (c client) read(t *testing.T, n int) []byte {
	t.Helper()
	b := make([]byte, n)
	if _, err := io.ReadFull(c, b); err != nil {
		t.Fatal(err)
	}
	return b
}

// request sends a request whose length is a multiple of four and returns the reply.
func (c client) request(t *testing.T, m []byte) []byte {
	t.Helper()
	le.PutUint16(m[2:], uint16(len(m)/4))
	c.send(t, m)
	head := c.read(t, 32)
	if head[0] != 1 {
		t.Fatalf("X error %d for request %d", head[1], m[0])
	}
	return append(head, c.read(t, 4*int(le.Uint32(head[4:])))...)
}

// atom returns the number the display server gives a name.
func (c client) atom(t *testing.T, name string) uint32 {
	t.Helper()
	m := make([]byte, 8+(len(name)+3)/4*4)
	m[0] = 16 // InternAtom
	le.PutUint16(m[4:], uint16(len(name)))
	copy(m[8:], name)
	return le.Uint32(c.request(t, m)[8:])
}

// askToClose sends window the message of a close button.
func (c client) askToClose(t *testing.T, window uint32) {
	t.Helper()
	m := make([]byte, 44)
	m[0], m[2] = 25, 11   // SendEvent, 11 words long
	m[12], m[13] = 33, 32 // ClientMessage of 32-bit values
	le.PutUint32(m[4:], window)
	le.PutUint32(m[16:], window)
	le.PutUint32(m[20:], c.atom(t, "WM_PROTOCOLS"))
	le.PutUint32(m[24:], c.atom(t, "WM_DELETE_WINDOW"))
	c.send(t, m)
	c.atom(t, "WM_PROTOCOLS") // its reply says that the event was sent
}

// property returns the 32-bit values of a property of window, 256 at most.
func (c client) property(t *testing.T, window uint32, name string) []uint32 {
	t.Helper()
	m := make([]byte, 24)
	m[0] = 20 // GetProperty, of any type
	le.PutUint32(m[4:], window)
	le.PutUint32(m[8:], c.atom(t, name))
	le.PutUint32(m[20:], 256)
	var values []uint32
	for v := range slices.Chunk(c.request(t, m)[32:], 4) {
		values = append(values, le.Uint32(v))
	}
	return values
}

// pixel returns the colour that window shows at p.
func (c client) pixel(t *testing.T, window uint32, p image.Point) color.NRGBA {
	t.Helper()
	return color.NRGBA(c.picture(t, window, image.Rectangle{Min: p, Max: p.Add(image.Pt(1, 1))}).
		RGBAAt(p.X, p.Y))
}

// picture returns what window shows in r.
func (c client) picture(t *testing.T, window uint32, r image.Rectangle) *image.RGBA {
	t.Helper()
	m := make([]byte, 20)
	m[0], m[1] = 73, 2 // GetImage as a ZPixmap
	le.PutUint32(m[4:], window)
	le.PutUint16(m[8:], uint16(r.Min.X))
	le.PutUint16(m[10:], uint16(r.Min.Y))
	le.PutUint16(m[12:], uint16(r.Dx()))
	le.PutUint16(m[14:], uint16(r.Dy()))
	le.PutUint32(m[16:], 0xFFFFFFFF)
	p := image.NewRGBA(r)
	for i, v := range slices.Collect(slices.Chunk(c.request(t, m)[32:], 4)) {
		copy(p.Pix[4*i:], []byte{v[2], v[1], v[0], 255})
	}
	return p
}
