package journal

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"
)

func notesOf(f *Found) map[string]string {
	out := map[string]string{}
	for _, l := range f.Left {
		for key, value := range l.Notes {
			out[key] = string(value)
		}
	}
	return out
}

// Whatever was noted, in whatever order and however often the file was rewritten: of each key
// the last value is left, and with the journal they are gone.
func TestNotesAreLeft(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	j := Open(dir, workspace, Options{})
	want := map[string]string{}
	for i := range 400 {
		var list []Note
		for range r.IntN(4) {
			key := fmt.Sprint("key ", r.IntN(20))
			if r.IntN(4) == 0 {
				list = append(list, Note{Key: key})
				delete(want, key)
				continue
			}
			value := bytes.Repeat([]byte{byte(i)}, r.IntN(3000))
			list = append(list, Note{key, value})
			want[key] = string(value)
		}
		if err := j.Note(i%50 == 0, list...); err != nil {
			t.Fatal(err)
		}
		if i%90 == 0 && j.notes.file != nil {
			if err := j.compactNotes(); err != nil {
				t.Fatal(err)
			}
		}
	}
	var live int64
	for _, at := range j.notes.index {
		live += at.n
	}
	if live != j.notes.live {
		t.Errorf("%d bytes count, want %d", j.notes.live, live)
	}
	j.die()
	next := Open(dir, workspace, Options{})
	found := takeOver(t, next)
	if got := notesOf(found); !maps.Equal(got, want) {
		t.Errorf("left are %d notes, want %d", len(got), len(want))
	}
	if err := found.Release(); err != nil {
		t.Fatal(err)
	}
	if got := takeOver(t, Open(dir, workspace, Options{})); len(got.Left) > 0 {
		t.Errorf("left are %v after they were released", got.Left)
	}
}

// A file of notes that is cut off anywhere leaves what comes before, and none that is
// damaged is believed.
func TestNotesThatAreCutOff(t *testing.T) {
	dir := t.TempDir()
	j := Open(dir, workspace, Options{})
	values := []string{"a", "bb", "", "dddd"}
	ends := []int64{int64(len(notesMagic))}
	for i, v := range values {
		if err := j.Note(false, Note{fmt.Sprint(i), []byte(v)}); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, j.notes.size)
	}
	name := j.name + notesExt
	j.die()
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) + 1 {
		if err := os.WriteFile(name, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		left, err := readNotes(name)
		if n < len(notesMagic) {
			if !errors.Is(err, ErrForeign) {
				t.Errorf("of %d bytes: %v", n, err)
			}
			continue
		}
		want := slices.IndexFunc(ends, func(end int64) bool { return end > int64(n) }) - 1
		if want < 0 {
			want = len(values)
		}
		if err != nil || len(left.Notes) != want {
			t.Errorf("of %d bytes there are %d notes, want %d (%v)", n, len(left.Notes), want, err)
		}
	}
	for i := len(notesMagic); i < len(whole); i++ {
		b := bytes.Clone(whole)
		b[i] ^= 0x10
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		left, err := readNotes(name)
		if err != nil || len(left.Notes) >= len(values) {
			t.Errorf("damaged at %d there are %d notes (%v)", i, len(left.Notes), err)
		}
	}
}

// Notes have a limit and an age, and stay when the journal is closed, until they are dropped.
func TestNotesAreBounded(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	j := Open(dir, workspace, Options{Limit: 4000})
	if err := j.Note(false, Note{"small", make([]byte, 900)}); err != nil {
		t.Fatal(err)
	}
	if err := j.Note(false, Note{"large", make([]byte, 200)}); !errors.Is(err, ErrFull) {
		t.Errorf("above the limit: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if removed, err := Purge(dir, false, MaxAge, now); err != nil || len(removed) > 0 {
		t.Errorf("purged are %v (%v)", removed, err)
	}
	later := Open(dir, workspace, Options{Now: func() time.Time { return now.Add(2 * MaxAge) }})
	if found := takeOver(t, later); len(found.Left) > 0 {
		t.Errorf("left are %d, and too old", len(found.Left))
	} else {
		found.Keep()
	}
	found := takeOver(t, Open(dir, workspace, Options{}))
	if got := notesOf(found); len(got) != 1 {
		t.Errorf("left are %v", got)
	}
	found.Keep()
	if removed, err := Purge(dir, false, MaxAge, now.Add(2*MaxAge)); err != nil || len(removed) != 1 {
		t.Errorf("purged are %v (%v)", removed, err)
	}

	j = Open(dir, workspace, Options{})
	if err := errors.Join(j.Note(false, Note{"x", []byte("y")}), j.DropNotes(), j.Close()); err != nil {
		t.Fatal(err)
	}
	if names, err := journals(j.folder); err != nil || len(names) > 0 {
		t.Errorf("left are %v (%v)", names, err)
	}
}
