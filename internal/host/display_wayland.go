//go:build linux && wayland

package host

// windowSystem is the one that this executable's GLFW speaks.
const windowSystem = "wayland"
