package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"slices"

	"go.etcd.io/bbolt"
	boltErrors "go.etcd.io/bbolt/errors"
)

// The file has two buckets with the same keys. The index says of each value when it was last used
// and how much space it takes; the other bucket holds, for each value, a bucket of its pieces. So
// the use of a value rewrites one page of the index, and storing a value moves no other value.
// "When" is the index's sequence number, which every use raises: only the order matters, and unlike
// a clock it is never set back.
//
// All pieces have the same size, so that a new value fits into the gaps of deleted ones.
var indexName, valuesName = []byte("index 1"), []byte("values 1")

const pieceLen = 128 << 10

// entry is a line of the index.
type entry struct {
	key  Key
	used uint64
	size int64 // bytes in the file, rounded up to pages
}

// spaceOf returns how many bytes of the file a packed value takes.
func spaceOf(packed []byte) int64 {
	n := int64(len(packed)+pieceLen-1) / pieceLen
	return n*(pieceLen+pageSize) + 2*pageSize
}

func (e entry) line() []byte {
	b := binary.LittleEndian.AppendUint64(nil, e.used)
	return binary.LittleEndian.AppendUint64(b, uint64(e.size))
}

func parseLine(k, v []byte) (entry, error) {
	if len(k) != len(Key{}) || len(v) != 16 {
		return entry{}, damage("index")
	}
	e := entry{Key(k), binary.LittleEndian.Uint64(v), int64(binary.LittleEndian.Uint64(v[8:]))}
	if e.size < 0 {
		return entry{}, damage("index")
	}
	return e, nil
}

// fetchPacked returns a packed value, and whether it is the value that was used last.
func (s *Store) fetchPacked(k Key) (packed []byte, latest bool, err error) {
	err = s.readFile(func(tx *bbolt.Tx) error {
		index, values := tx.Bucket(indexName), tx.Bucket(valuesName)
		if index == nil || values == nil {
			return errAbsent
		}
		line, pieces := index.Get(k[:]), values.Bucket(k[:])
		if line == nil || pieces == nil {
			return errAbsent
		}
		e, err := parseLine(k[:], line)
		if err != nil {
			return err
		}
		latest = e.used == index.Sequence()
		var list [][]byte // in the mapped file: valid until the transaction ends
		err = pieces.ForEach(func(_, piece []byte) error {
			list = append(list, piece)
			return nil
		})
		packed = slices.Concat(list...)
		return err
	})
	return packed, latest, err
}

// noteUse notes that a value was used. If the file is locked, it does not wait: this is not
// important.
func (s *Store) noteUse(k Key) {
	err := s.changeFile(noPatience, func(db *bbolt.DB) error {
		return db.Update(func(tx *bbolt.Tx) error {
			index := tx.Bucket(indexName)
			if index == nil {
				return errAbsent
			}
			line := index.Get(k[:])
			if line == nil {
				return errAbsent
			}
			e, err := parseLine(k[:], line)
			if err != nil {
				return err
			}
			if e.used, err = index.NextSequence(); err != nil {
				return err
			}
			return index.Put(k[:], e.line())
		})
	})
	if err != nil {
		s.failed.Add(1)
	}
}

// dropValue deletes a value that turned out to be damaged.
func (s *Store) dropValue(k Key) {
	err := s.changeFile(patience, func(db *bbolt.DB) error {
		return db.Update(func(tx *bbolt.Tx) error { return s.evict(tx, []entry{{key: k}}) })
	})
	if err != nil {
		s.failed.Add(1)
	}
}

