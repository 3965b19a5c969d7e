package batch

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"diptych/internal/pair"
)

// Settings are what the rows of a batch depend on besides the traces: flags of diptych batch. The
// options of batch.json have those that were given. So all who share a batch agree in them, and
// whoever opens one of its pairs later compares it in the same way.
type Settings struct {
	Version    string     // of the program
	Names      pair.Rules // which functions are the same
	Strict     bool       // align callees with callees only
	SampleType string
	Trace      string // id of the request to show, of files that hold many
	Format     string // that files are read as
	RulesFile  string // of rules for blocking functions; the batch has a copy
}

// The keys of options in batch.json. Those of flags are the flags' names.
const (
	keyVersion    = "version"
	keyRawNames   = "raw-names"
	keyRename     = "rename"
	keyStrict     = "strict"
	keySampleType = "sample-type"
	keyTrace      = "trace"
	keyFormat     = "format"
	keyRules      = "rules" // SHA-256 of the file
)

// rulesIn is the batch's copy of the file of rules.
const rulesIn = "blocking.rules"

// options returns the settings as batch.json has them, and the file of rules.
func (s *Settings) options() (of map[string]string, rules []byte, err error) {
	of = map[string]string{}
	for _, r := range s.Names.Renames {
		if strings.Contains(r.String(), "\r\n") { // a reader of CSV takes it for a line feed alone
			return nil, nil, fmt.Errorf("rename rule %q: "+
				"a batch cannot keep a carriage return before a line feed", r)
		}
	}
	for key, value := range map[string]string{keyVersion: s.Version, keyRename: listed(s.Names.Renames),
		keySampleType: s.SampleType, keyTrace: s.Trace, keyFormat: s.Format} {
		if !utf8.ValidString(value) {
			return nil, nil, fmt.Errorf("--%s %q: it is not UTF-8, which a batch has to be", key, value)
		}
		if value != "" {
			of[key] = value
		}
	}
	for key, on := range map[string]bool{keyRawNames: s.Names.Raw, keyStrict: s.Strict} {
		if on {
			of[key] = "true"
		}
	}
	if s.RulesFile != "" {
		if rules, err = os.ReadFile(s.RulesFile); err != nil {
			return nil, nil, err
		}
		of[keyRules] = sumOf(rules)
	}
	return of, rules, nil
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// listed writes rules as [a=b,c=d], quoted like CSV; "" for none.
func listed(renames []pair.Rename) string {
	if len(renames) == 0 {
		return ""
	}
	var list []string
	for _, r := range renames {
		list = append(list, r.String())
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(list) // a Builder takes all
	w.Flush()
	return "[" + strings.TrimSuffix(b.String(), "\n") + "]"
}

// unlisted reads what listed has written.
func unlisted(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	inner, _ := strings.CutPrefix(text, "[")
	inner, _ = strings.CutSuffix(inner, "]")
	return csv.NewReader(strings.NewReader(inner)).Read()
}

// Settings returns how the batch was compared. Settings that are no longer possible are left out,
// and the error names them.
func (d *Directory) Settings() (Settings, error) {
	o := d.Options
	s := Settings{Version: o[keyVersion], Strict: o[keyStrict] == "true", SampleType: o[keySampleType],
		Trace: o[keyTrace], Format: o[keyFormat]}
	renames, unread := unlisted(o[keyRename])
	if unread == nil {
		s.Names, unread = pair.ParseRules(o[keyRawNames] == "true", renames)
	}
	if unread != nil {
		unread = fmt.Errorf("%s: options: %s: %w", filepath.Join(d.Path, describedBy), keyRename, unread)
	}
	if o[keyRules] == "" {
		return s, unread
	}
	path := filepath.Join(d.Path, rulesIn)
	switch text, err := os.ReadFile(path); {
	case errors.Is(err, fs.ErrNotExist):
		return s, errors.Join(unread, fmt.Errorf("%s: the rules for blocking functions are gone", path))
	case err != nil:
		return s, errors.Join(unread, err)
	case sumOf(text) != o[keyRules]:
		return s, errors.Join(unread, fmt.Errorf("%s: the batch was compared with other rules", path))
	}
	s.RulesFile = path
	return s, unread
}
