package session

import (
	"os"
	"strings"
	"testing"
)

// What the user has typed and saved while no acp-ls ran, for it was killed in the middle of a turn, is
// theirs if their editor says that it has written it, and the agent's rows in it are undecided yet.
// What somebody else has made of that is an unknown program's.
func TestSavedWhileNoneRan(t *testing.T) {
	t.Parallel()
	const (
		typed      = "1\nu1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
		wrote      = "1\nu1\n2\n3\nu2\n4\n5\n6\nSEVEN\n8\n9\n10\n" // with the agent's row
		typedAgent = "1\nu1\n2\n3\n4\n5\n6\nSEVEN\n8\n9\n10\n"
		agent      = "7|>SEVEN|"
	)
	with := func(s, row, more string) string { return strings.Replace(s, row, row+more, 1) }
	for name, tt := range map[string]struct {
		says     string // that this was written; "": nothing
		read     string // and that was read before; "": nothing
		disk     string
		text     string // of the document
		want     string // hunks
		rejected string
	}{
		"as it was written":      {wrote, "", wrote, wrote, agent, with(typed, "3\n", "u2\n")},
		"another line end":       {wrote, "", strings.ReplaceAll(wrote, "\n", "\r\n"), wrote, agent, with(typed, "3\n", "u2\n")},
		"typed on":               {wrote, "", wrote, with(wrote, "10\n", "u3\n"), agent, with(with(typed, "3\n", "u2\n"), "10\n", "u3\n")},
		"another program's too":  {wrote, "", with(wrote, "9\n", "disk\n"), with(wrote, "9\n", "disk\n"), agent + " >disk|", with(typed, "3\n", "u2\n")},
		"and the text is older":  {wrote, "", with(wrote, "9\n", "disk\n"), wrote, agent + " >disk|", with(typed, "3\n", "u2\n")},
		"read, as it was known":  {wrote, typedAgent, wrote, wrote, agent, with(typed, "3\n", "u2\n")},
		"read with the disk's":   {with(wrote, "9\n", "disk\n"), with(typedAgent, "9\n", "disk\n"), with(wrote, "9\n", "disk\n"), with(wrote, "9\n", "disk\n"), agent + " >disk|", with(typed, "3\n", "u2\n")},
		"read, and written over": {wrote, with(typedAgent, "9\n", "disk\n"), with(wrote, "1\n", "0\n"), with(wrote, "1\n", "0\n"), ">0| " + agent, with(typed, "3\n", "u2\n")},
		"nobody says":            {"", "", wrote, wrote, ">u2| " + agent, typed},
		"nobody says, no u1":     {"", "", strings.Replace(wrote, "u1\n", "", 1), strings.Replace(wrote, "u1\n", "", 1), ">u2| 7|>SEVEN|", ten},
		"the agent's row undone": {strings.Replace(wrote, "SEVEN", "7", 1), "", strings.Replace(wrote, "SEVEN", "7", 1), strings.Replace(wrote, "SEVEN", "7", 1), "", with(typed, "3\n", "u2\n")},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEarth(t)
			w.start()
			writeFile(t, w.path("f"), ten)
			w.e.open(w.uri("f"), ten)
			w.e.replace(w.uri("f"), "2\n", "u1\n2\n")
			w.agent("f", strings.Replace(typed, "7\n", "SEVEN\n", 1))
			w.killedInTurn(func(func()) {
				w.meanwhile = func() {
					writeFile(t, w.path("f"), tt.disk)
					if tt.says != "" {
						w.away = map[string]string{"f": tt.says}
					}
					if tt.read != "" {
						w.readAway = map[string]string{"f": tt.read}
					}
				}
			})
			text := tt.text
			for range 2 { // the second time nobody says anything any more
				w.e.open(w.uri("f"), text)
				w.awaitHunks("f", tt.want)
				text = w.crash()[w.uri("f")]
			}
			w.e.open(w.uri("f"), text)
			w.awaitHunks("f", tt.want)
			if tt.want != "" {
				w.decided(w.c.Reject(t.Context(), Decide{}))
			}
			if got := w.e.text(w.uri("f")); got != tt.rejected {
				t.Errorf("rejected it is %q, want %q", got, tt.rejected)
			}
		})
	}
}

// So are files of which the journal says nothing, new ones too; what another program has written there is not.
func TestSavedUntrackedWhileNoneRan(t *testing.T) {
	t.Parallel()
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("was"), ten)
	writeFile(t, w.path("too"), ten)
	writeFile(t, w.path("gone"), ten)
	w.killedInTurn(func(func()) {
		w.meanwhile = func() {
			w.away = map[string]string{"was": ten + "mine\n", "new": "mine\n", "too": ten + "mine\n", "gone": ten + "mine\n", "new too": "mine\n"}
			for name, content := range w.away {
				writeFile(t, w.path(name), content)
			}
			writeFile(t, w.path("too"), ten+"mine\ndisk\n")
			writeFile(t, w.path("new too"), "mine\ndisk\n")
			if err := os.Remove(w.path("gone")); err != nil {
				t.Error(err)
			}
		}
	})
	for range 2 {
		for name, want := range map[string]string{"was": "", "new": "", "too": ">disk|", "gone": "delete " + strings.ReplaceAll(ten, "\n", "|") + "mine|>", "new too": ">disk|"} {
			w.wantHunks(name, want)
		}
		w.crash()
	}
	w.decided(w.c.Reject(t.Context(), Decide{}))
	for name, want := range map[string]string{"was": ten + "mine\n", "new": "mine\n", "too": ten + "mine\n", "gone": ten + "mine\n", "new too": "mine\n"} {
		if got := readFile(t, w.path(name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// awaitHunks waits until an open file is shown with such hunks.
func (w *earth) awaitHunks(name, want string) {
	w.t.Helper()
	w.e.await(want, func() bool {
		var hunks []string
		for _, h := range w.e.reviews[w.uri(name)].Hunks {
			hunks = append(hunks, strings.ReplaceAll(h.BaseText+">"+h.Text, "\n", "|"))
		}
		return strings.Join(hunks, " ") == want
	})
	w.wantHunks(name, want)
}
