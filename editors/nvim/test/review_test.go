package nvim_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"acp-ls/internal/nvimtest"
)

type hunk = map[string]any

func rng(l1, c1, l2, c2 int) map[string]any {
	return map[string]any{"start": map[string]any{"line": l1, "character": c1}, "end": map[string]any{"line": l2, "character": c2}}
}

func newHunk(id, state string, from, to int, base, text string) hunk {
	return hunk{"id": id, "state": state, "origins": []any{map[string]any{"session": "s1", "agent": "demo", "author": "agent", "sure": true}},
		"range": rng(from, 0, to, 0), "baseText": base, "text": text, "mixed": false}
}

func (e *env) review(name string, version int, hunks ...hunk) {
	e.notify("acp/review", map[string]any{"uri": e.uri(name), "rev": "r1", "version": version, "hunks": hunks})
}

const numbers = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"

func TestHunks(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		v := e.awaitText(e.uri("a.txt"), numbers)
		e.review("a.txt", v,
			newHunk("h1", "pending", 0, 0, "zero\nhalf\n", ""),
			newHunk("h2", "pending", 1, 3, "zwei\n", "two\nthree\n"),
			newHunk("h3", "conflict", 4, 5, "five\n", "FIVE\nV\n"),
			newHunk("h4", "proposed", 6, 7, "seven\n", "SEVEN\n"),
			newHunk("h5", "pending", 8, 8, "nine\nten\n", ""),
		)
		e.WaitScreen("5/5 demo")
		e.Input("<C-w>h]h")
		e.WaitScreen("gha accept  ghr reject")
		var text []string
		for _, line := range strings.Split(e.Screen(), "\n")[:16] {
			text = append(text, strings.TrimSpace(strings.SplitN(line, "│", 2)[0]))
		}
		want := []string{
			"zero   1/5 demo", "half", "▔ one",
			"zwei", "▎ two   2/5 demo   gha accept  ghr reject", "▎ three",
			"four",
			"▎ five   3/5 demo conflict", "FIVE", "V",
			"six",
			"┆ seven   4/5 demo proposes", "SEVEN",
			"▁ eight", "nine   5/5 demo", "ten",
		}
		if !slices.Equal(text, want) {
			t.Errorf("the hunks look like this:\n%s\nwant\n%s", strings.Join(text, "\n"), strings.Join(want, "\n"))
		}
		background := func(text string) int {
			row, col, ok := e.Find(text)
			if !ok {
				t.Fatalf("no %q on the screen", text)
			}
			return e.Cell(row, col).Background
		}
		added, deleted, plain := background("three"), background("half"), background("four")
		if added == plain || deleted == plain || added == deleted {
			t.Errorf("added %x, deleted %x and other lines %x are not told apart", added, deleted, plain)
		}
		if other := background("five"); other == added || other == deleted {
			t.Errorf("a conflict looks like a change: %x", other)
		}
		if old, new := background("seven"), background("SEVEN"); old == deleted || new == added || old == new || new == plain {
			t.Errorf("what is proposed looks like what is there: %x, %x", old, new)
		}
		e.picture("end")
	})
}

// Proposed hunks are applied and discarded with the keys of the others, show how
// they are marked, and are nothing to bring back.
func TestProposals(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		v := e.awaitText(e.uri("a.txt"), numbers)
		h1 := newHunk("h1", "proposed", 1, 2, "two\n", "zwei\n")
		h2 := newHunk("h2", "proposed", 5, 6, "six\n", "sechs\n")
		e.review("a.txt", v, h1, h2)
		e.WaitScreen("2/2 demo proposes")
		e.Input("<C-w>hgg]h")
		e.WaitScreen("gha apply  ghr discard")
		marked := func(h hunk, how string) hunk {
			h = maps.Clone(h)
			h["marked"] = how
			return h
		}
		e.on("acp.review.accept", decided([]any{e.reviewOf("a.txt", v, marked(h1, "apply"), h2)}, "h1"))
		e.Input("gha")
		if d := e.expectDecision("accept"); !slices.Equal(d.Hunks, []string{"h1"}) {
			t.Errorf("applied %+v", d)
		}
		e.WaitScreen("1/2 demo proposes, applied")
		e.on("acp.review.reject", decided([]any{e.reviewOf("a.txt", v, marked(h1, "apply"), marked(h2, "discard"))}, "h2"))
		e.Input("6Gghr")
		if d := e.expectDecision("reject"); !slices.Equal(d.Hunks, []string{"h2"}) {
			t.Errorf("discarded %+v", d)
		}
		e.WaitScreen("2/2 demo proposes, discarded")
		e.review("a.txt", v) // the question is answered
		e.on("acp.review.list", func(arg) any { return map[string]any{"files": []any{}} })
		e.Input(":Acp restore<CR>")
		e.WaitScreen("nothing was rejected")
	})
}

