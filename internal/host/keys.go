package host

import (
	"unicode"
	"unicode/utf8"

	"github.com/go-gl/glfw/v3.3/glfw"

	"gioui.org/io/event"
	"gioui.org/io/key"
)

// stroke is one key press together with the text it writes, if any. Both are routed at once. The
// text goes first, to the editor that has the focus then: so the "/" that opens the search is not
// written into the search.
type stroke struct {
	key  key.Event
	text string
}

// ImplementsEvent lets strokes wait among the other events.
func (stroke) ImplementsEvent() {}

// keyboard holds a stroke back until its text is known: GLFW reports the key first and, if it
// writes something, the character straight after.
type keyboard struct {
	held *stroke
	code int // scancode of held
	down map[int]key.Name
}

var modifierKeys = []struct {
	key      glfw.Key
	modifier key.Modifiers
}{
	{glfw.KeyLeftControl, key.ModCtrl}, {glfw.KeyRightControl, key.ModCtrl},
	{glfw.KeyLeftShift, key.ModShift}, {glfw.KeyRightShift, key.ModShift},
	{glfw.KeyLeftAlt, key.ModAlt}, {glfw.KeyRightAlt, key.ModAlt},
	{glfw.KeyLeftSuper, key.ModSuper}, {glfw.KeyRightSuper, key.ModSuper},
}

// KeyMenu is the name of the key that opens a menu for what is chosen, for which Gio has none.
const KeyMenu key.Name = "Menu"

var keyNames = map[glfw.Key]key.Name{
	glfw.KeyLeft: key.NameLeftArrow, glfw.KeyRight: key.NameRightArrow,
	glfw.KeyUp: key.NameUpArrow, glfw.KeyDown: key.NameDownArrow,
	glfw.KeyEnter: key.NameReturn, glfw.KeyKPEnter: key.NameEnter,
	glfw.KeyEscape: key.NameEscape, glfw.KeyTab: key.NameTab, glfw.KeySpace: key.NameSpace,
	glfw.KeyHome: key.NameHome, glfw.KeyEnd: key.NameEnd,
	glfw.KeyPageUp: key.NamePageUp, glfw.KeyPageDown: key.NamePageDown,
	glfw.KeyBackspace: key.NameDeleteBackward, glfw.KeyDelete: key.NameDeleteForward,
	glfw.KeyLeftControl: key.NameCtrl, glfw.KeyRightControl: key.NameCtrl,
	glfw.KeyLeftShift: key.NameShift, glfw.KeyRightShift: key.NameShift,
	glfw.KeyLeftAlt: key.NameAlt, glfw.KeyRightAlt: key.NameAlt,
	glfw.KeyLeftSuper: key.NameSuper, glfw.KeyRightSuper: key.NameSuper,
	glfw.KeyF1: key.NameF1, glfw.KeyF2: key.NameF2, glfw.KeyF3: key.NameF3,
	glfw.KeyF4: key.NameF4, glfw.KeyF5: key.NameF5, glfw.KeyF6: key.NameF6,
	glfw.KeyF7: key.NameF7, glfw.KeyF8: key.NameF8, glfw.KeyF9: key.NameF9,
	glfw.KeyMenu: KeyMenu,
	glfw.KeyF10:  key.NameF10, glfw.KeyF11: key.NameF11, glfw.KeyF12: key.NameF12,
}

// keypad gives the keys of the number block that move the caret while Num Lock is off; GLFW names
// them by their digits in either state.
var keypad = map[glfw.Key]key.Name{
	glfw.KeyKP4: key.NameLeftArrow, glfw.KeyKP6: key.NameRightArrow,
	glfw.KeyKP8: key.NameUpArrow, glfw.KeyKP2: key.NameDownArrow,
	glfw.KeyKP7: key.NameHome, glfw.KeyKP1: key.NameEnd,
	glfw.KeyKP9: key.NamePageUp, glfw.KeyKP3: key.NamePageDown,
	glfw.KeyKPDecimal: key.NameDeleteForward,
}

// keyName returns Gio's name of a key in the user's keyboard layout: special keys by what they do,
// the others by their character in upper case.
func keyName(k glfw.Key, code int, mods glfw.ModifierKey) (key.Name, bool) {
	if name, ok := keyNames[k]; ok {
		return name, true
	}
	if name, ok := keypad[k]; ok && mods&glfw.ModNumLock == 0 {
		return name, true
	}
	r, _ := utf8.DecodeRuneInString(glfw.GetKeyName(k, code))
	if r == utf8.RuneError || !unicode.IsPrint(r) {
		return "", false
	}
	return key.Name(unicode.ToUpper(r)), true
}

func (l *loop) onKey(_ *glfw.Window, k glfw.Key, code int, a glfw.Action, m glfw.ModifierKey) {
	l.keys.flush(l)
	if a == glfw.Release {
		if name, ok := l.keys.down[code]; ok {
			delete(l.keys.down, code)
			l.take(key.Event{Name: name, Modifiers: l.modifiers(), State: key.Release})
		}
		return
	}
	name, _ := keyName(k, code, m)
	// A key without a name may still write something.
	l.keys.code = code
	l.keys.held = &stroke{key: key.Event{Name: name, Modifiers: l.modifiers(), State: key.Press}}
}

// onChar learns what the key that just went down writes. With Shift the character also names the
// key: Shift-1 is "!" on one keyboard and "1" on another.
func (l *loop) onChar(_ *glfw.Window, r rune) {
	if !unicode.IsPrint(r) {
		return
	}
	h := l.keys.held
	if h == nil { // composed of several strokes, or by an input method
		l.take(stroke{text: string(r)})
		return
	}
	h.text += string(r)
	if h.key.Modifiers == key.ModShift && r != ' ' {
		h.key.Name = key.Name(unicode.ToUpper(r))
	}
}

// flush routes the held stroke. It is called when something else arrives: then the key writes no
// text.
func (k *keyboard) flush(l *loop) {
	h := k.held
	if h == nil {
		return
	}
	k.held = nil
	if h.key.Name != "" {
		if k.down == nil {
			k.down = make(map[int]key.Name)
		}
		k.down[k.code] = h.key.Name
	}
	l.input = append(l.input, *h)
}

// take queues e behind what already waits.
func (l *loop) take(e event.Event) {
	l.keys.flush(l)
	l.input = append(l.input, e)
}
