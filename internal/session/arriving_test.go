package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// A user opens a file at about the moment in which an agent's command writes it. In whatever order the editor
// reads the file and says so, it is found out what that had before, the agent writes and its turn ends, that is
// noticed, and the editor reads the file anew by itself: what the agent has written is undecided, and in the document.
func TestOpenedAsItIsWritten(t *testing.T) {
	t.Parallel()
	for _, steps := range []string{"read open known write noticed", "read open known write noticed anew", "read open known write again noticed", "read open known write end"} {
		for _, order := range orders(strings.Fields(steps), func(at func(string) int) bool {
			ok := at("read") < at("open") && at("open") < at("known")
			if strings.Contains(steps, "noticed") {
				ok = ok && at("write") < at("noticed")
			} else {
				ok = ok && at("write") < at("end")
			}
			if strings.Contains(steps, "anew") {
				ok = ok && at("open") < at("anew") && at("write") < at("anew")
			}
			if strings.Contains(steps, "again") {
				ok = ok && at("write") < at("again") && at("again") < at("noticed")
			}
			return ok
		}) {
			for _, apart := range []time.Duration{20 * time.Millisecond, time.Second} {
				for _, reopens := range []bool{true, false} {
					for _, tool := range []bool{true, false} {
						name := fmt.Sprintf("%s, %v apart, reopens %v, tool %v", strings.Join(order, " "), apart, reopens, tool)
						t.Run(name, func(t *testing.T) {
							synctest.Test(t, func(t *testing.T) { testOpenedAsItIsWritten(t, order, apart, reopens, tool) })
						})
					}
				}
			}
		}
	}
}

// orders are those of all orders of steps that are possible.
func orders(steps []string, possible func(at func(string) int) bool) (all [][]string) {
	var add func(done, left []string)
	add = func(done, left []string) {
		if len(left) == 0 && possible(func(step string) int { return slices.Index(done, step) }) {
			all = append(all, slices.Clone(done))
		}
		for i, step := range left {
			add(append(slices.Clone(done), step), slices.Delete(slices.Clone(left), i, i+1))
		}
	}
	add(nil, steps)
	return all
}

func testOpenedAsItIsWritten(t *testing.T, order []string, apart time.Duration, reopens, tool bool) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	c.unwatched = true // nothing may wait for the system in virtual time
	path := filepath.Join(root, "a")
	uri := buffers.PathURI(path)
	f := c.file(buffers.Path(path))
	writeFile(t, path, ten)
	has := ten
	write := func(old, new string) {
		has = strings.Replace(has, old, new, 1)
		writeFile(t, path+".new", has)
		if err := os.Rename(path+".new", path); err != nil {
			t.Error(err)
		}
	}
	anew := func() {
		if reopens {
			e.reopen(uri, path)
		} else {
			e.readAnew(uri, path)
		}
	}
	e.caps["reload"], e.caps["reopens"] = true, reopens
	e.onReload = func(string) (bool, error) { anew(); return true, nil }
	var read string
	compare := func() {}
	do := map[string]func(h Host, sid string){
		"read": func(Host, string) { read = readFile(t, path) },
		"open": func(Host, string) {
			e.wire.Lock()
			defer e.wire.Unlock()
			e.note(func() { e.docs[uri] = &fakeDoc{version: 1, text: text.New(read)} })
			events, err := e.at.store.Apply(buffers.Open{URI: uri, Version: 1, Text: read}, "test")
			if err != nil {
				t.Fatal(err)
			}
			compare = e.at.arrived(f, events[0])
		},
		"known": func(Host, string) { compare() },
		"write": func(h Host, sid string) {
			if tool {
				h.Update(sid, ToolPatch{ID: "t", Title: str("Edit"), Kind: str("edit"), Status: str("in_progress")})
			}
			write("5\n", "FIVE\n")
			if tool { // of which the end is noticed
				h.Update(sid, ToolPatch{ID: "t", Status: str("completed")})
			}
		},
		"again": func(Host, string) { write("8\n", "EIGHT\n") },
		"noticed": func(Host, string) {
			c.foldersChanged([]string{root})
			c.spawn(func() { lookNow(c) })
		},
		"anew": func(Host, string) { anew() },
	}
	done, end := make(chan struct{}), make(chan struct{})
	l.prompt = func(_ context.Context, a *fakeAgent, sid string, _ []Block) (StopReason, error) {
		go func() {
			defer close(done)
			for _, step := range order {
				if step == "end" {
					close(end)
				} else {
					do[step](a.host, sid)
				}
				time.Sleep(apart)
			}
		}()
		select {
		case <-end:
		case <-done:
		}
		return "end_turn", nil
	}
	if _, err := c.Prompt(t.Context(), Prompt{Text: "go", Wait: true}); err != nil {
		t.Fatal(err)
	}
	<-done
	time.Sleep(time.Second)
	synctest.Wait()
	var got []string
	for _, h := range hunksOf(t, c, uri, review.StatePending) {
		got = append(got, h.BaseText+h.Text)
		if h.Origins[0].Author != review.AuthorAgent {
			t.Errorf("it is of %+v", h.Origins)
		}
	}
	want := []string{"5\nFIVE\n", "8\nEIGHT\n"}[:1+strings.Count(has, "EIGHT")]
	if !slices.Equal(got, want) {
		t.Errorf("hunks %q", got)
	}
	if base, err := c.Baseline(uri); err != nil || base != ten {
		t.Errorf("baseline %q, %v", base, err)
	}
	if is := e.text(uri); is != has {
		t.Errorf("text %q", is)
	}
}