type decideArg struct {
	Hunks          []string
	URI, Rev, Take string
	Hunk           string
}

func (e *env) expectDecision(command string) decideArg {
	e.t.Helper()
	var d decideArg
	if err := json.Unmarshal(e.expect("acp.review."+command), &d); err != nil {
		e.t.Fatal(err)
	}
	return d
}

func decided(files []any, ids ...string) func(arg) any {
	return func(arg) any {
		return map[string]any{"decided": ids, "refused": []any{}, "files": files}
	}
}

func (e *env) reviewOf(name string, version int, hunks ...hunk) map[string]any {
	if hunks == nil {
		hunks = []hunk{}
	}
	return map[string]any{"uri": e.uri(name), "rev": "r1", "version": version, "hunks": hunks}
}

func TestDecisions(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		v := e.awaitText(e.uri("a.txt"), numbers)
		h1 := newHunk("h1", "pending", 1, 2, "zwei\n", "two\n")
		h2 := newHunk("h2", "pending", 3, 4, "vier\n", "four\n")
		h3 := newHunk("h3", "conflict", 5, 6, "six\n", "SIX\n")
		e.review("a.txt", v, h1, h2, h3)
		e.WaitScreen("3/3 demo conflict")
		e.Input("<C-w>hgg]h")
		e.WaitScreen("gha accept")
		e.on("acp.review.accept", decided([]any{e.reviewOf("a.txt", v, h2, h3)}, "h1"))
		e.Input("gha")
		if d := e.expectDecision("accept"); !slices.Equal(d.Hunks, []string{"h1"}) {
			t.Errorf("accepted %+v", d)
		}
		e.WaitScreen("1/2 demo")

		// Refused: the hunk is not what it was. The user is told why.
		e.on("acp.review.reject", func(arg) any {
			return map[string]any{"decided": []any{}, "files": []any{},
				"refused": []any{map[string]any{"id": "h2", "reason": "the hunk has changed"}}}
		})
		e.Input("]hghr")
		if d := e.expectDecision("reject"); !slices.Equal(d.Hunks, []string{"h2"}) {
			t.Errorf("rejected %+v", d)
		}
		e.WaitScreen("a hunk not rejected: the hunk has changed")

		e.Input("]h")
		e.WaitScreen("ghm mine")
		e.Input("ght")
		if d := e.expectDecision("resolve"); d.Hunk != "h3" || d.Take != "theirs" {
			t.Errorf("resolved %+v", d)
		}

		e.on("acp.review.accept", decided(nil))
		e.Input("ggVGgha")
		if d := e.expectDecision("accept"); !slices.Equal(d.Hunks, []string{"h2", "h3"}) {
			t.Errorf("accepted a selection: %+v", d)
		}
		e.Input(":1,4Acp accept<CR>")
		if d := e.expectDecision("accept"); !slices.Equal(d.Hunks, []string{"h2"}) {
			t.Errorf("accepted lines 1 to 4: %+v", d)
		}
		e.Input("ghA")
		if d := e.expectDecision("accept"); d.URI != e.uri("a.txt") || d.Rev != "r1" {
			t.Errorf("accepted the file: %+v", d)
		}
		e.Input("gggha")
		e.WaitScreen("no hunk here")

		e.on("acp.review.reject", decided([]any{e.reviewOf("a.txt", v)}, "h2", "h3"))
		e.Input("ghR")
		if d := e.expectDecision("reject"); d.URI != e.uri("a.txt") || d.Rev != "r1" {
			t.Errorf("rejected the file: %+v", d)
		}
		e.WaitGone("demo conflict")
		e.Input("ghR")
		e.WaitScreen("no hunks in this file")
		e.rejected(v, "h1@4", "h2@5", "h3@5")
		e.Input("ghu")
		if d := e.expectDecision("restore"); !slices.Equal(d.Hunks, []string{"h2", "h3"}) {
			t.Errorf("restored %+v, want what was rejected last, with one decision", d)
		}
		e.rejected(v, "h2@5", "h1@4") // the other one is pending again
		e.Input("ghu")
		if d := e.expectDecision("restore"); !slices.Equal(d.Hunks, []string{"h2"}) {
			t.Errorf("restored %+v, want what is left of that", d)
		}
	})
}

