// Package saved holds what Diptych keeps between two runs, as files: sessions (.diptych), which
// docs/sessions.md describes, and in a Home the settings of the window, the pairs that were opened
// last and the session that was. It reads and writes them and checks what they say by itself:
// versions, limits, references within the file. It knows no trace and no state: what a file means
// is package session's business, and what a setting does package ui's.
//
// Files are JSON with a format and a version. They are written whole or not at all. A file that
// cannot be read, or that a newer program has written, is reported with its name, the offset in it
// and the reason; it is never overwritten by what is kept without being asked for.
package saved

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"diptych/internal/escape"
	"diptych/internal/output"
)

// Error says what is wrong with a file and where.
type Error struct {
	File   string
	Offset int64 // bytes from the beginning; −1 if it concerns the file as a whole
	Reason string
	Err    error // what caused it; may be nil
}

// Error names the file as a terminal may show it.
func (e *Error) Error() string {
	at := ""
	if e.Offset >= 0 {
		at = fmt.Sprintf(" at byte %d", e.Offset)
	}
	return escape.Line(fmt.Sprintf("%s%s: %s", e.File, at, e.Reason))
}

func (e *Error) Unwrap() error { return e.Err }

// ErrNewer is what an Error wraps about a file that a newer program has written.
var ErrNewer = errors.New("written by a newer Diptych")

// invalid is a value that JSON allows and the format does not, with the JSON pointer to it.
type invalid struct {
	at     jsontext.Pointer
	reason string
}

func invalidf(at jsontext.Pointer, format string, args ...any) error {
	return &invalid{at, fmt.Sprintf(format, args...)}
}

func (e *invalid) Error() string { return e.reason }

// Head is what every file begins with.
type Head struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// document is a kind of file.
type document interface {
	head() *Head
	// check returns an *invalid for what only the format forbids.
	check() error
}

// kind names a kind of file and the newest version of it that this program knows.
type kind struct {
	format  string
	version int
	most    int64 // bytes that a file of it may have
}

// read decodes a file of a kind. It opens regular files only: reading a pipe might never end.
func (k kind) read(path string, into document) error {
	data, err := k.bytes(path)
	if err != nil {
		return err
	}
	return k.decode(path, data, into)
}

func (k kind) bytes(path string) ([]byte, error) {
	fail := func(err error) ([]byte, error) {
		return nil, &Error{path, -1, output.Cause(err).Error(), err}
	}
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return fail(err)
	case !st.Mode().IsRegular():
		return fail(errors.New("it is no regular file"))
	}
	f, err := os.Open(path)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, k.most+1))
	if err != nil {
		return fail(err)
	}
	if int64(len(data)) > k.most {
		return fail(fmt.Errorf("it is larger than %d MB", k.most>>20))
	}
	return data, nil
}

// decode reads what data holds. Format and version come first: of a newer version nothing else can
// be judged.
func (k kind) decode(path string, data []byte, into document) error {
	var h Head
	if err := json.Unmarshal(data, &h); err != nil {
		return broken(path, data, err)
	}
	switch {
	case h.Format != k.format:
		return &Error{path, offsetOf(data, "/format"), fmt.Sprintf("it is no %s", k.format), nil}
	case h.Version > k.version:
		return &Error{path, offsetOf(data, "/version"), fmt.Sprintf(
			"version %d was written by a newer Diptych; this one reads version %d", h.Version, k.version),
			ErrNewer}
	case h.Version < 1:
		return &Error{path, offsetOf(data, "/version"), fmt.Sprintf("there is no version %d", h.Version), nil}
	}
	if err := json.Unmarshal(data, into, json.RejectUnknownMembers(true)); err != nil {
		return broken(path, data, err)
	}
	if err := into.check(); err != nil {
		return broken(path, data, err)
	}
	return nil
}

// broken says where in a file an error is.
func broken(path string, data []byte, err error) error {
	var bad *invalid
	var syntax *jsontext.SyntacticError
	var meaning *json.SemanticError
	switch {
	case errors.As(err, &bad):
		return &Error{path, offsetOf(data, bad.at), fmt.Sprintf("%s: %s", bad.at, bad.reason), nil}
	case errors.As(err, &syntax):
		return &Error{path, syntax.ByteOffset, reasonOf(syntax.Err), nil}
	case errors.As(err, &meaning):
		return &Error{path, offsetOf(data, meaning.JSONPointer), meaningOf(meaning), nil}
	}
	return &Error{path, -1, err.Error(), nil}
}

func reasonOf(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends too early"
	}
	return err.Error()
}

// meaningOf says why a value of the right syntax is refused, without Go's names for types.
func meaningOf(e *json.SemanticError) string {
	name := string(e.JSONPointer)
	if name == "" {
		name = "the file"
	}
	switch {
	case errors.Is(e.Err, json.ErrUnknownName):
		return fmt.Sprintf("%s is unknown", name)
	case e.JSONValue != nil && len(e.JSONValue) < 40:
		return fmt.Sprintf("%s cannot be %s", name, e.JSONValue)
	}
	return fmt.Sprintf("%s is of the wrong kind (%s)", name, kindName(e.JSONKind))
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	case '"':
		return "a text"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "nothing"
}

// offsetOf returns where the value that a pointer names begins. If there is none, as of a member
// that is missing, it is where the value begins that lacks it.
func offsetOf(data []byte, at jsontext.Pointer) int64 {
	if at == "" {
		return 0
	}
	d := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := d.ReadToken(); err != nil {
			return offsetOf(data, at.Parent())
		}
		if d.StackPointer() == at {
			if isName(d) {
				continue
			}
			return valueStart(data, d.InputOffset())
		}
	}
}

// isName reports whether the token that was read last is the name of a member.
func isName(d *jsontext.Decoder) bool {
	kind, count := d.StackIndex(d.StackDepth())
	return kind == '{' && count%2 == 1
}

// valueStart returns where the token that ends at an offset begins.
func valueStart(data []byte, end int64) int64 {
	i := end - 1
	switch data[i] {
	case '{', '[':
		return i
	case '"':
		for i--; i > 0 && (data[i] != '"' || escaped(data[:i])); i-- {
		}
		return max(i, 0)
	}
	for i > 0 && !isDelimiter(data[i-1]) {
		i--
	}
	return i
}

// escaped reports whether what follows text in a string is escaped.
func escaped(text []byte) bool {
	n := 0
	for n < len(text) && text[len(text)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

func isDelimiter(b byte) bool {
	switch b {
	case ' ', '\t', '\n', '\r', ',', ':', '[', '{':
		return true
	}
	return false
}

// encode returns a document as it is written: indented, so that people can read it. It is an error
// if it could not be read again, as it says too much or what the format forbids.
func (k kind) encode(d document) ([]byte, error) {
	*d.head() = Head{k.format, k.version}
	if err := d.check(); err != nil {
		var bad *invalid
		if errors.As(err, &bad) {
			err = fmt.Errorf("%s: %w", bad.at, err)
		}
		return nil, err
	}
	data, err := json.Marshal(d, jsontext.WithIndent("\t"), json.Deterministic(true))
	if int64(len(data)) >= k.most {
		return nil, fmt.Errorf("it would be larger than %d MB", k.most>>20)
	}
	return append(data, '\n'), err
}

// write writes a document, whole or not at all.
func (k kind) write(path string, d document) error {
	data, err := k.encode(d)
	if err != nil {
		return &Error{path, -1, err.Error(), err}
	}
	return writeBytes(path, data)
}

func writeBytes(path string, data []byte) error {
	f, err := output.Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit()
}
