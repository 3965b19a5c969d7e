package store

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"diptych/internal/testtrace"
)

// The tests below run this test's binary as further programs, which do the following in the
// directory that the variable names instead of any tests.
const dirVariable, playVariable = "STORE_TEST_DIR", "STORE_TEST_PLAY"

const (
	playLimit  = 3 << 20
	playValues = 12
	playRounds = 30
)

func playSize(seed int) int { return 1000 + seed*20_000 }

func TestMain(m *testing.M) {
	if dir := os.Getenv(dirVariable); dir != "" {
		os.Exit(play(At(dir, playLimit), os.Getenv(playVariable)))
	}
	os.Exit(m.Run())
}

// play stores and looks for values in some order, at most rounds times; for ever if rounds is 0. It
// says when it has stored the first value, and returns 1 if it finds a wrong one.
func play(s *Store, rounds string) int {
	most, _ := strconv.Atoi(rounds)
	noise, told := rand.New(rand.NewPCG(uint64(os.Getpid()), 4)), false
	for n := 0; most == 0 || n < most; n++ {
		i := noise.IntN(playValues)
		v, ok := s.Get(ctx, key(i))
		if ok && !bytes.Equal(v, value(i, playSize(i))) {
			fmt.Println("wrong value", i)
			return 1
		}
		if !ok || noise.IntN(3) == 0 {
			// Others may be at it: that is what is tested.
			_ = s.Put(ctx, key(i), value(i, playSize(i)))
		}
		if !told && s.Counts().Stored > 0 {
			fmt.Println("stored")
			told = true
		}
	}
	fmt.Printf("%+v", s.Counts())
	return 0
}

func program(t *testing.T, dir string, rounds int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), dirVariable+"="+dir, playVariable+"="+strconv.Itoa(rounds))
	return cmd
}

// readAll looks for all values and returns how many there are.
func readAll(t *testing.T, s *Store) int {
	t.Helper()
	found := 0
	for i := range playValues {
		v, ok := s.Get(ctx, key(i))
		if ok && !bytes.Equal(v, value(i, playSize(i))) {
			t.Fatalf("value %d is wrong", i)
		}
		if ok {
			found++
		}
	}
	return found
}

// TestKilled checks that a program that is killed at any moment, once it has stored a value, leaves
// an intact file.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	noise := rand.New(rand.NewPCG(5, 5))
	s := At(dir, playLimit)
	if err := os.MkdirAll(s.newPath(), 0o700); err != nil { // as if killed while rewriting
		t.Fatal(err)
	}
	found := 0
	for range testtrace.Sized(6, 15) {
		cmd := program(t, dir, 0)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if text, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(text, err)
		}
		time.Sleep(time.Duration(noise.IntN(60)) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("it ended by itself")
		}
		found += readAll(t, s)
	}
	if c := s.Counts(); c.Rebuilt != 0 || found == 0 {
		t.Errorf("%d values found, %+v", found, c)
	}
	put(t, s, key(playValues), nil)
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 || size(t, s) > playLimit {
		t.Errorf("left %v of %d bytes, %v", files, size(t, s), err)
	}
}

// TestTwoPrograms checks that programs may store at the same time.
func TestTwoPrograms(t *testing.T) {
	dir := t.TempDir()
	var cmds [3]*exec.Cmd
	var outs [3]bytes.Buffer
	for i := range cmds {
		cmds[i] = program(t, dir, playRounds)
		cmds[i].Stdout, cmds[i].Stderr = &outs[i], &outs[i]
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil || !strings.Contains(outs[i].String(), "Rebuilt:0") {
			t.Errorf("%v: %s", err, &outs[i])
		}
		t.Logf("%s", &outs[i])
	}
	s := At(dir, playLimit)
	if readAll(t, s) == 0 || s.Counts().Rebuilt != 0 {
		t.Errorf("%+v", s.Counts())
	}
}
