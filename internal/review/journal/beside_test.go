package journal

import (
	"testing"
	"time"
)

// What is known beside a state counts by itself too: it is taken over, survives what makes a
// journal smaller, and is not cleaned up as long as it is young.
func TestRecordOfNothingButBeside(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	o := Options{CompactAt: 1, Now: func() time.Time { return now }}
	a := Open(dir, workspace, o)
	aside := Record{Path: "/aside", Beside: []byte("content")}
	write(t, a, state("1"), aside)
	for range 20 {
		write(t, a, state("a longer state"))
	}
	write(t, a, Record{Path: "/p"})
	a.die()
	if removed, err := Purge(dir, false, MaxAge, now.Add(MaxAge-time.Hour)); err != nil || len(removed) > 0 {
		t.Errorf("removed %+v, %v", removed, err)
	}
	now = now.Add(time.Minute)
	b := Open(dir, workspace, o)
	f := takeOver(t, b)
	if len(f.Entries) != 1 || f.Entries[0].Last.Path != "/aside" || string(f.Entries[0].Last.Beside) != "content" {
		t.Fatalf("taken over %+v", f.Entries)
	}
	write(t, b, f.Entries[0].Last)
	if err := f.Release(); err != nil {
		t.Fatal(err)
	}
	write(t, b, Record{Path: "/aside"})
	b.die()
	if f := takeOver(t, Open(dir, workspace, o)); len(f.Entries) > 0 {
		t.Errorf("ended, and taken over %+v", f.Entries)
	}
}