// The answer to a decision may come when something newer was told of the file already.
func TestAnswerAfterNewerReview(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e, v, h1, h2 := twoHunks(t, version)
		at := func(seq int, hunks ...hunk) map[string]any {
			r := e.reviewOf("a.txt", v, hunks...)
			r["seq"] = seq
			return r
		}
		answer := make(later)
		e.on("acp.review.accept", func(arg) any { return answer })
		e.Input("<C-w>h2Ggha")
		e.expectDecision("accept")
		e.notify("acp/review", at(3, h2))
		e.WaitScreen("1/1 demo")
		answer <- decided([]any{at(2, h1, h2)}, "h1")(nil)
		e.WaitLua(`not require('acp.decide').later(function() end)`) // it is answered
		e.WaitLua(`require('acp.review').count() == 1`)
		e.notify("acp/review", at(4))
		e.WaitGone("1/1 demo")
		e.notify("acp/review", at(3, h2))
		e.notify("acp/review", at(5, h1))
		e.WaitScreen("1/1 demo")
	})
}

// What is rejected no more, because the user has undone that, is not brought back.
func TestRestoreAfterUndo(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e, v, _, h2 := twoHunks(t, version)
		e.on("acp.review.reject", decided([]any{e.reviewOf("a.txt", v, h2)}, "h1"))
		e.Input("<C-w>h2Gghr")
		e.WaitScreen("1/1 demo")
		e.on("acp.review.reject", decided([]any{e.reviewOf("a.txt", v)}, "h2"))
		e.Input("4Gghr")
		e.WaitGone("1/1 demo")
		e.review("a.txt", v, h2)
		e.WaitScreen("1/1 demo")
		e.rejected(v, "h1@1")
		e.Input("ghu")
		if d := e.expectDecision("restore"); !slices.Equal(d.Hunks, []string{"h1"}) {
			t.Errorf("restored %+v", d)
		}
		e.rejected(v, "h1@1", "other") // a redo brings it back, and git has taken another away
		e.Input("ghu")
		if d := e.expectDecision("restore"); !slices.Equal(d.Hunks, []string{"h1"}) {
			t.Errorf("restored %+v", d)
		}
		e.rejected(v, "other")
		e.Input("ghu")
		if d := e.expectDecision("restore"); !slices.Equal(d.Hunks, []string{"other"}) {
			t.Errorf("restored %+v", d)
		}
		e.rejected(v, "one", "other")
		e.Input("ghu")
		e.WaitScreen("2 hunks were rejected here: :Acp restore lets you choose")
		e.rejected(v)
		e.Input("ghu")
		e.WaitScreen("nothing was rejected here")
	})
}

// What was rejected last is known when all decisions are answered, in whatever order that is.
func TestRestoreAfterAnswersOutOfOrder(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e, v, _, h2 := twoHunks(t, version)
		first := make(later)
		e.on("acp.review.reject", func(arg) any { return first })
		e.Input("<C-w>h2Gghr")
		e.expectDecision("reject")
		e.review("a.txt", v, h2)
		e.WaitScreen("1/1 demo")
		e.on("acp.review.reject", decided([]any{e.reviewOf("a.txt", v)}, "h2"))
		e.Input("4Gghr")
		e.WaitGone("1/1 demo")
		e.rejected(v, "h1@1", "h2@2")
		e.Input("ghu")
		first <- decided([]any{}, "h1")(nil)
		if d := e.expectDecision("restore"); !slices.Equal(d.Hunks, []string{"h2"}) {
			t.Errorf("restored %+v, want what was rejected last", d)
		}
	})
}

