// Diptych opens two execution traces side by side and shows where they differ.
package main

import (
	"os"
	"runtime"

	"diptych/internal/cli"
)

func init() {
	// OpenGL and GLFW belong to the thread that the process starts on.
	runtime.LockOSThread()
}

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
