package page

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

// browser is one that runs, with one page.
type browser struct {
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

// startBrowser starts one and opens an empty page. The test is skipped where there is none, except
// in a build on a server, which is to say so.
func startBrowser(t *testing.T) *browser {
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
	b := &browser{t: t, to: theirs, from: bufio.NewReader(answers)}
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
func (b *browser) attach() {
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	b.session = session.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "Accessibility"} {
		b.call(domain+".enable", nil, nil)
	}
}

// call asks for something and waits for the answer, which is decoded into result unless that is
// nil.
func (b *browser) call(method string, params any, result any) {
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
func (b *browser) receive() *message {
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

// open shows a file and waits until it is loaded.
func (b *browser) open(path string) {
	b.t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.call("Page.navigate", map[string]any{"url": "file://" + abs}, nil)
	for b.receive().Method != "Page.loadEventFired" {
	}
}

// eval returns what a JavaScript expression comes to, as text; a promise is waited for.
func (b *browser) eval(format string, args ...any) string {
	b.t.Helper()
	expression := fmt.Sprintf(format, args...)
	var out struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": "Promise.resolve(" + expression + ").then(String)",
		"returnByValue": true, "awaitPromise": true}, &out)
	if out.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, out.ExceptionDetails)
	}
	return fmt.Sprint(out.Result.Value)
}

// size sets the size of the page and whether the system asks for dark colours.
func (b *browser) size(width, height int, dark bool) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height,
		"deviceScaleFactor": 1, "mobile": false}, nil)
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{
		{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// screenshot returns a PNG of what is in sight.
func (b *browser) screenshot() []byte {
	b.t.Helper()
	var out struct{ Data []byte }
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &out)
	return out.Data
}

// pdf prints the page.
func (b *browser) pdf() []byte {
	b.t.Helper()
	var out struct{ Data []byte }
	b.call("Page.printToPDF", map[string]any{"printBackground": true, "preferCSSPageSize": true}, &out)
	return out.Data
}
