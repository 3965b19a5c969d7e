package otf2

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"diptych/internal/traceio/input"
)

// suffix is how the name of an anchor file ends.
const suffix = ".otf2"

// magic is what an anchor begins with, after 3 and the byte order.
const magic = "OTF2\x00"

// anchor is what an anchor file states and is of use.
type anchor struct {
	substrate, compression byte
	creator                string
}

// What an archive is stored with.
const (
	substrateSion   = 2
	substrateNone   = 3
	compressionZlib = 2
)

// isAnchor reports whether a file begins as an anchor does.
func isAnchor(head []byte) bool {
	return len(head) > 2 && head[0] == chunkHeader && (head[1] == littleEndian || head[1] == bigEndian) &&
		bytes.HasPrefix(head[2:], []byte(magic))
}

// isPart reports whether a file begins as the definitions or the events of an archive do.
func isPart(head []byte) bool {
	if len(head) <= headerSize || head[0] != chunkHeader || isAnchor(head) {
		return false
	}
	order, ok := byteOrder(head[1])
	return ok && order.Uint64(head[2:]) < leap && order.Uint64(head[10:]) < leap &&
		head[headerSize] <= mostKind
}

// Sniff reports whether src is an archive or a part of one: an anchor file, a directory with one in
// it or below it, or files that belong to one.
func Sniff(src *input.Source) bool {
	if src.Dir == nil {
		return isAnchor(src.Head) || isPart(src.Head)
	}
	f := look(src.Dir)
	return len(f.anchors) > 0 || f.part != ""
}

// found is what a directory has of archives.
type found struct {
	anchors []string // paths
	part    string   // a file that is a part of one
}

// deepest is how many levels below a directory an archive may lie: EZTrace makes a folder for the
// program in the one that it is told, and an archive of that has a folder around both.
const deepest = 2

// look looks for archives in a directory, and below it if there is none.
func look(dir fs.FS) (f found) {
	level := []string{"."}
	for range deepest + 1 {
		var below []string
		for _, at := range level {
			below = append(below, f.lookIn(dir, at)...)
		}
		if len(f.anchors) > 0 {
			break
		}
		level = below
	}
	return f
}

// lookIn looks for archives in one directory, and returns those in it.
func (f *found) lookIn(dir fs.FS, at string) (below []string) {
	entries, err := fs.ReadDir(dir, at)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := path.Join(at, e.Name())
		switch ext := path.Ext(name); {
		case e.IsDir():
			below = append(below, name)
		case ext == suffix && isAnchor(head(dir, name)):
			f.anchors = append(f.anchors, name)
		case f.part == "" && (ext == ".evt" || ext == ".def") && isPart(head(dir, name)):
			f.part = name
		case path.Ext(f.part) == ".def" && ext == ".evt" && isPart(head(dir, name)):
			f.part = name // which tells more
		}
	}
	return below
}

// head returns the first bytes of a file.
func head(dir fs.FS, name string) []byte {
	file, err := dir.Open(name)
	if err != nil {
		return nil
	}
	defer file.Close()
	var b [headerSize + 1]byte
	n, _ := io.ReadFull(file, b[:])
	return b[:n]
}

// locate finds the archive of a source, or says what is to be opened instead.
func locate(src *input.Source) (*archive, error) {
	if src.Dir == nil {
		return locateBeside(src)
	}
	switch f := look(src.Dir); {
	case len(f.anchors) == 1:
		name := f.anchors[0]
		dir, err := fs.Sub(src.Dir, path.Dir(name))
		if err != nil {
			return nil, refuse(src.Path, err.Error())
		}
		a := &archive{dir: dir, path: path.Join(src.Path, path.Dir(name)),
			name: strings.TrimSuffix(path.Base(name), suffix)}
		return a, a.readAnchor()
	case len(f.anchors) > 1:
		return nil, refuse(src.Path, fmt.Sprintf("it holds %d OTF2 archives: open the anchor file of one, "+
			"such as %s", len(f.anchors), f.anchors[0]))
	default:
		return nil, refuse(src.Path, partOf(f.part))
	}
}

// partOf says what is missing of an archive of which a file was found.
func partOf(part string) string {
	if strings.HasSuffix(part, ".evt") && !strings.Contains(part, "/") {
		return "these are the files of single locations of an OTF2 archive: open its anchor file, " +
			"NAME.otf2, which lies beside this directory"
	}
	return "this is an OTF2 archive whose anchor file, NAME.otf2, is missing"
}

// locateBeside finds the archive of an anchor file that was named itself.
func locateBeside(src *input.Source) (*archive, error) {
	if !isAnchor(src.Head) {
		return nil, refuse(src.Path, "this is one file of an OTF2 archive, with definitions or events: "+
			"open the archive's anchor file, NAME.otf2, or the directory that holds it")
	}
	base := path.Base(src.Path)
	name := strings.TrimSuffix(base, suffix)
	dir := src.Siblings(name+".def", name)
	if dir == nil {
		return nil, refuse(src.Path, "this is the anchor file of an OTF2 archive without the files that lie "+
			"beside it: open it where they are, or the directory that holds it")
	}
	a := &archive{dir: dir, path: path.Dir(src.Path), name: name}
	if _, err := fs.Stat(dir, name+".def"); err != nil {
		return nil, refuse(src.Path, fmt.Sprintf("this is the anchor file of an OTF2 archive, and the "+
			"definitions %s.def are not beside it", name))
	}
	data, err := src.ReadAll()
	if err != nil {
		return nil, src.Fail("cannot read", err)
	}
	return a, a.parseAnchor(base, data)
}

func refuse(file, reason string) error {
	return &input.FormatError{File: file, Offset: -1, Reason: reason}
}

// readAnchor reads the anchor file of an archive in a directory.
func (a *archive) readAnchor() error {
	data, err := fs.ReadFile(a.dir, a.name+suffix)
	if err != nil {
		return a.fail(a.name+suffix, -1, "cannot read the anchor file", plain(err))
	}
	return a.parseAnchor(a.name+suffix, data)
}

// parseAnchor reads the content of an anchor file: versions, sizes of chunks, how files are stored,
// numbers of locations and definitions, and texts about the recording. What is not needed to read
// the archive may be damaged.
func (a *archive) parseAnchor(file string, data []byte) error {
	if !isAnchor(data) {
		return a.fail(file, 0, "not an anchor file of an OTF2 archive", nil)
	}
	f := fields{rest: data[2+len(magic):], order: binary.LittleEndian}
	if data[1] == bigEndian {
		f.order = binary.BigEndian
	}
	f.take(5)  // the versions of the anchor, of the format and of the library
	f.take(16) // how large chunks of events and definitions are
	a.substrate, a.compression = f.u8(), f.u8()
	f.take(16) // how many locations and definitions there are
	f.text()   // the machine
	a.creator = f.text()
	switch {
	case a.substrate == substrateSion:
		return a.fail(file, -1, "this OTF2 archive is stored in SIONlib containers, which are not read; "+
			"rewrite it as plain files", nil)
	case a.substrate == substrateNone:
		return a.fail(file, -1, "this OTF2 archive was recorded without files", nil)
	case a.compression == compressionZlib:
		return a.fail(file, -1, "this OTF2 archive is compressed by its own means, which is not read", nil)
	case f.bad:
		return a.fail(file, int64(len(data)), "the anchor file ends too early", nil)
	}
	return nil
}
