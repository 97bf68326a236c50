package review

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers/position"
	"acp-ls/buffers/text"
	"acp-ls/internal/editorlog"
)

// TestEditors replays what real editors send into documents in which an agent has already
// changed rows, checks the laws after each message, and decides everything at the end in a
// random order. Whenever a text comes back that the document has had, its hunks come back.
func TestEditors(t *testing.T) {
	logs, err := editorlog.Load("testdata/editors")
	if err != nil {
		t.Fatal(err)
	}
	for i := range logs {
		for _, before := range []struct {
			name string
			of   func(rows []string) []string // the rows as they were before the agent
		}{
			{"nothing", func(rows []string) []string { return rows }},
			{"all inserted", func([]string) []string { return nil }},
			{"every third inserted", func(rows []string) []string {
				return without3(rows, func(i int, r string) []string { return nil })
			}},
			{"every third changed", func(rows []string) []string {
				return without3(rows, func(i int, r string) []string { return []string{fmt.Sprintf("was %d %s", i, r)} })
			}},
			{"rows deleted", func(rows []string) []string {
				return without3(rows, func(i int, r string) []string { return []string{fmt.Sprintf("gone %d", i), r} })
			}},
			{"equal rows deleted", func(rows []string) []string {
				return without3(rows, func(i int, r string) []string { return []string{r, r} })
			}},
		} {
			t.Run(logs[i].Name()+"/"+before.name, func(t *testing.T) {
				replay(t, &logs[i], before.of)
			})
		}
	}
}

