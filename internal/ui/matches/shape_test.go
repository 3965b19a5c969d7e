package matches

import (
	"diptych/internal/scene/links"
	"testing"
	"time"
)

func TestShapesChangeSmoothly(t *testing.T) {
	var s shapeShift
	now := time.Unix(100, 0)
	if m, p, moving := s.at(now, links.Tubes, false); m != 1 || p != 0 || moving {
		t.Fatalf("starts at %v, %v, moving %v", m, p, moving)
	}
	s.at(now, links.Lines, false)
	m, _, moving := s.at(now.Add(shifting/3), links.Lines, false)
	if m <= 0 || m >= 1 || !moving {
		t.Errorf("a third of the way it is at %v, moving %v", m, moving)
	}
	if m, _, moving = s.at(now.Add(shifting), links.Lines, false); m != 0 || moving {
		t.Errorf("ends at %v, moving %v", m, moving)
	}
	if m, _, moving = s.at(now.Add(shifting), links.Both, true); m != 1 || moving {
		t.Errorf("without motion it is at %v, moving %v", m, moving)
	}
}
