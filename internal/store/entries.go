package store

import (
	"context"
	"encoding/binary"
	"errors"
	"os"

	"go.etcd.io/bbolt"
	boltErrors "go.etcd.io/bbolt/errors"
)

// A file holds two buckets. Under a value's key the index has when it was last used and the space
// it takes, and the other bucket a bucket of its pieces. So using a value rewrites a page of the
// index, and storing one none of the others' pieces. "When" is the index's sequence number, which
// every use raises: only the order matters, and no clock can be set back.
//
// Pieces are of one size, so that the gaps that values leave fit the next ones.
var indexName, valuesName = []byte("index 1"), []byte("values 1")

const pieceLen = 128 << 10

// entry is a line of the index.
type entry struct {
	key  Key
	used uint64
	size int64 // bytes in the file, rounded up to pages
}

// space returns what a packed value takes in the file.
func space(packed []byte) int64 {
	n := int64(len(packed)+pieceLen-1) / pieceLen
	return n*(pieceLen+pageSize) + 2*pageSize
}

func (e entry) value() []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, e.used), uint64(e.size))
}

func parseEntry(k, v []byte) (entry, error) {
	if len(k) != len(Key{}) || len(v) != 16 {
		return entry{}, damage("index")
	}
	e := entry{Key(k), binary.LittleEndian.Uint64(v), int64(binary.LittleEndian.Uint64(v[8:]))}
	if e.size < 0 {
		return entry{}, damage("index")
	}
	return e, nil
}

// fetch returns a packed value, and whether it was used last of all.
func (s *Store) fetch(k Key) (packed []byte, latest bool, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		index, values := tx.Bucket(indexName), tx.Bucket(valuesName)
		if index == nil || values == nil {
			return errAbsent
		}
		line, pieces := index.Get(k[:]), values.Bucket(k[:])
		if line == nil || pieces == nil {
			return errAbsent
		}
		e, err := parseEntry(k[:], line)
		if err != nil {
			return err
		}
		latest = e.used == index.Sequence()
		packed = make([]byte, 0, min(e.size, s.limit))
		return pieces.ForEach(func(_, piece []byte) error {
			packed = append(packed, piece...)
			return nil
		})
	})
	return packed, latest, err
}

// touch notes that a value was used. If others are at the file it is not worth waiting for them.
func (s *Store) touch(k Key) {
	err := s.write(noPatience, func(db *bbolt.DB) error {
		return db.Update(func(tx *bbolt.Tx) error {
			index := tx.Bucket(indexName)
			if index == nil {
				return errAbsent
			}
			line := index.Get(k[:])
			if line == nil {
				return errAbsent
			}
			e, err := parseEntry(k[:], line)
			if err != nil {
				return err
			}
			if e.used, err = index.NextSequence(); err != nil {
				return err
			}
			return index.Put(k[:], e.value())
		})
	})
	if err != nil {
		s.failed.Add(1)
	}
}

// drop deletes a value that turned out to be damaged.
func (s *Store) drop(k Key) {
	err := s.write(patience, func(db *bbolt.DB) error {
		return db.Update(func(tx *bbolt.Tx) error { return s.evict(tx, []entry{{key: k}}) })
	})
	if err != nil {
		s.failed.Add(1)
	}
}

// keep stores a packed value. If there are gaps enough but none that fits, the file is rewritten
// without them; if it turns out to be damaged, a new one is begun.
func (s *Store) keep(ctx context.Context, k Key, packed []byte) error {
	if space(packed) > s.limit/2 {
		return errTooLarge
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	put := func(db *bbolt.DB) error { return s.put(db, k, packed) }
	err := s.write(patience, put)
	switch {
	case errors.Is(err, boltErrors.ErrMaxSizeReached):
		if err = s.write(patience, s.rewrite); err == nil {
			err = s.write(patience, put)
		}
	case errors.Is(err, errDamaged):
		err = s.write(patience, put)
	}
	return err
}

// put makes room for a packed value and stores it. What gives way is deleted in a transaction of
// its own, since bbolt uses the space only in the next one. A file most of which is free is
// rewritten: bbolt's files never shrink. In a file with keys out of order, which intact does not
// see, what was just stored is not found: that is damage.
func (s *Store) put(db *bbolt.DB, k Key, packed []byte) error {
	if err := s.sweep(); err != nil {
		return err
	}
	var total int64
	err := db.Update(func(tx *bbolt.Tx) (err error) {
		total, err = s.makeRoom(tx, k, space(packed))
		return err
	})
	if err != nil {
		return err
	}
	if err := db.Update(func(tx *bbolt.Tx) error { return insert(tx, k, packed) }); err != nil {
		return err
	}
	if err := db.View(func(tx *bbolt.Tx) error { return present(tx, k) }); err != nil {
		return err
	}
	stat, err := os.Stat(s.path())
	if err != nil {
		return err
	}
	if stat.Size() > s.limit/8 && total < stat.Size()/4 {
		return s.rewrite(db)
	}
	return nil
}

// insert stores a packed value under a key that has none.
func insert(tx *bbolt.Tx, k Key, packed []byte) error {
	index, values := tx.Bucket(indexName), tx.Bucket(valuesName)
	pieces, err := values.CreateBucket(k[:])
	if err != nil {
		return err
	}
	pieces.FillPercent = 1
	size := space(packed)
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
	return index.Put(k[:], e.value())
}

func present(tx *bbolt.Tx, k Key) error {
	index, values := tx.Bucket(indexName), tx.Bucket(valuesName)
	if index == nil || index.Get(k[:]) == nil || values == nil || values.Bucket(k[:]) == nil {
		return damage("what was stored is not there")
	}
	return nil
}