// twoHunks is an editor that shows two hunks of a.txt in its version v.
func twoHunks(t *testing.T, version string) (e *env, v int, h1, h2 hunk) {
	t.Helper()
	e = setup(t, version, "", "a.txt", numbers)
	e.open()
	v = e.awaitText(e.uri("a.txt"), numbers)
	h1, h2 = newHunk("h1", "pending", 1, 2, "zwei\n", "two\n"), newHunk("h2", "pending", 3, 4, "vier\n", "four\n")
	e.review("a.txt", v, h1, h2)
	e.WaitScreen("2/2 demo")
	return e, v, h1, h2
}

// rejected has the server list these hunks of a.txt, and no others, as rejected.
// Behind the @ of one is the number of the decision.
func (e *env) rejected(v int, ids ...string) {
	var hunks []hunk
	for i, id := range ids {
		id, decided, ok := strings.Cut(id, "@")
		h := newHunk(id, "rejected", i, i+1, "", "row\n")
		if ok {
			h["decided"] = json.Number(decided)
		}
		hunks = append(hunks, h)
	}
	e.on("acp.review.list", func(arg) any {
		return map[string]any{"files": []any{e.reviewOf("a.txt", v, hunks...)}}
	})
}

// A file that came or went as a whole is decided with its only hunk.
func TestWholeFile(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		v := e.awaitText(e.uri("a.txt"), numbers)
		r := e.reviewOf("a.txt", v, newHunk("h1", "pending", 0, 8, "", numbers))
		r["file"] = map[string]any{"id": "f1", "op": "create"}
		e.notify("acp/review", r)
		e.WaitScreen("new file")
		e.Input("<C-w>hghr")
		if d := e.expectDecision("reject"); !slices.Equal(d.Hunks, []string{"h1", "f1"}) {
			t.Errorf("rejected %+v", d)
		}
	})
}

// The name and the mode of a file are decided by themselves, and are listed beside its
// rows. A buffer whose file has another name now says so, and is no file more.
func TestNameIsNoRow(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers, "old.txt", numbers)
		e.open()
		v := e.awaitText(e.uri("a.txt"), numbers)
		was := e.reviewOf("old.txt", 0)
		was["version"], was["file"] = nil, map[string]any{"id": "f1", "op": "rename", "to": e.path("a.txt")}
		e.notify("acp/review", was)
		r := e.reviewOf("a.txt", v, newHunk("h1", "pending", 1, 2, "zwei\n", "two\n"))
		r["file"] = map[string]any{"id": "f1", "op": "rename", "from": e.path("old.txt")}
		e.notify("acp/review", r)
		e.WaitScreen("renamed from old.txt")
		e.WaitScreen("1 hunk")
		e.Input("<C-w>h:Acp hunks<CR>")
		e.WaitScreen("1/1 demo: two")
		e.WaitScreen("info| renamed from old.txt")
		e.Input(":cclose<CR>:1<CR>]h")
		e.on("acp.review.reject", decided([]any{func() any { r["hunks"] = []any{}; return r }()}, "h1"))
		e.Input("ghr")
		if d := e.expectDecision("reject"); !slices.Equal(d.Hunks, []string{"h1"}) {
			t.Errorf("rejected %+v", d)
		}
		e.WaitGone("1/1 demo")
		e.Input("ghr")
		if d := e.expectDecision("reject"); !slices.Equal(d.Hunks, []string{"f1"}) {
			t.Errorf("rejected %+v", d)
		}
		e.Input(":e old.txt<CR>")
		e.WaitScreen("renamed to a.txt")
	})
}

