package main

import "strings"

// Scenarios in which the server edits the document, as acp-ls does for an agent.
var nvimAgentScenarios = []scenario{
	{name: "agent-edit", initial: letters, script: func(n *neovim) {
		n.agent(edit(1, 0, 2, 0, "A1\nA2\n"), edit(5, 0, 6, 0, ""), edit(9, 1, 9, 1, "G"))
		n.keys("u")
		n.keys("<C-r>")
		n.agent(edit(0, 0, 0, 0, "top\n"))
		n.keys("u")
		n.keys("u")
		n.keys("<C-r><C-r>")
		n.ex("w")
	}},
	{name: "agent-between-user", initial: letters, script: func(n *neovim) {
		n.keys("2Gcwone<Esc>")
		n.agent(edit(4, 0, 5, 0, "X2\nX3\n"))
		n.keys("7Gcwtwo<Esc>")
		n.agent(edit(8, 0, 9, 0, "EE\n"))
		n.keys("u")
		n.keys("u")
		n.keys("u")
		n.keys("u")
		n.keys("4<C-r>")
	}},
	{name: "agent-same-line", initial: code, script: func(n *neovim) {
		n.agent(edit(11, 8, 11, 13, "y + x"))
		n.keys("12GA // sum<Esc>")
		n.keys("12G0wcwx<Esc>")
		n.keys("u")
		n.keys("u")
		n.keys("u")
	}},
	{name: "agent-stale", initial: letters, script: func(n *neovim) {
		// The user's second key is in the buffer, but not yet told: the version the
		// server knows is stale by the time the edit arrives.
		n.burst("2GAp")
		must(n.until("didChange", func() bool { return string(n.version[n.uri("t.txt")]) != "0" }))
		known := n.knownVersion("t.txt")
		n.burst("q")
		n.waitLine(2, "apq")
		n.agentFast(known, edit(4, 0, 5, 0, "agent\n"))
		n.look()
		n.agent(edit(4, 0, 5, 0, "agent\n"))
		n.keys("<Esc>")
		n.keys("u")
	}},
	{name: "agent-stale-old", initial: letters, script: func(n *neovim) {
		known := n.knownVersion("t.txt")
		n.keys("2Gcwone<Esc>")
		n.keys("4Gcwtwo<Esc>")
		n.agentFast(known, edit(4, 0, 5, 0, "agent\n"))
		n.look()
		n.agentFast("1", edit(4, 0, 5, 0, "agent\n"))
		n.look()
	}},
	{name: "agent-stale-at-open", initial: letters, script: func(n *neovim) {
		// Nothing has been told since didOpen, so that version 0 is the newest known.
		n.burst("2Gopq<CR>rs")
		n.waitLine(4, "rs")
		n.agentFast("0", edit(4, 0, 5, 0, "agent\n"))
		n.look()
		n.keys("<Esc>")
		n.keys("u")
	}},
	{name: "agent-version-one", initial: letters, script: func(n *neovim) {
		// Neovim does not check version 0. Version 1 is checked, and right as long as
		// nothing has been typed, since its own numbers after the first change are higher.
		n.agentFast("1", edit(4, 0, 5, 0, "agent\n"))
		n.look()
		n.keys("u")
		n.ex("e!")
		n.burst("2Gopq<CR>rs")
		n.waitLine(4, "rs")
		n.agentFast("1", edit(4, 0, 5, 0, "agent\n"))
		n.look()
	}},
	{name: "agent-stale-after-reload", initial: letters, script: func(n *neovim) {
		n.keys("2Gcwone<Esc>")
		n.ex("w")
		n.writes("t.txt", "x1\none\nb\nc\nX2\nd\nx3\ne\nf\ng\n")
		n.ex("checktime")
		n.keys("2Gopq<Esc>")
		n.agentFast("0", edit(4, 0, 5, 0, "agent\n"))
		n.look()
	}},
	{name: "agent-no-version", initial: letters, script: func(n *neovim) {
		n.keys("2Gcwone<Esc>")
		n.agentFast("null", edit(4, 0, 5, 0, "agent\n"))
		n.look()
	}},
	{name: "agent-then-type", initial: letters, script: func(n *neovim) {
		// Keys right after the answer, within the debounce of the agent's change.
		n.keys("2GA")
		n.agentFast("", edit(4, 0, 5, 0, "agent 1\nagent 2\n"))
		n.burst("pq")
		n.keys("r")
		n.keys("<Esc>")
		n.keys("u")
		n.keys("<C-r>")
	}},
	{name: "agent-in-insert", initial: letters, script: func(n *neovim) {
		n.keys("2GA")
		n.types("bc")
		n.agent(edit(0, 0, 1, 0, "first\nsecond\n"))
		n.types("de")
		n.agent(edit(8, 0, 9, 0, ""))
		n.types("fg")
		n.keys("<Esc>")
		n.keys("u")
		n.keys("<C-r>")
	}},
	{name: "agent-on-insert-line", initial: letters, script: func(n *neovim) {
		// The agent replaces the line in which the user is typing.
		n.keys("2GA")
		n.types("bc")
		n.agent(edit(1, 0, 2, 0, "other\nabc\n"))
		n.types("de")
		n.agent(edit(2, 0, 3, 0, ""))
		n.types("fg")
		n.keys("<Esc>")
		n.keys("u")
	}},
	{name: "agent-above-insert-line", initial: letters, script: func(n *neovim) {
		// The agent puts lines around the one in which the user is typing, and takes
		// them out again, without touching that line.
		n.keys("2GA")
		n.types("bc")
		n.agent(edit(1, 0, 1, 0, "above\n"), edit(2, 0, 2, 0, "below\n"))
		n.types("de")
		n.agent(edit(1, 0, 2, 0, ""), edit(3, 0, 4, 0, ""))
		n.types("fg")
		n.keys("<Esc>")
		n.keys("u")
	}},
	{name: "agent-in-completion", initial: code, script: func(n *neovim) {
		n.keys("8Gofm")
		n.keys("<C-n>")
		n.agent(edit(11, 0, 11, 0, "// add adds.\n"))
		n.keys("<C-y>")
		n.keys("<Esc>")
		n.keys("u")
	}},
	{name: "agent-in-command-line", initial: letters, script: func(n *neovim) {
		n.keys("5G")
		n.keys(":echo 'x")
		n.agent(edit(1, 0, 2, 0, "A1\nA2\nA3\n"))
		n.keys("'<CR>")
		n.keys("u")
	}},
	{name: "agent-in-preview", initial: letters, script: func(n *neovim) {
		// While :substitute shows what it would do ('inccommand'), Neovim tells nobody
		// of changes to the buffer, whoever makes them.
		n.keys("5G")
		n.keys(":s/x/y")
		n.agent(edit(1, 0, 2, 0, "A1\nA2\nA3\n"))
		n.keys("/<CR>")
		n.keys("u")
		n.keys("u")
	}},
	{name: "agent-in-visual", initial: letters, script: func(n *neovim) {
		n.keys("5GVj")
		n.agent(edit(1, 0, 2, 0, "A1\nA2\nA3\n"))
		n.keys("d")
		n.keys("u")
		n.keys("u")
	}},
	{name: "agent-two-at-once", initial: letters, script: func(n *neovim) {
		// The second one is sent before the first is answered.
		first, err := n.applyEdit("t.txt", "", []textEdit{edit(1, 0, 2, 0, "A\n")})
		must(err)
		second, err := n.applyEdit("t.txt", "", []textEdit{edit(3, 0, 4, 0, "C\n")})
		must(err)
		<-first
		<-second
		n.look()
		n.keys("u")
		n.keys("u")
	}},
	{name: "agent-two-at-once-later", initial: letters, script: func(n *neovim) {
		// The same with a version that is checked.
		n.keys("2Gcwone<Esc>")
		first, err := n.applyEdit("t.txt", "", []textEdit{edit(1, 0, 2, 0, "A\n")})
		must(err)
		second, err := n.applyEdit("t.txt", "", []textEdit{edit(3, 0, 4, 0, "C\n")})
		must(err)
		<-first
		<-second
		n.look()
		n.keys("u")
		n.keys("u")
	}},
	{name: "agent-many", initial: strings.Repeat(letters, 8), script: func(n *neovim) {
		// One request with an edit in every fourth line, some of them growing it.
		var edits []textEdit
		for i := 0; i < 80; i += 4 {
			edits = append(edits, edit(i, 0, i+1, 0, strings.Repeat("agent\n", i%3)))
		}
		n.agent(edits...)
		n.keys("u")
		n.keys("<C-r>")
		n.keys("40Gcwmine<Esc>")
		n.keys("u")
	}},
	{name: "agent-undo-partly", initial: letters, script: func(n *neovim) {
		// Several edits by the agent, taken back in turn, then other work.
		for i := range 3 {
			n.agent(edit(i*3, 0, i*3+1, 0, "agent\n"))
		}
		n.keys("u")
		n.keys("u")
		n.keys("9Gcwmine<Esc>")
		n.keys("u")
		n.keys("u")
		n.keys("g-g-g-")
		n.keys("9g+")
	}},
	{name: "agent-whole", initial: code, script: func(n *neovim) {
		n.agent(edit(0, 0, 13, 0, "package main\n\nfunc add(x, y int) int {\n\treturn x + y\n}\n\nfunc main() {}\n"))
		n.keys("u")
		n.keys("<C-r>")
		n.agent(edit(0, 0, 7, 0, ""))
		n.keys("u")
	}},
	{name: "agent-empty", initial: "", script: func(n *neovim) {
		n.agent(edit(0, 0, 0, 0, "one\ntwo\n"))
		n.keys("u")
		n.keys("<C-r>")
		n.keys("Gothree<Esc>")
	}},
	{name: "agent-empty-replaced", initial: "", script: func(n *neovim) {
		n.agent(edit(0, 0, 1, 0, "one\ntwo\n"))
		n.keys("u")
		n.keys("<C-r>")
		n.ex("w")
	}},
	{name: "agent-empty-without-newline", initial: "", script: func(n *neovim) {
		n.agent(edit(0, 0, 0, 0, "one\ntwo"))
		n.keys("Gothree<Esc>")
	}},
	{name: "agent-append", initial: letters, script: func(n *neovim) {
		n.agent(edit(10, 0, 10, 0, "end 1\nend 2\n"))
		n.keys("u")
		n.agent(edit(9, 1, 9, 1, "\nend"))
		n.agent(edit(10, 0, 11, 0, ""))
	}},
	{name: "agent-last-line", initial: letters, script: func(n *neovim) {
		n.agent(edit(9, 0, 10, 0, ""))
		n.keys("u")
		n.agent(edit(8, 1, 9, 1, ""))
		n.keys("u")
		n.agent(edit(9, 0, 10, 0, "G\nh\n"))
		n.keys("u")
		n.agent(edit(9, 0, 9, 1, "G\nh"))
		n.agent(edit(11, 0, 11, 0, "i\n"))
		n.ex("w")
	}},
	{name: "agent-no-final-newline", initial: "one\ntwo\nthree", script: func(n *neovim) {
		n.agent(edit(2, 0, 2, 5, "THREE"))
		n.agent(edit(2, 5, 2, 5, "\nfour"))
		n.agent(edit(1, 0, 2, 0, ""))
		n.keys("uuu")
		n.agent(edit(2, 5, 2, 5, "\nfour\n"))
		n.ex("w")
	}},
	{name: "agent-crlf", initial: "one\r\ntwo\r\nthree\r\n", script: func(n *neovim) {
		n.agent(edit(1, 0, 2, 0, "TWO\r\nmore\r\n"))
		n.keys("u")
		n.agent(edit(1, 0, 2, 0, "TWO\nmore\n"))
		n.ex("w")
	}},
	{name: "agent-unicode", initial: "naïve 😀 text\n日本語\n", script: func(n *neovim) {
		n.agent(edit(1, 0, 2, 0, "日本 😀\n"))
		n.keys("gg0f😀i!<Esc>")
		n.keys("u")
		n.keys("u")
	}},
	{name: "agent-save", initial: letters, script: func(n *neovim) {
		// As acp-ls does for a clean document: edit, then have it saved.
		n.agentFast("", edit(1, 0, 2, 0, "A\n"))
		n.ex("update")
		n.keys("u")
		n.agentFast("", edit(3, 0, 4, 0, "C\n"))
		n.ex("update")
	}},
	{name: "agent-adopt", initial: letters, script: func(n *neovim) {
		// The disk has changed under unsaved text; both are merged in one tick: the
		// file is read again, and the merged text put over it (acp/adopt).
		n.keys("2Gcwone<Esc>")
		n.writes("t.txt", "x1\na\nb\nc\nX2\nd\nx3\ne\nf\ng\n")
		n.act("noautocmd edit!, nvim_buf_set_lines of the merged text, attach")
		n.lua(`vim.cmd('noautocmd edit!') vim.api.nvim_buf_set_lines(0, 1, 2, true, { 'one' }) Record_attach(0)`)
		n.look()
		n.keys("u")
		n.keys("u")
		n.keys("<C-r><C-r>")
		n.ex("w")
	}},
	{name: "agent-reload", initial: letters, script: func(n *neovim) {
		// The agent writes the disk itself, and the user had typed before.
		n.keys("2Gcwone<Esc>")
		n.ex("w")
		n.keys("u")
		n.keys("<C-r>")
		n.writes("t.txt", "x1\none\nb\nc\nX2\nd\nx3\ne\nf\ng\n")
		n.ex("checktime")
		n.keys("8GA!<Esc>")
		n.keys("u")
		n.keys("u")
		n.keys("u")
		n.keys("3<C-r>")
	}},
}
