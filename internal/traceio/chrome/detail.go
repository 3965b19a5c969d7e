package chrome

import (
	"bytes"
	"path"

	"diptych/internal/trace"
	"diptych/internal/traceio/jsonin"
	"diptych/internal/traceio/spans"
)

// inFile returns the function of complete records whose arguments begin with a path as their
// detail, as clang -ftime-trace writes them: "Source" of a header is a function in that file, so
// that compile time has a place in the tree of folders. Its name, and so its identity, stays
// "Source". Without the file it would be fn.
func (f *feed) inFile(t *batch, u *use, fn trace.FuncID) trace.FuncID {
	file := t.args[u.file.from:u.file.to]
	if own, ok := f.inFiles[fileKey{fn, string(file)}]; ok {
		return own
	}
	name, category := f.b.FunctionName(fn), jsonin.Text(t.text(u.cat))
	own := f.b.Function(trace.Function{Name: name, Package: category, File: jsonin.Text(file),
		Kind: spans.KindOf(name, category, trace.Routine)})
	f.inFiles[fileKey{fn, string(file)}] = own
	return own
}

var detailKey = []byte(`{"detail":"`)

// fileKey names a function in a file, as the record spells it.
type fileKey struct {
	fn   trace.FuncID
	file string
}

// withoutPosition cuts the line and the column off a path, as in "a.h:3:14".
func withoutPosition(path []byte) []byte {
	for range 2 {
		rest := bytes.TrimRight(path, "0123456789")
		if len(rest) == len(path) || !bytes.HasSuffix(rest, []byte(":")) {
			break
		}
		path = rest[:len(rest)-1]
	}
	return path
}

// sourcePath reports whether a detail is a path of a source file, and not a function or a pass: it
// has an ending that C and C++ files have, or is an absolute path, and no spaces, scopes or
// templates.
func sourcePath(detail []byte) bool {
	if bytes.ContainsAny(detail, " <>(){}\\") || bytes.Contains(detail, []byte("::")) {
		return false
	}
	if len(detail) > 0 && detail[0] == '/' {
		return true
	}
	switch path.Ext(string(detail)) {
	case ".c", ".cc", ".cpp", ".cxx", ".cu", ".h", ".hh", ".hpp", ".hxx", ".inc", ".ipp",
		".m", ".mm":
		return true
	}
	return false
}
