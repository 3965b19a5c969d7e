package render_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"diptych/internal/testtrace"
)

// again is set in the process that runs the tests a second time.
const again = "DIPTYCH_TEST_AGAIN"

// oneIsEnough are tests that the other rasteriser, which takes seconds for a large picture, is spared:
// those that count what is drawn or look at the state that is left, those that hold two ways of drawing
// against each other, and of those that draw the same shapes in several ways all but one.
var oneIsEnough = []string{
	"TestAtlasGrows$", "TestEverythingYields$", "TestFirstFrameWaitsForNothing$", "TestRunsThatAreSeen$",
	"TestShowDrawsWhatChanged$", "TestShowIgnoresPadding$", "TestArcsAreWherePicked$/semicircle",
	"TestArcsGolden$/@2x", "TestRibbonsGolden$/@2x", "TestShadesGolden$/@2x", "TestViewFusionGolden$/@2x",
	"TestTubesGolden$/./dark", "TestScannedAsByPrograms$", "TestTubesInPiecesAsNeeded$",
}

// TestOtherRasteriser runs the tests of what is drawn with Mesa's other software rasteriser, too: it
// must not depend on one. DIPTYCH_LONG runs all tests of the package.
func TestOtherRasteriser(t *testing.T) {
	if os.Getenv(again) != "" {
		return
	}
	few := []string{"-test.skip=^" + strings.Join(oneIsEnough, "|^"), "-rapid.checks=20"}
	args := append([]string{"-test.timeout=10m"}, testtrace.Sized(few, nil)...)
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), again+"=1", "LIBGL_ALWAYS_SOFTWARE=1", "GALLIUM_DRIVER=softpipe")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("with softpipe: %v\n%s", err, out)
	}
}
