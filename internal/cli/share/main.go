// Command share writes what a package of Diptych puts into /usr/share besides the files in
// packaging/: manual pages, completions for three shells, and the icon in all sizes.
package main

import (
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"diptych/internal/cli"
	"diptych/internal/icon"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: share DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "share:", err)
		os.Exit(1)
	}
}

// write fills a directory that is laid out as /usr/share is.
func write(dir string) error {
	root := cli.Commands()
	return errors.Join(manual(root, filepath.Join(dir, "man", "man1")), completions(root, dir),
		icons(filepath.Join(dir, "icons", "hicolor")))
}

// manual writes a page for each command. Their date is that of SOURCE_DATE_EPOCH, if it is set.
func manual(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root.DisableAutoGenTag = true // it would repeat the date
	header := &doc.GenManHeader{Section: "1", Source: "Diptych", Manual: "User Commands"}
	return doc.GenManTree(root, header, dir)
}

func completions(root *cobra.Command, dir string) error {
	return errors.Join(
		file(filepath.Join(dir, "bash-completion", "completions", "diptych"), func(w io.Writer) error {
			return root.GenBashCompletionV2(w, true)
		}),
		file(filepath.Join(dir, "zsh", "vendor-completions", "_diptych"), root.GenZshCompletion),
		file(filepath.Join(dir, "fish", "vendor_completions.d", "diptych.fish"), func(w io.Writer) error {
			return root.GenFishCompletion(w, true)
		}))
}

func icons(dir string) error {
	err := file(filepath.Join(dir, "scalable", "apps", "diptych.svg"), func(w io.Writer) error {
		_, err := io.WriteString(w, icon.SVG())
		return err
	})
	for _, size := range icon.Sizes() {
		name := filepath.Join(dir, fmt.Sprintf("%dx%[1]d", size), "apps", "diptych.png")
		err = errors.Join(err, file(name, func(w io.Writer) error {
			return png.Encode(w, icon.Image(size))
		}))
	}
	return err
}

// file creates a file and the directories it lies in.
func file(name string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
