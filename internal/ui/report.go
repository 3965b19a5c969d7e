package ui

import (
	"fmt"
	"os"
	"path/filepath"

	"diptych/internal/pair"
)

// writeReport lets the user choose a folder, and writes the report of the comparison there.
func (a *App) writeReport() {
	a.chooseFolder("Write the report into a folder", a.reportInto)
}

// reportInto writes the report into a folder, under a name that tells the pair and is not taken.
func (a *App) reportInto(dir string) {
	st := a.S.State()
	base := filepath.Join(dir, st.Sides[pair.A].Name+"-"+st.Sides[pair.B].Name)
	path := base + ".html"
	for n := 2; taken(path); n++ {
		path = fmt.Sprintf("%s-%d.html", base, n)
	}
	a.S.SaveReport(path)
}

func taken(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
