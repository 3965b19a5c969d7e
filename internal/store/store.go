// Package store keeps results of analyses on disk: values under keys of what they
// were computed from, so that the next opening of the same two traces need not compute them again.
//
// It is a cache: everything in it can be computed again, so every failure counts as a miss. A
// program may crash at any moment, several programs may share the store, and anything may damage
// its file. A damaged file is deleted, never repaired. Every value has a checksum of 128 bits over
// its key and content.
//
// The file is a bbolt database. It is open only during an operation, since bbolt locks it: a
// program that kept it open would shut out all others. It is not synced to disk. After a power
// failure the damage is found and costs one computation; syncing would cost about as much every
// time.
//
// The package knows which results are worth storing and what their keys are. Each analysis turns
// its results into bytes itself. A new kind of result is one new file here: see results.go.
package store

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/zeebo/xxh3"

	"diptych/internal/trace"
)

// DefaultLimit bounds the file, in bytes.
const DefaultLimit = 512 << 20

// Variable is the environment variable that names the directory to use instead of the user's cache
// directory.
const Variable = "DIPTYCH_CACHE"

// Store is a directory of results. Nothing on disk is touched before its first use. All methods may
// be called by several goroutines at once. A nil Store stores nothing.
type Store struct {
	// All makes results be stored even if they are computed quickly. It is for tests.
	All bool
	// Say, which may be nil, is told in a sentence if the store was damaged, or if it is no file or
	// in a directory that the user has named and that cannot be made. It is called once at most,
	// from any goroutine.
	Say func(text string)

	said  sync.Once
	dir   string // "" if there is none
	named bool   // by Variable
	limit int64

	mu sync.Mutex // one operation at a time: the file's lock also bars this program
	counters

	hashing sync.Mutex // for what follows
	hashes  map[weak.Pointer[trace.Trace]][16]byte
}

// Open returns the user's store.
func Open() *Store {
	s := At(Dir(), DefaultLimit)
	s.named = os.Getenv(Variable) != ""
	return s
}

// Dir returns the directory of the user's store, "" if there is none.
func Dir() string {
	dir := os.Getenv(Variable)
	if dir == "" {
		if user, err := os.UserCacheDir(); err == nil {
			dir = filepath.Join(user, "diptych")
		}
	}
	return dir
}

// At returns the store in a directory, which is made when something is first stored. Its file has
// at most limit bytes; while it is rewritten, there is a second file beside it.
func At(dir string, limit int64) *Store {
	return &Store{dir: dir, limit: limit, hashes: map[weak.Pointer[trace.Trace]][16]byte{}}
}

// Key names a value: first its kind, then the version, so that all versions of a kind are
// neighbours, then a hash of what it was computed from.
type Key [kindLen + versionLen + 16]byte

const kindLen, versionLen = 8, 4

// keyOf returns the key of the result of a kind that a version of its analysis computes from parts.
func keyOf(kind string, version int, parts ...[]byte) Key {
	var (
		k Key
		h xxh3.Hasher
		n [8]byte
	)
	binary.BigEndian.PutUint64(k[:], xxh3.HashString(kind))
	binary.BigEndian.PutUint32(k[kindLen:], uint32(version))
	for _, p := range parts {
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write(p)
	}
	sum := h.Sum128().Bytes()
	copy(k[kindLen+versionLen:], sum[:])
	return k
}

// Counts is what a store has done so far. Failed counts operations that found no usable directory,
// no free lock or no room.
type Counts struct{ Hits, Misses, Stored, Evicted, Rebuilt, Failed int64 }

type counters struct{ hits, misses, stored, evicted, rebuilt, failed atomic.Int64 }

// Counts returns the counts.
func (s *Store) Counts() Counts {
	if s == nil {
		return Counts{}
	}
	return Counts{s.hits.Load(), s.misses.Load(), s.stored.Load(), s.evicted.Load(),
		s.rebuilt.Load(), s.failed.Load()}
}

// Get returns the value stored under k, and false if there is none or it is damaged.
func (s *Store) Get(ctx context.Context, k Key) ([]byte, bool) {
	if s == nil || ctx.Err() != nil {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	packed, latest, err := s.fetchPacked(k)
	if err == nil {
		var v []byte
		if v, err = unpack(ctx, k, packed, s.limit); err == nil {
			if !latest {
				s.noteUse(k)
			}
			s.hits.Add(1)
			return v, true
		}
	}
	switch {
	case errors.Is(err, errDamaged):
		s.dropValue(k)
	case !errors.Is(err, errAbsent) && ctx.Err() == nil:
		s.failed.Add(1)
	}
	s.misses.Add(1)
	return nil, false
}

// Put stores v under k. If it does not fit, it first deletes the values that were used longest ago.
// A value too large for the store is not stored; that is not an error.
func (s *Store) Put(ctx context.Context, k Key, v []byte) error {
	if s == nil {
		return nil
	}
	packed, err := pack(ctx, k, v)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch err := s.storePacked(ctx, k, packed); {
	case err == nil:
		s.stored.Add(1)
		return nil
	case errors.Is(err, errTooLarge):
		return nil
	default:
		s.failed.Add(1)
		return err
	}
}
