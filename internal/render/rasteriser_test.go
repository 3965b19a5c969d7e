package render_test

import (
	"os"
	"os/exec"
	"testing"
)

// again is set in the process that runs the tests a second time.
const again = "DIPTYCH_TEST_AGAIN"

// TestOtherRasteriser runs all tests of the package with Mesa's other software rasteriser, too: what
// is drawn must not depend on one.
func TestOtherRasteriser(t *testing.T) {
	if os.Getenv(again) != "" {
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.timeout=10m")
	cmd.Env = append(os.Environ(), again+"=1", "LIBGL_ALWAYS_SOFTWARE=1", "GALLIUM_DRIVER=softpipe")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("with softpipe: %v\n%s", err, out)
	}
}