// storePacked stores a packed value. If the free space is large enough but in too many gaps, the
// file is rewritten without them. If the file turns out to be damaged, a new one is begun.
func (s *Store) storePacked(ctx context.Context, k Key, packed []byte) error {
	if spaceOf(packed) > s.limit/2 {
		return errTooLarge
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	put := func(db *bbolt.DB) error { return s.putPacked(db, k, packed) }
	err := s.changeFile(patience, put)
	switch {
	case errors.Is(err, boltErrors.ErrMaxSizeReached):
		if err = s.changeFile(patience, s.rewriteFile); err == nil {
			err = s.changeFile(patience, put)
		}
	case errors.Is(err, errDamaged):
		err = s.changeFile(patience, put)
	}
	return err
}

// putPacked makes room for a packed value and stores it. The deletion is a transaction of its own,
// since bbolt uses freed space only in the next one. If most of the file is free, it is rewritten,
// since bbolt's files never shrink. If the keys of the file are out of order, which intact does not
// check, the value just stored is not found: that is damage.
func (s *Store) putPacked(db *bbolt.DB, k Key, packed []byte) error {
	if err := s.removeLeftover(); err != nil {
		return err
	}
	var total int64
	err := db.Update(func(tx *bbolt.Tx) (err error) {
		total, err = s.makeRoom(tx, k, spaceOf(packed))
		return err
	})
	if err != nil {
		return err
	}
	if err := db.Update(func(tx *bbolt.Tx) error { return insertPieces(tx, k, packed) }); err != nil {
		return err
	}
	if err := db.View(func(tx *bbolt.Tx) error { return checkStored(tx, k) }); err != nil {
		return err
	}
	stat, err := os.Stat(s.path())
	if err != nil {
		return err
	}
	if stat.Size() > s.limit/8 && total < stat.Size()/4 {
		return s.rewriteFile(db)
	}
	return nil
}

// insertPieces stores a packed value under a key that has none.
func insertPieces(tx *bbolt.Tx, k Key, packed []byte) error {
	index, values := tx.Bucket(indexName), tx.Bucket(valuesName)
	pieces, err := values.CreateBucket(k[:])
	if err != nil {
		return err
	}
	pieces.FillPercent = 1
	size := spaceOf(packed)
	for i := uint32(0); len(packed) > 0; i++ {
		n := min(len(packed), pieceLen)
		if err := pieces.Put(binary.BigEndian.AppendUint32(nil, i), packed[:n]); err != nil {
			return err
		}
		packed = packed[n:]
	}
	e := entry{key: k, size: size}
	if e.used, err = index.NextSequence(); err != nil {
		return err
	}
	return index.Put(k[:], e.line())
}

func checkStored(tx *bbolt.Tx, k Key) error {
	index, values := tx.Bucket(indexName), tx.Bucket(valuesName)
	if index == nil || index.Get(k[:]) == nil || values == nil || values.Bucket(k[:]) == nil {
		return damage("what was stored is not there")
	}
	return nil
}

// makeRoom deletes the value under k, all older versions of k's kind, and then the values used
// longest ago until there is enough room. A quarter of the limit stays free for gaps and for
// bbolt's own pages. It returns how much space is taken, including the room.
func (s *Store) makeRoom(tx *bbolt.Tx, k Key, room int64) (total int64, err error) {
	if err := ensureBuckets(tx); err != nil {
		return 0, err
	}
	var all, gone []entry
	total = room
	err = tx.Bucket(indexName).ForEach(func(key, v []byte) error {
		e, err := parseLine(key, v)
		if err != nil {
			return err
		}
		old := bytes.Equal(key[:kindLen], k[:kindLen]) &&
			bytes.Compare(key[kindLen:][:versionLen], k[kindLen:][:versionLen]) < 0
		if old || e.key == k {
			gone = append(gone, e)
			return nil
		}
		all = append(all, e)
		total += e.size
		return nil
	})
	if err != nil {
		return 0, err
	}
	slices.SortFunc(all, func(x, y entry) int { return cmp.Compare(x.used, y.used) })
	for total > s.limit/4*3 && len(all) > 0 {
		gone, total = append(gone, all[0]), total-all[0].size
		all = all[1:]
	}
	return total, s.evict(tx, gone)
}

// ensureBuckets makes the two buckets, and deletes those of another layout.
func ensureBuckets(tx *bbolt.Tx) error {
	var others [][]byte
	err := tx.ForEach(func(name []byte, _ *bbolt.Bucket) error {
		if !bytes.Equal(name, indexName) && !bytes.Equal(name, valuesName) {
			others = append(others, bytes.Clone(name))
		}
		return nil
	})
	for _, name := range others {
		err = errors.Join(err, tx.DeleteBucket(name))
	}
	for _, name := range [][]byte{indexName, valuesName} {
		_, e := tx.CreateBucketIfNotExists(name)
		err = errors.Join(err, e)
	}
	return err
}

// evict deletes values.
func (s *Store) evict(tx *bbolt.Tx, entries []entry) error {
	index, values := tx.Bucket(indexName), tx.Bucket(valuesName)
	if index == nil || values == nil {
		return errAbsent
	}
	for _, e := range entries {
		if err := index.Delete(e.key[:]); err != nil {
			return err
		}
		err := values.DeleteBucket(e.key[:])
		if err != nil && !errors.Is(err, boltErrors.ErrBucketNotFound) {
			return err
		}
		s.evicted.Add(1)
	}
	return nil
}

func (s *Store) newPath() string { return s.path() + ".new" }

// removeLeftover removes the second file that a program left if it was killed during rewriteFile.
func (s *Store) removeLeftover() error {
	if err := os.Remove(s.newPath()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// rewriteFile copies all values to a new file without gaps, and puts it in the place of the old
// one.
func (s *Store) rewriteFile(db *bbolt.DB) error {
	if err := s.removeLeftover(); err != nil {
		return err
	}
	path := s.newPath()
	fresh, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: patience, PageSize: pageSize,
		NoSync: true, NoGrowSync: true, NoStatistics: true})
	if err != nil {
		return err
	}
	const batch = 16 << 20 // bytes a transaction
	err = errors.Join(bbolt.Compact(fresh, db, batch), fresh.Close())
	if err == nil {
		err = os.Rename(path, s.path())
	}
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
