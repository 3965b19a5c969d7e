package input

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
)

// An archive may be a directory of one recording, as uftrace's, or hold recordings of one file
// each. Then the first one in the archive's order is opened. It may be compressed, and it may
// lie in an archive within the archive:
//
//	run.zip: README, a.json.gz, b.json    a.json.gz is read; README and b.json are told
//	artifact.zip: run.data.tar.gz         the directory in the inner archive is read

// mostNested is how many archives may lie within one another.
const mostNested = 3

// errNothing says that an archive holds nothing that known knows.
var errNothing = errors.New("no recording in the archive")

// enter returns the source that is to be read of an archive that was indexed: the archive as a
// directory, or its first member that is a recording. It is errNothing if there is none.
func (s *Source) enter(known func(*Source) bool, depth int) (*Source, error) {
	names := s.members()
	if known(s) {
		s.follow(s.left, s.memberBytes(names...))
		return s, nil
	}
	for _, name := range names {
		if plain, err := s.showsRecording(name, known); err != nil {
			return nil, err
		} else if plain {
			return s.enterMember(name, names)
		}
	}
	for _, name := range names { // after the plain ones, since these may be costly to look into
		if depth >= mostNested {
			break
		}
		in, err := s.enterArchive(name, names, known, depth+1)
		if !errors.Is(err, errNothing) {
			return in, err
		}
	}
	return nil, errNothing
}

// Enter makes the first file of an archive that known knows what is read, where Open has found
// nothing. Without such a file, it returns the source as it is.
func (s *Source) Enter(known func(*Source) bool) (*Source, error) {
	if s.archive == nil {
		return s, nil
	}
	in, err := s.enter(known, 1)
	switch {
	case err == nil:
		return in, nil
	case errors.Is(err, errNothing):
		return s, nil
	}
	s.Close()
	return nil, err
}

// members lists the files of an archive in its order.
func (s *Source) members() (names []string) {
	a := s.archive
	seen := map[string]bool{}
	for _, name := range a.order {
		if _, ok := a.members[name]; ok && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// member opens a file of the archive as a source of its own, which shares the limits.
func (s *Source) member(name string) (*Source, error) {
	in := &Source{Path: path.Join(s.Path, name), path: s.path, Size: s.Size, budget: s.budget,
		progress: s.progress}
	in.again = func() error {
		in.Close()
		f, err := s.Dir.(*directory).open(name, in)
		if err != nil {
			return cannotOpen(in.Path, err)
		}
		in.closers = append(in.closers, func() { f.Close() })
		in.packed = s.packed || s.archive.members[s.archive.resolve(name)].open != nil
		in.Damage = nil
		return in.openReader(bufio.NewReader(f))
	}
	if err := in.again(); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// holdsRecording reports whether one of the members is a recording of one file.
func (s *Source) holdsRecording(known func(*Source) bool) bool {
	for _, name := range s.members() {
		if ok, err := s.showsRecording(name, known); ok || err != nil {
			return ok
		}
	}
	return false
}

// headShows reports whether a file with such a beginning, which may be packed, is a recording.
func (s *Source) headShows(head []byte, known func(*Source) bool) bool {
	in := &Source{Path: s.Path, Size: s.Size, budget: s.budget}
	defer in.Close()
	return in.openReader(bufio.NewReader(bytes.NewReader(head))) == nil && known(in)
}

// showsRecording reports whether a member is a recording of one file. One that cannot be read is
// none, unless nothing can be read any more.
func (s *Source) showsRecording(name string, known func(*Source) bool) (bool, error) {
	in, err := s.member(name)
	if err == nil {
		defer in.Close()
	}
	if broken := s.budget.err(); broken != nil {
		return false, broken
	}
	if err != nil {
		if s.unread == nil && !isEmpty(err) {
			s.unread = err
		}
		return false, nil
	}
	return !isTar(in.Head) && !isZip(in.Head) && known(in), nil
}

// enterMember makes a member what is read of the archive.
func (s *Source) enterMember(name string, all []string) (*Source, error) {
	s.follow(s.left, s.memberBytes(name))
	in, err := s.member(name)
	if err != nil {
		return nil, err
	}
	return s.hand(in, name, all), nil
}

// enterArchive looks into a member that is an archive. A damaged one is passed over like one that
// holds nothing.
func (s *Source) enterArchive(name string, all []string, known func(*Source) bool, depth int) (*Source, error) {
	first, left := s.left.halves()
	s.follow(first, s.memberBytes(name))
	in, err := s.member(name)
	if err == nil {
		in.left = left
		if (isTar(in.Head) || isZip(in.Head)) && in.index(known) == nil {
			if of, err := in.enter(known, depth); err == nil {
				return s.hand(of, name, all), nil
			}
		}
		in.Close()
	}
	if broken := s.budget.err(); broken != nil {
		return nil, broken
	}
	return nil, errNothing
}

// hand makes what was found in the member called name outlive the archive, and notes what else the
// archive holds.
func (s *Source) hand(in *Source, name string, all []string) *Source {
	in.closers = slices.Concat(s.closers, in.closers)
	s.closers = nil
	if in.Damage == nil {
		in.Damage = s.Damage
	}
	if bad := s.badSum.Load(); bad != nil {
		in.badSum.CompareAndSwap(nil, bad)
	}
	for _, other := range slices.Concat(all, s.archive.left) {
		if other != name {
			in.Beside = append(in.Beside, other)
		}
	}
	return in
}

// Archive reports whether Dir is of an archive.
func (s *Source) Archive() bool { return s.archive != nil }

// Files lists the first files of a directory or an archive, at most so many, by name, and says
// whether there are more.
func (s *Source) Files(most int) (names []string, more bool) {
	if s.archive != nil {
		names = s.members()
		return names[:min(len(names), most)], len(names) > most
	}
	entries, err := fs.ReadDir(s.Dir, ".")
	if err != nil {
		return nil, false
	}
	for _, e := range entries {
		if len(names) == most {
			return names, true
		}
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	return names, false
}

// Opens opens a file of a directory or an archive by its name in Files, for a look at its head. Of
// what is no file, or an empty one, it returns nil. The caller closes it.
func (s *Source) Opens(name string) (*Source, error) {
	if st, err := fs.Stat(s.Dir, name); err != nil || !st.Mode().IsRegular() {
		return nil, nil
	}
	in := &Source{Path: path.Join(s.Path, name), path: s.path, budget: s.budget}
	f, err := s.Dir.Open(name)
	if err != nil {
		return nil, cannotOpen(in.Path, err)
	}
	if in.budget == nil { // a source made by hand
		in.budget = newBudget(context.Background(), s.Path, 0)
	}
	in.closers = append(in.closers, func() { f.Close() })
	if err := in.openReader(bufio.NewReader(f)); err != nil {
		in.Close()
		if isEmpty(err) {
			err = nil
		}
		return nil, err
	}
	return in, nil
}

// IsArchive reports whether a file is an archive, of which Opens shows no more.
func (s *Source) IsArchive() bool { return isTar(s.Head) || isZip(s.Head) }

// Inner opens a member of an archive that is an archive itself, and lies in so many others; nil if
// it is not looked into or cannot be read. The caller closes it.
func (s *Source) Inner(name string, known func(*Source) bool, depth int) *Source {
	if s.archive == nil || depth >= mostNested {
		return nil
	}
	in, err := s.member(name)
	if err != nil {
		return nil
	}
	if err := in.index(known); err != nil {
		in.Close()
		return nil
	}
	return in
}
