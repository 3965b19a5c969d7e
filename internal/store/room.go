package store

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"slices"

	"go.etcd.io/bbolt"
	boltErrors "go.etcd.io/bbolt/errors"
)

// makeRoom deletes what k replaces: its own value, older versions of its kind, and what was used
// longest ago until there is as much room as asked for. A quarter of the limit stays unused, for
// gaps and for bbolt's own pages. It returns how much space is taken with the room.
func (s *Store) makeRoom(tx *bbolt.Tx, k Key, room int64) (total int64, err error) {
	if err := ensureBuckets(tx); err != nil {
		return 0, err
	}
	var all, gone []entry
	total = room
	err = tx.Bucket(indexName).ForEach(func(key, v []byte) error {
		e, err := parseEntry(key, v)
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

// ensureBuckets makes the buckets; a file of another layout loses its own.
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
		if err := values.DeleteBucket(e.key[:]); err != nil && !errors.Is(err, boltErrors.ErrBucketNotFound) {
			return err
		}
		s.evicted.Add(1)
	}
	return nil
}

func (s *Store) newPath() string { return s.path() + ".new" }

// sweep removes what a program left that was killed while it rewrote the file.
func (s *Store) sweep() error {
	if err := os.Remove(s.newPath()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// rewrite copies what is stored to a new file, without gaps, which takes the old one's place.
func (s *Store) rewrite(db *bbolt.DB) error {
	if err := s.sweep(); err != nil {
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
