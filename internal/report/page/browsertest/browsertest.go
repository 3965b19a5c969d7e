// Package browsertest is a headless Chromium for tests of pages: they open a file in it, move the
// pointer, press keys, and ask what the page has become. It knows no page.
package browsertest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A headless Chromium, driven over the DevTools protocol: JSON messages that end in a zero byte, on
// two pipes (--remote-debugging-pipe). A library for it would bring some hundred thousand lines of
// generated code to compile; these are the few calls that the tests need.

// browsers are the names of programs that have a headless mode, the smallest first.
var browsers = []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
	"chrome-headless-shell"}

// Browser is one that runs, with one page.
type Browser struct {
	t       *testing.T
	to      io.Writer
	from    *bufio.Reader
	session string
	last    int
	// Noise is what the page has said that it should not: errors, warnings and requests that leave
	// the file.
	Noise []string
}

// message is what either side says.
type message struct {
	ID        int             `json:"id,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     json.RawMessage `json:"error,omitempty"`
}

// Start starts one and opens an empty page. The test is skipped where there is none, except
// in a build on a server, which is to say so.
func Start(t *testing.T) *Browser {
	t.Helper()
	path := ""
	for _, name := range browsers {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("none of %s is there; make browser installs the first", strings.Join(browsers, ", "))
		}
		t.Skipf("none of %s is there; make browser installs the first", strings.Join(browsers, ", "))
	}
	ours, theirs := pipe(t)
	answers, told := pipe(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu",
		"--remote-debugging-pipe", "--user-data-dir="+t.TempDir(), "--hide-scrollbars",
		"--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking")
	cmd.ExtraFiles = []*os.File{ours, told} // descriptors 3 and 4
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ours.Close()
	told.Close()
	t.Cleanup(func() {
		theirs.Close()
		cancel()
		_ = cmd.Wait() // killed
		if t.Failed() {
			t.Logf("%s", log.Bytes())
		}
	})
	b := &Browser{t: t, to: theirs, from: bufio.NewReader(answers)}
	b.attach()
	return b
}

// pipe returns the end to read from and the end to write to.
func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// attach opens a page and listens to what it says.
func (b *Browser) attach() {
	var target struct{ TargetID string }
	b.Call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	b.Call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	b.session = session.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "Accessibility"} {
		b.Call(domain+".enable", nil, nil)
	}
}

// Call asks for something and waits for the answer, which is decoded into result unless that is
// nil.
func (b *Browser) Call(method string, params any, result any) {
	b.t.Helper()
	b.last++
	text, err := json.Marshal(struct {
		ID        int    `json:"id"`
		Method    string `json:"method"`
		Params    any    `json:"params,omitempty"`
		SessionID string `json:"sessionId,omitempty"`
	}{b.last, method, params, b.session})
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		m := b.receive()
		if m.ID != b.last {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
		return
	}
}

// receive returns the next message, and notes what should not have been said.
func (b *Browser) receive() *message {
	b.t.Helper()
	text, err := b.from.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("the browser is gone: %v", err)
	}
	m := &message{}
	if err := json.Unmarshal(text[:len(text)-1], m); err != nil {
		b.t.Fatal(err)
	}
	switch m.Method {
	case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded":
		b.Noise = append(b.Noise, m.Method+" "+string(m.Params))
	case "Network.requestWillBeSent":
		var request struct{ Request struct{ URL string } }
		_ = json.Unmarshal(m.Params, &request) // without a URL it is noise
		local := []string{"file:", "data:", "about:"}
		if url := request.Request.URL; !slices.ContainsFunc(local, func(scheme string) bool {
			return strings.HasPrefix(url, scheme)
		}) {
			b.Noise = append(b.Noise, "request of "+url)
		}
	}
	return m
}

// Open shows a file and waits until it is loaded.
func (b *Browser) Open(path string) {
	b.t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.Call("Page.navigate", map[string]any{"url": "file://" + abs}, nil)
	for b.receive().Method != "Page.loadEventFired" {
	}
}

// Eval returns what a JavaScript expression comes to, as text; a promise is waited for.
func (b *Browser) Eval(format string, args ...any) string {
	b.t.Helper()
	expression := fmt.Sprintf(format, args...)
	var out struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.Call("Runtime.evaluate", map[string]any{"expression": "Promise.resolve(" + expression + ").then(String)",
		"returnByValue": true, "awaitPromise": true}, &out)
	if out.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, out.ExceptionDetails)
	}
	return fmt.Sprint(out.Result.Value)
}

// Size sets the size of the page and whether the system asks for dark colours.
func (b *Browser) Size(width, height int, dark bool) {
	b.t.Helper()
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height,
		"deviceScaleFactor": 1, "mobile": false}, nil)
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.Call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{
		{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Screenshot returns a PNG of what is in sight.
func (b *Browser) Screenshot() []byte {
	b.t.Helper()
	var out struct{ Data []byte }
	b.Call("Page.captureScreenshot", map[string]any{"format": "png"}, &out)
	return out.Data
}

// Move moves the pointer, px of the page from the upper left corner of what is in sight.
func (b *Browser) Move(x, y float64) {
	b.t.Helper()
	b.mouse("mouseMoved", x, y, "none")
}

// Click presses and releases the pointer's button.
func (b *Browser) Click(x, y float64) {
	b.t.Helper()
	b.Move(x, y)
	b.mouse("mousePressed", x, y, "left")
	b.mouse("mouseReleased", x, y, "left")
}

func (b *Browser) mouse(event string, x, y float64, button string) {
	b.t.Helper()
	b.Call("Input.dispatchMouseEvent", map[string]any{"type": event, "x": x, "y": y, "button": button,
		"clickCount": 1}, nil)
}

// Press presses and releases a key by its name, such as ArrowDown or Tab.
func (b *Browser) Press(key string) {
	b.t.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36,
		"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
	for _, event := range []string{"rawKeyDown", "keyUp"} {
		b.Call("Input.dispatchKeyEvent", map[string]any{"type": event, "key": key, "code": key,
			"windowsVirtualKeyCode": codes[key]}, nil)
	}
}

// PDF prints the page.
func (b *Browser) PDF() []byte {
	b.t.Helper()
	var out struct{ Data []byte }
	b.Call("Page.printToPDF", map[string]any{"printBackground": true, "preferCSSPageSize": true}, &out)
	return out.Data
}
