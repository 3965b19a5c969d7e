package view

import "diptych/internal/command"

// makeCommand makes a command of a view's group.
type makeCommand func(id command.ID, title string, keys ...string) command.Command

// CommandsOf returns what makes the commands of a view's group: those that need one open trace, and
// those that need two.
func CommandsOf(group command.Group) (one, two makeCommand) {
	needing := func(needs command.Need) makeCommand {
		return func(id command.ID, title string, keys ...string) command.Command {
			return command.Command{ID: id, Title: title, Keys: keys, Group: group, Needs: needs}
		}
	}
	return needing(command.OneTrace), needing(command.TwoTraces)
}