func TestHunksAcrossFiles(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers, "b c+d.txt", numbers)
		e.open()
		v := e.awaitText(e.uri("a.txt"), numbers)
		e.review("a.txt", v, newHunk("h1", "pending", 1, 2, "zwei\n", "two\n"))
		other := e.reviewOf("x", 0, newHunk("h2", "pending", 2, 3, "drei\n", "three\n"))
		other["uri"], other["version"] = "file://"+e.path("b%20c%2Bd.txt"), nil // other escapes than Neovim's
		e.notify("acp/review", other)
		e.WaitScreen("2 hunks")
		e.Input("<C-w>hgg]h")
		e.WaitScreen("gha accept")
		e.Input("]h")
		e.WaitLua(`vim.fn.expand('%:t') == 'b c+d.txt' and vim.fn.line('.') == 3`)
		e.WaitScreen("drei")
		e.WaitScreen("gha accept")
		e.Input("[h")
		e.WaitLua(`vim.fn.expand('%:t') == 'a.txt' and vim.fn.line('.') == 2`)
		e.Input(":Acp hunks<CR>")
		e.WaitScreen("1/1 demo: three")
		e.Input("j<CR>")
		e.WaitLua(`vim.fn.expand('%:t') == 'b c+d.txt'`)
		e.on("acp.review.reject", decided([]any{}, "h1", "h2"))
		e.Input(":Acp reject-all<CR>")
		if d := e.expectDecision("reject"); !slices.Equal(d.Hunks, []string{"h1", "h2"}) { // one may be in the other's way
			t.Errorf("rejected %+v", d)
		}

		e.review("a.txt", v)
		other["hunks"] = []any{}
		e.notify("acp/review", other)
		e.WaitLua(`#require('acp.review').files() == 0`)
		e.Input(":Acp hunks<CR>")
		e.WaitScreen("no hunks")
		e.WaitLua(`#vim.fn.getqflist() == 0`) // what it had is decided
		e.Input(":cexpr 'mine'<CR>:Acp hunks<CR>")
		e.WaitLua(`vim.fn.execute('messages'):find('no hunks.*no hunks') ~= nil`)
		e.WaitLua(`vim.fn.getqflist()[1].text == 'mine'`) // and no other list is ours
	})
}

// Hunks move with the text. A review of a text that is gone is not drawn; if no
// newer one comes, it is asked for.
func TestHunksOfAnOlderText(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		v := e.awaitText(e.uri("a.txt"), numbers)
		e.review("a.txt", v, newHunk("h1", "pending", 1, 2, "zwei\n", "two\n"))
		e.WaitScreen("1/1 demo")
		e.Input("<C-w>hggOabove<Esc>")
		now := e.awaitText(e.uri("a.txt"), "above\n"+numbers)
		row, _, ok := e.Find("two   1/1 demo")
		if line, _, _ := e.Find("one"); !ok || row != line+2 {
			t.Errorf("the hunk did not move with its text:\n%s", e.Screen())
		}
		e.on("acp.review.list", func(a arg) any {
			return map[string]any{"files": []any{e.reviewOf("a.txt", now, newHunk("h2", "pending", 3, 4, "drei\n", "three\n"))}}
		})
		e.review("a.txt", v, newHunk("h1", "pending", 5, 6, "wrong\n", "six\n"))
		e.expect("acp.review.list")
		e.WaitScreen("drei")
		if _, _, ok := e.Find("wrong"); ok {
			t.Error("a review of an older text was drawn")
		}
	})
}

// Lines deleted above the first line are to be seen there, also after moving and
// editing.
func TestDeletedAtTheTop(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", strings.Repeat("line\n", 200))
		e.open()
		v := e.awaitText(e.uri("a.txt"), strings.Repeat("line\n", 200))
		e.review("a.txt", v, newHunk("h1", "pending", 0, 0, "deleted one\ndeleted two\n", ""))
		e.WaitScreen("deleted two")
		e.Input("<C-w>hG")
		e.WaitGone("deleted two")
		e.Input("gg")
		e.WaitScreen("deleted one")
		e.WaitScreen("deleted two")
		e.Input("5j")
		e.WaitScreen("deleted one")
	})
}