// without3 replaces every third row.
func without3(rows []string, by func(i int, r string) []string) []string {
	var out []string
	for i, r := range rows {
		if i%3 == 1 {
			out = append(out, by(i, r)...)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// replayer replays one document of a recording.
type replayer struct {
	t     *testing.T
	w     *world
	enc   position.Encoding
	of    func([]string) []string
	was   map[string][]string // hunks by text
	asked string              // the text that an agent's edit asked for, "" if there is none
	calls int
}

func replay(t *testing.T, log *editorlog.Log, of func([]string) []string) {
	enc, err := position.ParseEncoding(log.Encoding)
	if err != nil {
		t.Fatal(err)
	}
	if log.Editor == "nvim" {
		enc |= position.LFRows
	}
	docs := map[string]*replayer{}
	act := ""
	for n, ev := range log.Events {
		if ev.Act != "" {
			act = ev.Act
		}
		var p struct {
			TextDocument   struct{ URI, Text string }
			ContentChanges []struct {
				Range *position.Range
				Text  string
			}
			Edit json.RawMessage
		}
		if ev.Params != nil {
			if err := json.Unmarshal(ev.Params, &p); err != nil {
				t.Fatal(err)
			}
		}
		uri := p.TextDocument.URI
		d := docs[uri]
		switch {
		case ev.Dir == editorlog.In && ev.Method == "textDocument/didOpen":
			if d == nil {
				d = &replayer{t: t, enc: enc, of: of, was: map[string][]string{}}
				docs[uri] = d
			}
			d.at(ev.T)
			d.open(p.TextDocument.Text)
		case ev.Dir == editorlog.In && ev.Method == "textDocument/didChange" && d != nil:
			d.at(ev.T)
			after := d.w.d.Text()
			type edit struct {
				start, end int
				text       string
			}
			var edits []edit
			for _, c := range p.ContentChanges {
				e := edit{0, after.Len(), c.Text}
				if c.Range != nil {
					e.start, e.end = position.RangeOffsets(after, *c.Range, enc)
				}
				after = after.Replace(e.start, e.end, e.text)
				edits = append(edits, e)
			}
			if asked := d.asked; asked != "" {
				if d.asked = ""; after.String() == asked {
					d.agent(asked)
					break
				}
			}
			for _, e := range edits {
				if err := d.w.send(e.start, e.end, e.text, AuthorUser); err != nil {
					d.fail(n, ev, err)
				}
				if err := d.w.d.check(); err != nil {
					d.fail(n, ev, err)
				}
				if err := d.w.compare(); err != nil {
					d.fail(n, ev, err)
				}
			}
		case ev.Dir == editorlog.Out && ev.Method == "workspace/applyEdit":
			for uri, text := range edited(t, ev.Params, docs) {
				docs[uri].asked = text
			}
		case ev.Text != nil && !ev.Untold:
			if uri = ev.URI; uri == "" {
				uri = log.URI
			}
			want := *ev.Text
			if ev.Told != nil {
				want = *ev.Told
			}
			if d := docs[uri]; d != nil {
				if got := d.w.d.Text().String(); got != want {
					d.fail(n, ev, fmt.Errorf("text is %q, want %q", got, want))
				}
				d.cameBack(n, ev, act)
			}
		}
	}
	for _, d := range docs {
		d.decide()
	}
}

func (d *replayer) fail(n int, ev editorlog.Event, err error) {
	d.t.Helper()
	d.t.Fatalf("event %d %s: %v\n%s\n%s", n+2, ev.Params, err, d.w.d.dump(), tail(d.w.trace))
}

// at sets the clock to t milliseconds.
func (d *replayer) at(t int64) {
	if d.w != nil {
		if now := time.Unix(1_000_000, 0).Add(time.Duration(t) * time.Millisecond); now.After(d.w.clock.t) {
			d.w.clock.t = now
		}
		if done, _ := d.w.d.Settle(d.w.clock.now()); done {
			d.w.o.settle()
		}
	}
}

// open opens a document in which the agent has made s of something else; or opens it again.
func (d *replayer) open(s string) {
	if d.w != nil {
		d.w.d.Reload(text.New(s), Origin{Change: "reload", Author: AuthorUser})
		d.w.follow()
		d.w.o.settle()
		d.w.d.settled()
		return
	}
	d.w = &world{r: rand.New(rand.NewPCG(1, 1)), clock: newClock(), opts: worldOptions{repeated: true, eol: "\n", mixed: true}}
	var was []string
	for _, r := range d.of(rowsWithEnds(s)) {
		if !strings.HasSuffix(r, "\n") && !strings.HasSuffix(r, "\r") && len(was) > 0 && !strings.HasSuffix(was[len(was)-1], "\n") {
			was[len(was)-1] += "\n"
		}
		was = append(was, r)
	}
	old := strings.Join(was, "")
	d.w.d, d.w.o = New(text.New(old), d.w.clock.now), newOracle(old)
	d.w.history = []string{old}
	d.agent(s)
}

func (d *replayer) agent(s string) {
	d.calls++
	d.asked = ""
	d.w.o.doc.nextID = d.w.d.nextID
	before := d.w.shot()
	x := agent(fmt.Sprintf("c%d", d.calls))
	d.w.d.AgentEdit(text.New(s), x)
	d.w.o.agentEdit(s, x)
	if now := d.w.shot(); !sameBase(before.base, now.base, true) || now.text != s {
		d.t.Fatalf("agent edit: baseline %q -> %q, text %q, want %q", before.base, now.base, now.text, s)
	}
	if err := d.w.d.check(); err != nil {
		d.t.Fatal(err)
	}
	d.was[s] = nil
}

// undoes finds the acts that go back or forth in an editor's history.
var undoes = regexp.MustCompile(`^(\d*[uU]+|(\d*<C-r>)+|undo|redo|:(earlier|later|undo).*)$`)

// cameBack checks that a text which undo or redo brings back has its hunks again. (A text
// that comes back by other ways need not: rows that the user has typed anew are the user's.)
func (d *replayer) cameBack(n int, ev editorlog.Event, act string) {
	now := []string{}
	for _, h := range d.w.d.Hunks(StatePending) {
		now = append(now, fmt.Sprintf("%d: %q <- %q", h.StartLine, h.Text, h.BaseText))
	}
	s := d.w.d.Text().String()
	if was := d.was[s]; undoes.MatchString(act) && was != nil && !slices.Equal(was, now) {
		d.fail(n, ev, fmt.Errorf("the text came back, but not its hunks: %q, want %q", now, was))
	}
	d.was[s] = now
}

// decide decides half of the hunks this way and half that way, then the rest.
func (d *replayer) decide() {
	d.w.clock.advance(provisional)
	d.w.d.Settle(d.w.clock.now())
	for range 3 {
		for _, h := range d.w.d.Hunks(StatePending) {
			before := d.w.shot()
			if d.w.r.IntN(2) == 0 {
				d.w.d.Accept([]string{h.ID})
				if now := d.w.shot(); now.text != before.text {
					d.t.Fatalf("accept moved the text")
				}
			} else {
				d.w.d.Reject([]string{h.ID})
				if now := d.w.shot(); !sameBase(now.base, before.base, true) {
					d.t.Fatalf("reject moved the baseline")
				}
			}
			if err := d.w.d.check(); err != nil {
				d.t.Fatal(err)
			}
		}
	}
	if d.w.d.marked() {
		d.t.Fatal("something is left undecided")
	}
	for _, h := range d.w.d.Hunks(StateRejected) {
		before := d.w.shot()
		d.w.d.Restore([]string{h.ID})
		if now := d.w.shot(); !sameBase(now.base, before.base, true) {
			d.t.Fatalf("restore moved the baseline")
		}
		if err := d.w.d.check(); err != nil {
			d.t.Fatal(err)
		}
	}
}

// edited returns the texts that a workspace edit asks for, by document.
func edited(t *testing.T, params json.RawMessage, docs map[string]*replayer) map[string]string {
	var p struct {
		Edit struct {
			DocumentChanges []struct {
				TextDocument struct{ URI string }
				Edits        []struct {
					Range   position.Range
					NewText string
				}
			}
		}
	}
	if err := json.Unmarshal(params, &p); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, c := range p.Edit.DocumentChanges {
		d := docs[c.TextDocument.URI]
		if d == nil {
			continue
		}
		was := d.w.d.Text()
		slices.SortStableFunc(c.Edits, func(a, b struct {
			Range   position.Range
			NewText string
		}) int {
			x, _ := position.RangeOffsets(was, a.Range, d.enc)
			y, _ := position.RangeOffsets(was, b.Range, d.enc)
			return y - x
		})
		now := was
		for _, e := range c.Edits {
			from, to := position.RangeOffsets(was, e.Range, d.enc)
			now = now.Replace(from, to, e.NewText)
		}
		out[c.TextDocument.URI] = now.String()
	}
	return out
}
