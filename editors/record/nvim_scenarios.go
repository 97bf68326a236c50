package main

import (
	"fmt"
	"strings"
)

// code is a small program, for scenarios about code.
const code = `package main

import "fmt"

func main() {
	a := 1
	b := 2
	fmt.Println(a, b)
}

func add(x, y int) int {
	return x + y
}
`

// letters is ten short lines, for scenarios about lines.
const letters = "x1\na\nb\nc\nx2\nd\nx3\ne\nf\ng\n"

// Scenarios in which only the user and other programs change the text.
var nvimUserScenarios = []scenario{
	// One user, typing and moving lines about.
	{name: "type", initial: letters, script: func(n *neovim) {
		n.keys("2GA")
		n.types("pple pie")
		n.types("<BS><BS><BS>tart")
		n.keys("<Esc>")
		n.keys("5Giword <Esc>")
		n.keys("u")
		n.keys("u")
		n.keys("<C-r>")
	}},
	{name: "new-lines", initial: code, script: func(n *neovim) {
		n.keys("6Go")
		n.types("c := 3")
		n.keys("<Esc>")
		n.keys("6GO")
		n.types("// first<CR>// second")
		n.keys("<Esc>")
		n.keys("ggO// top<Esc>")
		n.keys("Go// bottom<Esc>")
		n.keys("Go<CR><CR>x<Esc>")
		n.keys("u")
		n.keys("u")
	}},
	{name: "split-join", initial: letters, script: func(n *neovim) {
		n.keys("2GA b c<Esc>")
		n.keys("2G0fba<CR><Esc>")
		n.keys("2GJ")
		n.keys("4J")
		n.keys("gJ")
		n.keys("u")
		n.keys("uu")
		n.keys("<C-r><C-r>")
		n.keys("5GI<BS><Esc>")
	}},
	{name: "undo-redo", initial: letters, script: func(n *neovim) {
		n.keys("2Gcwone<Esc>")
		n.keys("4Gcwtwo<Esc>")
		n.keys("6Gcwthree<Esc>")
		n.keys("u")
		n.keys("<C-r>")
		n.keys("3u")
		n.keys("3<C-r>")
		n.keys("uu")
		n.keys("<C-r>")
	}},
	{name: "undo-tree", initial: letters, script: func(n *neovim) {
		n.keys("2Gcwone<Esc>")
		n.keys("4Gcwtwo<Esc>")
		n.keys("u")
		n.keys("6Gcwthree<Esc>")
		n.keys("g-")
		n.keys("g-")
		n.keys("g+")
		n.keys("g+")
		n.keys("8Gxa1<Esc>xa2<Esc>")
		n.keys("U")
		n.ex("earlier 3f")
		n.ex("later 9")
	}},
	{name: "undo-long", initial: "start\n", script: func(n *neovim) {
		for i := range 12 {
			n.burst(fmt.Sprintf("Goline %d<Esc>", i))
		}
		n.look()
		n.keys("uuuuuu")
		n.keys("<C-r><C-r><C-r>")
		n.keys("9u")
	}},
	{name: "substitute", initial: letters, script: func(n *neovim) {
		n.keys("1G")
		n.ex("s/x/y/")
		n.ex("%s/x/y/")
		n.keys("u")
		n.keys("<C-r>")
		n.ex("%s/^/> /")
		n.keys("u")
		n.ex(`2,4s/\n/,/`)
		n.keys("u")
		n.ex(`%s/\(.\)$/\1\r/`)
		n.keys("u")
	}},
	{name: "substitute-preview", initial: letters, script: func(n *neovim) {
		n.types(":%s/x/why")
		n.keys("<Esc>")
		n.types(":%s/x/why/")
		n.keys("<CR>")
		n.keys("u")
	}},
	{name: "global", initial: letters, script: func(n *neovim) {
		n.ex("g/x/s/$/!/")
		n.keys("u")
		n.keys("<C-r>")
		n.ex("g/x/d")
		n.keys("u")
		n.ex("g/x/normal Ayz")
		n.keys("u")
		n.ex("g/x/move 0")
		n.keys("u")
		n.ex("v/x/d")
		n.keys("u")
	}},
	{name: "move-lines", initial: letters, script: func(n *neovim) {
		n.keys("2G")
		n.ex("move 5")
		n.keys("u")
		n.keys("<C-r>")
		n.ex("move 0")
		n.ex("5,6move 1")
		n.ex("m$")
		n.ex("2,3copy 7")
		n.keys("u")
	}},
	{name: "delete-put", initial: letters, script: func(n *neovim) {
		n.keys("2Gdd")
		n.keys("p")
		n.keys("ddp")
		n.keys("2dd")
		n.keys("3GP")
		n.keys("yy3p")
		n.keys("u")
		n.keys("2GVjjd")
		n.keys("u")
		n.keys("<C-r>")
		n.keys("Gp")
		n.keys("Gdd")
		n.keys("ggdd")
	}},
	{name: "delete-all", initial: letters, script: func(n *neovim) {
		n.keys("ggVGd")
		n.keys("u")
		n.keys("<C-r>")
		n.keys("inew text<Esc>")
		n.keys("uu")
		n.keys("ggdG")
		n.keys("p")
		n.keys("ggVGcreplaced<CR>all<Esc>")
		n.keys("u")
	}},
	{name: "reflow", initial: "A paragraph of prose that is longer than the width of the text, and so on.\nIt has a second line\nand a third.\n\nAnother one stands here.\n", script: func(n *neovim) {
		n.lua("vim.bo.textwidth = 40")
		n.keys("gggqip")
		n.keys("u")
		n.keys("<C-r>")
		n.keys("gggqG")
		n.keys("GA")
		n.types("Typing on wraps the line by itself, too.")
		n.keys("<Esc>")
		n.keys("u")
	}},
	{name: "indent", initial: code, script: func(n *neovim) {
		n.keys("6G>>")
		n.keys("Vjj>")
		n.keys("u")
		n.keys("gg=G")
		n.keys("u")
		n.lua("vim.bo.expandtab = true vim.bo.shiftwidth = 4 vim.bo.tabstop = 4")
		n.ex("retab")
		n.keys("11Gjccnothing<Esc>")
		n.keys("u")
	}},
	{name: "block", initial: letters, script: func(n *neovim) {
		n.keys("2G0<C-v>jjI// <Esc>")
		n.keys("u")
		n.keys("<C-r>")
		n.keys("2G0<C-v>jj$A;<Esc>")
		n.keys("2G0<C-v>jjld")
		n.keys("2G0<C-v>jjcxyz<Esc>")
		n.keys("uu")
	}},
	{name: "macro", initial: letters, script: func(n *neovim) {
		n.keys("ggqaA;<Esc>jq")
		n.keys("5@a")
		n.keys("u")
		n.keys("<C-r>")
		n.keys("ggqbyypk0iq<Esc>jq")
		n.keys("3@b")
		n.keys("gg.j.j.")
	}},
	{name: "replace-count", initial: "v1 = 10\nv2 = 20\nv3 = \"old text\"\n", script: func(n *neovim) {
		n.keys("gg$<C-a>")
		n.keys("9<C-a>")
		n.keys("j0Rab<Esc>")
		n.keys("G0ci\"new<Esc>")
		n.keys("gg0xp")
		n.keys("~")
		n.keys("guuVU")
		n.keys("uuu")
	}},
	{name: "sort-filter", initial: letters, script: func(n *neovim) {
		n.ex("%sort")
		n.keys("u")
		n.ex("%!sort -r")
		n.keys("u")
		n.keys("<C-r>")
		n.ex("2,4!tr a-z A-Z")
		n.ex("3r!echo read")
		n.keys("u")
	}},
	{name: "paste", initial: letters, script: func(n *neovim) {
		var b strings.Builder
		for i := range 80 {
			fmt.Fprintf(&b, "\tpasted line %d\n", i)
		}
		n.keys("3GA")
		n.paste("one word")
		n.paste(b.String())
		n.keys("<Esc>")
		n.keys("u")
		n.keys("5G")
		n.paste("p1\np2\np3")
		n.keys("u")
		n.keys("<C-r>")
	}},
	{name: "completion", initial: code, script: func(n *neovim) {
		n.keys("8Go")
		n.types("fm")
		n.keys("<C-n>")
		n.keys("<C-y>")
		n.types(".Pri")
		n.keys("<C-n>")
		n.keys("<C-n>")
		n.keys("<C-p>")
		n.keys("<C-e>")
		n.keys("<Esc>")
		n.keys("u")
	}},

	// Saving and formatting.
	{name: "write", initial: letters, script: func(n *neovim) {
		n.keys("2Gcwone<Esc>")
		n.ex("w")
		n.keys("u")
		n.ex("w")
		n.keys("<C-r>")
		n.ex("w")
		n.ex("w")
	}},
	{name: "write-at-once", initial: letters, script: func(n *neovim) {
		n.keys("2Gcwone<Esc>")
		n.burst("4Gcwtwo<Esc>")
		n.burst("6Gcwthree<Esc>")
		n.ex("w")
	}},
	{name: "format-lsp", initial: letters, script: func(n *neovim) {
		n.lua("Record_formatter(false)")
		n.keys("2Gcwone   <Esc>")
		n.keys("7GA  <Esc>")
		n.ex("w")
		n.keys("u")
		n.keys("u")
		n.keys("3GA  <Esc>:w<CR>")
	}},
	{name: "format-lsp-whole", initial: letters, script: func(n *neovim) {
		n.lua("Record_formatter(true)")
		n.keys("2Gcwone   <Esc>")
		n.keys("7GA  <Esc>")
		n.ex("w")
		n.keys("u")
		n.keys("3GA  <Esc>:w<CR>")
	}},
	{name: "format-filter", initial: letters, script: func(n *neovim) {
		n.lua(`vim.cmd([[autocmd BufWritePre * silent %!sed 's/[ \t]*$//'; cat]])`)
		n.keys("2Gcwone   <Esc>")
		n.keys("7GA  <Esc>")
		n.ex("w")
		n.keys("u")
		n.keys("3GA  <Esc>:w<CR>")
	}},
	{name: "format-after", initial: letters, script: func(n *neovim) {
		// The formatter works on the file after it was written; then the buffer is reloaded.
		n.lua(`vim.cmd([[autocmd BufWritePost * silent !sed -i 's/[ \t]*$//' %]])`)
		n.keys("2Gcwone   <Esc>")
		n.keys("7GA  <Esc>")
		n.ex("w")
		n.ex("checktime")
		n.keys("u")
	}},

	// Other names.
	{name: "saveas", initial: letters, script: func(n *neovim) {
		n.keys("2Gcwone<Esc>")
		n.ex("saveas new.txt")
		n.keys("4Gcwtwo<Esc>")
		n.ex("w")
		n.keys("u")
	}},
	{name: "file-rename", initial: letters, script: func(n *neovim) {
		n.keys("2Gcwone<Esc>")
		n.ex("file new.txt")
		n.keys("3Gcwwhat<Esc>")
		n.ex("w")
		n.keys("4Gcwtwo<Esc>")
		n.ex("w")
	}},

	// Reloading.
	{name: "reload-edit", initial: letters, script: func(n *neovim) {
		n.keys("2Gcwone<Esc>")
		n.ex("e!")
		n.keys("u")
		n.keys("<C-r>")
		n.keys("4Gcwtwo<Esc>")
	}},
	{name: "reload-checktime", initial: letters, script: func(n *neovim) {
		n.writes("t.txt", "x1\na\nB\nc\nx2\nd\nnew\nx3\ne\nf\ng\n")
		n.ex("checktime")
		n.keys("u")
		n.keys("<C-r>")
		n.keys("2Gcwone<Esc>")
		n.keys("u")
		n.keys("u")
	}},
	{name: "reload-after-edits", initial: letters, script: func(n *neovim) {
		n.keys("2Gcwone<Esc>")
		n.ex("w")
		n.writes("t.txt", "x1\none\nB\nc\nx2\nd\nnew\nx3\ne\nf\ng\n")
		n.ex("checktime")
		n.keys("u")
		n.keys("u")
		n.keys("<C-r><C-r>")
	}},
	{name: "reload-modified", initial: letters, script: func(n *neovim) {
		// The user keeps own changes when asked, and later takes the file.
		n.lua(`vim.api.nvim_create_autocmd('FileChangedShell', { callback = function() vim.v.fcs_choice = '' end })`)
		n.keys("2Gcwone<Esc>")
		n.writes("t.txt", "x1\na\nB\nc\nx2\nd\nnew\nx3\ne\nf\ng\n")
		n.ex("checktime")
		n.keys("4Gcwtwo<Esc>")
		n.ex("e!")
		n.keys("u")
	}},
	{name: "reload-git", initial: letters, script: func(n *neovim) {
		n.runs("git", "init", "-q", "-b", "main")
		n.runs("git", "add", "t.txt")
		n.runs("git", "commit", "-q", "-m", "one")
		n.runs("git", "checkout", "-q", "-b", "other")
		n.writes("t.txt", "top\nx1\na\nb\nd\nx3\nE\nf\ng\nend\n")
		n.runs("git", "commit", "-q", "-a", "-m", "two")
		n.ex("checktime")
		n.runs("git", "checkout", "-q", "main")
		n.ex("checktime")
		n.keys("2Gcwone<Esc>")
		n.ex("w")
		n.runs("git", "stash", "-q")
		n.ex("checktime")
		n.runs("git", "stash", "pop", "-q")
		n.ex("checktime")
		n.keys("u")
	}},
	{name: "reload-twice", initial: letters, script: func(n *neovim) {
		n.writes("t.txt", "x1\nA\nb\nc\nx2\nd\nx3\ne\nf\ng\n")
		n.burst(":checktime<CR>")
		n.writes("t.txt", "x1\nA\nb\nC\nx2\nd\nx3\ne\nf\ng\nh\n")
		n.ex("checktime")
		n.keys("u")
		n.keys("u")
	}},

	{name: "reload-noautocmd", initial: letters, script: func(n *neovim) {
		n.keys("2Gcwone<Esc>")
		n.ex("noautocmd e!")
		n.keys("4Gcwtwo<Esc>")
		n.ex("w")
		n.ex("e")
		n.keys("u")
	}},
	{name: "gone", initial: letters, script: func(n *neovim) {
		n.runs("rm", "t.txt")
		n.ex("silent! checktime")
		n.keys("2Gcwone<Esc>")
		n.writes("t.txt", "x1\na\nB\n")
		n.ex("silent! e!")
		n.keys("u")
	}},

	// Texts of other kinds.
	{name: "crlf", initial: "one\r\ntwo\r\nthree\r\nfour\r\n", script: func(n *neovim) {
		n.keys("2GA!<Esc>")
		n.keys("o")
		n.types("new<CR>line")
		n.keys("<Esc>")
		n.keys("ggJ")
		n.keys("u")
		n.keys("2Gdd")
		n.keys("Gp")
		n.keys("ggVGd")
		n.keys("u")
		n.ex("w")
	}},
	{name: "crlf-to-lf", initial: "one\r\ntwo\r\nthree\r\n", script: func(n *neovim) {
		n.keys("2GA!<Esc>")
		n.burst(":set fileformat=unix<CR>")
		n.keys("3GA!<Esc>")
	}},
	{name: "mixed-line-ends", initial: "one\r\ntwo\nthree\r\nfour\n", script: func(n *neovim) {
		n.keys("1GA!<Esc>")
		n.keys("u")
		n.keys("1GJ")
		n.keys("ggdd")
		n.keys("GA!<CR>x<Esc>")
	}},
	{name: "lone-cr", initial: "one\rtwo\nthree\nfour\n", script: func(n *neovim) {
		n.keys("2GA!<Esc>")
		n.keys("1G0fta!<Esc>")
		n.keys("3Gdd")
		n.keys("u")
	}},
	{name: "bom", initial: "\ufeffone\ntwo\n", script: func(n *neovim) {
		n.keys("ggI!<Esc>")
		n.ex("w")
	}},
	{name: "no-final-newline", initial: "one\ntwo\nthree", script: func(n *neovim) {
		n.keys("GA!<Esc>")
		n.keys("ofour<Esc>")
		n.keys("Gdd")
		n.keys("ggVGd")
		n.keys("u")
	}},
	{name: "no-final-newline-write", initial: "one\ntwo\nthree", script: func(n *neovim) {
		n.keys("GA!<Esc>")
		n.burst(":w<CR>")
		n.keys("GA?<Esc>")
		n.keys("Gofour<Esc>")
	}},
	{name: "unicode", initial: "naïve 😀 text\n日本語\n👩‍👩‍👧 e\u0301\n", script: unicodeScript},
	{name: "unicode-utf16", initial: "naïve 😀 text\n日本語\n👩‍👩‍👧 e\u0301\n", utf16: true, script: unicodeScript},
	{name: "empty", initial: "", script: func(n *neovim) {
		n.keys("ione<Esc>")
		n.keys("u")
		n.keys("otwo<CR>three<Esc>")
		n.keys("ggVGd")
		n.keys("Ax<Esc>")
		n.ex("w")
	}},
	{name: "one-line", initial: "only\n", script: func(n *neovim) {
		n.keys("dd")
		n.keys("p")
		n.keys("ggdd")
		n.keys("u")
		n.keys("Oabove<Esc>")
		n.keys("Gdd")
	}},
	{name: "long-line", initial: strings.Repeat("word ", 400) + "\nend\n", script: func(n *neovim) {
		n.keys("gg$ax<Esc>")
		n.keys("0i😀<Esc>")
		n.keys("1000|i_<Esc>")
		n.ex("s/word/WORD/g")
		n.keys("u")
	}},
}

func unicodeScript(n *neovim) {
	n.keys("ggA é<Esc>")
	n.keys("gg0f😀i<lt><Esc>")
	n.keys("f😀s🎉<Esc>")
	n.keys("gg0f🎉r😀")
	n.keys("2G0lxp")
	n.keys("3G0x")
	n.keys("3G$x")
	n.keys("ggJ")
	n.ex("%s/[^ -~]/😎/g")
	n.keys("u")
	n.keys("uuu")
}
