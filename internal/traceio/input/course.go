package input

// What is reported of a load is how many bytes of the input, as stored, were unpacked and taken by
// the loader. What a buffer or a decoder holds does not count: a file that shrinks to a hundredth
// fits into a buffer at once. The members of a compressed archive are kept elsewhere before one of
// them is read, so there are two stages, and each is told as half of what is left:
//
//	a.json.gz (10 MB)                    10 MB while it is unpacked and read
//	a.tar.gz (10 MB)                     5 MB while it is unrolled, 5 MB while members are read
//	a.zip (10 MB) that holds b.tar.gz    5 MB while b.tar.gz is unrolled, 5 MB after that
//
// What members count is what they unpack to, and only of those that are read.

// stage is a part of a load, as parts of the whole in [0, 1].
type stage struct{ from, to float64 }

// halves returns the two halves of a stage.
func (g stage) halves() (first, second stage) {
	middle := (g.from + g.to) / 2
	return stage{g.from, middle}, stage{middle, g.to}
}

// tell reports that so much of a total is done, which makes up a stage. A pipe has no size, so how
// much is left of it is not known, nor is it of a file that has grown.
func (s *Source) tell(g stage, done, total int64) {
	if s.progress == nil { // what is opened for a look only
		return
	}
	if s.Size <= 0 || done > total {
		s.progress(done, 0)
		return
	}
	part := g.to
	if done < total {
		part = g.from + (g.to-g.from)*float64(done)/float64(total)
	}
	s.progress(int64(part*float64(s.Size)), s.Size)
}

// splitUnpacking notes that the file is unpacked to be kept: what is kept has still to be read.
func (s *Source) splitUnpacking() {
	if s.stored != nil { // a member of an archive is counted there
		s.unpacking, s.left = s.left.halves()
	}
}

// follow reports what is read from now on of the members of an archive, which have so many bytes
// together.
func (s *Source) follow(g stage, bytes int64) {
	d := s.Dir.(*directory)
	d.n.Store(0)
	d.size, d.report = bytes, func(done, total int64) { s.tell(g, done, total) }
}

// memberBytes returns how many bytes some members of an archive have, as far as it states that.
func (s *Source) memberBytes(names ...string) (n int64) {
	for _, name := range names {
		n += min(s.archive.members[s.archive.resolve(name)].size, mostSize)
	}
	return min(n, mostSize)
}
