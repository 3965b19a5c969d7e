package ui

import "path/filepath"

// reportSuffix ends the name of a report, unless the user ends it otherwise: ".md" makes Markdown.
const reportSuffix = ".html"

// writeReport lets the user name a file, and writes the report of the comparison there.
func (a *App) writeReport() { a.askFor(a.reporting()) }

func (a *App) reporting() ask {
	return ask{title: "Write a report", of: forTarget, name: a.pairName() + reportSuffix,
		use: func(path string) {
			if filepath.Ext(path) == "" {
				path += reportSuffix
			}
			a.S.SaveReport(path)
		}}
}