// Keys of the user's own come back when there is nothing more to decide, and when acp-ls
// has ended. Those that are free stay: pressed once more they must not be what
// they are to Neovim, which would replace text.
func TestKeysComeBack(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		v := e.awaitText(e.uri("a.txt"), numbers)
		e.on("acp.review.list", func(arg) any { return map[string]any{"files": []any{}} })
		e.Input("<C-w>h:nnoremap <lt>buffer> ]h :let g:mine = 1<lt>CR><CR>:nnoremap [ :let g:mine = 2<lt>CR><CR>")
		for range 2 {
			e.review("a.txt", v, newHunk("h1", "pending", 4, 5, "V\n", "five\n"))
			e.WaitScreen("1/1 demo")
			e.Input("3G]h")
			e.WaitScreen("gha accept")
			e.review("a.txt", v)
			e.WaitGone("1/1 demo")
			for _, keys := range []string{"gha", "ghr", "Vghr"} {
				e.Input(keys) // nothing behind them that would be in the place of what is said
				e.WaitScreen("no hunk here")
				e.press(":echo<CR>")
			}
			e.press("]h")
			e.WaitLua("vim.g.mine == 1")
			e.WaitLua("vim.fn.maparg('[h', 'n') == ''") // as the user has something at [
		}
		e.press(":vnoremap <lt>buffer> ghr :<lt>C-u>let g:mine = 3<lt>CR><CR>") // later than ours
		e.Exec(`require('acp.review').on_exit()`, nil)                          // which leaves the keys as they are
		e.press("Vghr")
		e.WaitLua("vim.g.mine == 3")
		for _, keys := range []string{"gha", "ghr", "Vgha"} {
			e.Input(keys)
			e.WaitScreen("no hunk here")
			e.press(":echo<CR>")
		}
		e.press("]h")
		e.WaitLua("vim.g.mine == 1 and vim.fn.maparg('[h', 'n') == ''")
		if got := e.Text(0) + "\n"; got != numbers {
			t.Errorf("the text is %q", got)
		}
	})
}

// What is decided on all, right after a key, is decided on the hunks as the key has left them: what is
// shown of them is asked for first. A file whose text is the one that is shown is decided on as it is
// shown, whatever has come to it since.
func TestAllIsDecidedRightAfterAKey(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for _, command := range []string{"accept", "reject"} {
			e := setup(t, version, "", "a.txt", numbers, "b.txt", numbers)
			e.open()
			v := e.awaitText(e.uri("a.txt"), numbers)
			e.review("a.txt", v, newHunk("h1", "pending", 1, 2, "zwei\n", "two\n"))
			other := e.reviewOf("b.txt", 0, newHunk("h2", "pending", 2, 3, "drei\n", "three\n"))
			other["version"] = nil
			e.notify("acp/review", other)
			e.WaitScreen("2 hunks")
			e.on("acp.review.list", func(a arg) any {
				if strings.Contains(string(a), "rejected") {
					return map[string]any{"files": []any{}}
				}
				new := e.reviewOf("b.txt", 0, newHunk("h2", "pending", 2, 3, "drei\n", "three\n"), newHunk("h4", "pending", 4, 5, "", "five\n"))
				new["version"] = nil
				return map[string]any{"files": []any{e.reviewOf("a.txt", e.version("a.txt"), newHunk("h3", "pending", 1, 2, "zwei my\n", "two my\n")), new}}
			})
			e.Input("<C-w>hgg2GA my<Esc>:Acp " + command + "-all<CR>")
			if d := e.expectDecision(command); !slices.Equal(d.Hunks, []string{"h3", "h2"}) {
				t.Errorf("decided on %+v", d)
			}
		}
	})
}

// Before acp-ls runs nobody knows what there is to decide on: all that asks for it says so.
func TestHunksBeforeAcpLsRuns(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		dir, args := project(t, "a.txt", numbers)
		n := nvimtest.Start(t, version, nvimtest.Dir(dir), nvimtest.Args(args...))
		n.Exec(`require('acp').setup({})`, nil)
		for _, command := range []string{"hunks", "next", "prev", "accept", "reject-file", "reject-all"} {
			n.Input(":Acp " + command + "<CR>")
			n.WaitScreen("acp-ls is not running: :Acp starts it")
			n.Input("<CR>:echo 'gone'<CR>")
			n.WaitGone("acp-ls is not running")
		}
	})
}
