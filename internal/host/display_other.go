//go:build !linux

package host

// windowSystem is empty where a desktop has but one, which needs no variable.
const windowSystem = ""
