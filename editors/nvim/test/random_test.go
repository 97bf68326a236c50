package nvim_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"acp-ls/internal/nvimtest"
	"acp-ls/internal/scriptagent"
)

var (
	randomSeed  = flag.Uint64("person", 1, "the seed of the first random history of a person and an agent")
	randomRuns  = flag.Int("persons", 2, "how many random histories")
	randomSteps = flag.Int("actions", 30, "what is done in one of them")
)

// userWord is a word that the person has typed, and nobody else writes.
var userWord = regexp.MustCompile(`U\d+z`)

// person is somebody in a real Neovim, with the real acp-ls, and an agent that writes the
// file they are in while they type. All of it follows from a seed, but for what comes first
// of what is done at once.
type person struct {
	*env
	r     *rand.Rand
	agent *scriptagent.Agent
	other *scriptagent.Agent // which only reads, and is not known to have seen anything
	ctx   context.Context
	turn  scriptagent.Message
	id    string // of the agent's session
	knows string // the text, as the agent has read or written it last
	words int
	trace []string
}

func startPerson(t *testing.T, version string, seed uint64) *person {
	agents, err := scriptagent.Listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = agents.Close() })
	agents.Auto = func(_ *scriptagent.Agent, m scriptagent.Message) (scriptagent.Answer, bool) {
		switch m.Method {
		case "initialize":
			return scriptagent.Answer{Result: map[string]any{"protocolVersion": 1}}, true
		case "session/new":
			return scriptagent.Answer{Result: map[string]any{"sessionId": "a1"}}, true
		}
		return scriptagent.Answer{}, false
	}
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, args := project(t, "a.txt", numbers)
	ctx, cancel := context.WithTimeout(t.Context(), 10*nvimtest.Patience)
	t.Cleanup(cancel)
	p := &person{r: rand.New(rand.NewPCG(seed, 1)), ctx: ctx, id: "a1"}
	n := nvimtest.Start(t, version, nvimtest.Dir(dir), nvimtest.Args(args...))
	p.env = &env{Nvim: n, t: t, dir: dir}
	command := func(name string) map[string]any {
		return map[string]any{"command": self, "args": []string{}, "env": agents.Env(name)}
	}
	settings := map[string]any{"defaultAgent": "random", "agents": map[string]any{"random": command("random"), "other": command("other")}}
	n.Exec(`local program, settings, pause = ...
		require('acp').setup({ cmd = { program }, settings = settings })
		require('acp.typing').pause = pause
		vim.o.report, vim.o.tw = 9999, 20
		vim.ui.select = function(items, _, choose) choose(items[1]) end
		local client = require('acp.client')
		local execute = client.execute
		Deciding = 0
		client.execute = function(command, arg, fn)
			Deciding = Deciding + 1
			execute(command, arg, function(...)
				Deciding = Deciding - 1
				if fn then fn(...) end
			end)
		end
		require('acp').prompt('work on it')`, nil, program, settings, []int{0, 20}[seed%2])
	if p.agent, err = agents.Process(ctx, "random", 0); err != nil {
		t.Fatal(err)
	}
	if p.turn, err = p.agent.Take(ctx, "a prompt", func(m scriptagent.Message) bool { return m.Method == "session/prompt" }); err != nil {
		t.Fatal(err)
	}
	p.execute("acp.session.new", map[string]any{"agent": "other"}, &json.RawMessage{})
	if p.other, err = agents.Process(ctx, "other", 0); err != nil {
		t.Fatal(err)
	}
	p.Input("<C-w>h")
	p.WaitLua(`vim.fn.expand('%:t') == 'a.txt'`)
	p.knows = p.read(p.agent)
	return p
}

func (p *person) logf(format string, args ...any) {
	p.trace = append(p.trace, fmt.Sprintf(format, args...))
}

// read is what an agent gets when it reads the file.
func (p *person) read(a *scriptagent.Agent) string {
	p.t.Helper()
	c, err := a.Begin("fs/read_text_file", map[string]any{"sessionId": p.id, "path": p.path("a.txt")})
	if err != nil {
		p.t.Fatal(err)
	}
	raw, err := c.Wait(p.ctx)
	var got struct {
		Content string `json:"content"`
	}
	if err = errors.Join(err, json.Unmarshal(raw, &got)); err != nil {
		p.fail("reading: %v", err)
	}
	return got.Content
}

// buffer is the text that Neovim has, as it would write it.
func (p *person) buffer() string {
	p.t.Helper()
	text := p.Text(0)
	if text == "" {
		return "" // of one empty row: a file without any, or an empty line
	}
	return text + "\n"
}

func (p *person) fail(format string, args ...any) {
	p.t.Helper()
	p.t.Fatalf("%s\nafter\n%s", fmt.Sprintf(format, args...), strings.Join(p.trace, "\n"))
}

// execute runs a command of acp-ls.
func (p *person) execute(command string, arg any, result any) {
	p.t.Helper()
	var out struct {
		Err    string `msgpack:"err"`
		Result string `msgpack:"result"`
	}
	p.Exec(`local command, arg, patience = ...
		local done
		require('acp').execute(command, arg, function(err, result)
			done = { err = err and err.message or '', result = vim.json.encode(result or vim.NIL) }
		end)
		vim.wait(patience, function() return done end, 5)
		return done or { err = 'no answer', result = 'null' }`, &out, command, arg, nvimtest.Patience.Milliseconds())
	if out.Err != "" {
		p.fail("%s: %s", command, out.Err)
	}
	if err := json.Unmarshal([]byte(out.Result), result); err != nil {
		p.fail("%s: %v", command, err)
	}
}

func (p *person) baseline() string {
	p.t.Helper()
	var got struct {
		Text string `json:"text"`
	}
	p.execute("acp.review.baseline", map[string]any{"uri": p.uri("a.txt")}, &got)
	return got.Text
}

// hunks is all that is listed, or can be brought back, as JSON.
func (p *person) hunks() string {
	p.t.Helper()
	var open, rejected json.RawMessage
	p.execute("acp.review.list", map[string]any{"uri": p.uri("a.txt")}, &open)
	p.execute("acp.review.list", map[string]any{"uri": p.uri("a.txt"), "state": "rejected"}, &rejected)
	return string(open) + string(rejected)
}

// write lets the agent make something of the text it knows, without a row of the person's
// being touched. It is under way then.
func (p *person) write() *scriptagent.Call {
	p.t.Helper()
	if p.r.IntN(2) == 0 {
		p.knows = p.read(p.agent)
	}
	rows := strings.SplitAfter(p.knows, "\n")
	rows = rows[:len(rows)-1]
	for range 1 + p.r.IntN(3) {
		i := p.r.IntN(len(rows) + 1)
		p.words++
		word := fmt.Sprintf("A%d\n", p.words)
		free := i < len(rows) && !userWord.MatchString(rows[i])
		switch k := p.r.IntN(5); {
		case k < 2 || !free:
			rows = slices.Insert(rows, i, word)
		case k == 2 && len(rows) > 4:
			rows = slices.Delete(rows, i, i+1)
		case k == 3:
			rows[i] = strings.TrimSuffix(rows[i], "\n") + " " + word
		default:
			rows[i] = word
		}
	}
	p.knows = strings.Join(rows, "")
	p.logf("agent: %q", p.knows)
	c, err := p.agent.Begin("fs/write_text_file", map[string]any{"sessionId": p.id, "path": p.path("a.txt"), "content": p.knows})
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

// typed are keys that put words in and take nothing out.
func (p *person) typed() (keys string, words []string) {
	word := func() string {
		p.words++
		w := fmt.Sprintf("U%dz", p.words)
		words = append(words, w)
		return w
	}
	row := fmt.Sprintf("%dG", 1+p.r.IntN(strings.Count(p.buffer(), "\n")))
	switch p.r.IntN(9) {
	case 0:
		return row + "o" + word() + "<Esc>", words
	case 1:
		return row + "O" + word() + "<CR>" + word() + "<Esc>", words
	case 2:
		return row + "A " + word() + "<Esc>", words
	case 3:
		return row + "I" + word() + " <Esc>", words
	case 4:
		return row + "A<CR>" + word() + " " + word() + "<Esc>", words
	case 5:
		return row + "0<C-v>jI" + word() + " <Esc>", words
	case 6:
		return fmt.Sprintf(":%s call append(line('.'), '%s')<CR>", strings.TrimSuffix(row, "G"), word()), words
	case 7:
		return row + "o" + word() + "<C-o>:let g:x = 1<CR> " + word() + "<Esc>", words
	}
	return "qq" + row + "o" + word() + "<Esc>qj@q", words
}

// destroying keys take out, move or bring back what there is.
var destroying = []string{"dd", "2dd", "yyp", "ddP", "p", "P", "J", "u", "u", "u", "<C-r>", "<C-r>", ":m0<CR>", ":m$<CR>", ":t.<CR>",
	"gqip", ">>", "x", "D", "ccX<Esc>", "rq", "~", ":sort<CR>", ":silent! %s/e/&!/<CR>", ":g/A/m0<CR>", "vjd", "<C-v>jx", "Vjd", ".", ":undo 0<CR>",
	":earlier 3<CR>", ":later 9<CR>", ":e!<CR>", ":w<CR>", "guu"}

func (p *person) step() {
	p.t.Helper()
	if len(strings.Split(p.buffer(), "\n")) < 5 {
		p.press("ggOone<CR>two<CR>three<CR>four<Esc>")
		p.logf("more rows")
	}
	switch k := p.r.IntN(10); {
	case k < 5:
		p.together()
	case k < 7:
		for range 1 + p.r.IntN(4) {
			keys := fmt.Sprintf("%dG", 1+p.r.IntN(9)) + destroying[p.r.IntN(len(destroying))]
			p.logf("keys %s", keys)
			p.press(keys)
		}
	default:
		p.decide()
	}
	p.same()
}

// together is the agent's writing while somebody types: no word of theirs gets lost.
func (p *person) together() {
	p.t.Helper()
	words := userWord.FindAllString(p.buffer(), -1)
	var calls []*scriptagent.Call
	write := func() {
		if len(calls) == 0 || p.r.IntN(4) == 0 {
			calls = append(calls, p.write())
		}
	}
	for range 1 + p.r.IntN(3) {
		keys, typed := p.typed()
		words = append(words, typed...)
		p.logf("keys %s", keys)
		if p.r.IntN(2) == 0 {
			write()
		}
		if cut := strings.Index(keys, "z"); cut > 0 && p.r.IntN(2) == 0 { // in the middle of it
			p.Input(keys[:cut])
			write()
			keys = keys[cut:]
		}
		p.press(keys)
	}
	for _, c := range calls {
		if _, err := c.Wait(p.ctx); err != nil {
			var refused *scriptagent.Error
			if !errors.As(err, &refused) {
				p.fail("a write: %v", err)
			}
			p.logf("refused: %v", err)
			p.knows = p.read(p.agent)
		}
	}
	text := p.buffer()
	for _, w := range words {
		if !strings.Contains(text, w) {
			p.fail("the person's %s is lost in\n%s\nthe baseline\n%s\nhunks %s", w, text, p.baseline(), p.hunks())
		}
	}
}

func (p *person) decide() {
	p.t.Helper()
	before, base := p.buffer(), p.baseline()
	everything, hunks := before+base, p.hunks()
	file := map[string]any{"uri": p.uri("a.txt")}
	switch p.r.IntN(4) {
	case 0:
		p.logf("reject all")
		p.execute("acp.review.reject", file, &json.RawMessage{})
		p.same()
		if got := p.buffer(); got != base {
			p.fail("all rejected, the text is\n%s\nthe baseline was\n%s", got, base)
		}
	case 1:
		p.logf("accept all")
		everything = before // what the agent has taken out is agreed to
		p.execute("acp.review.accept", file, &json.RawMessage{})
		p.same()
		if got, base := p.buffer(), p.baseline(); got != before || base != before {
			p.fail("all accepted, the text is\n%s\nit was\n%s\nthe baseline\n%s", got, before, base)
		}
	case 2:
		p.logf("restore")
		p.execute("acp.review.restore", file, &json.RawMessage{})
	default:
		var mapped bool
		if p.Exec(`return vim.fn.maparg('ghr', 'n') ~= ''`, &mapped); !mapped {
			return // the keys are Neovim's own: nothing has been to decide yet
		}
		var keys string
		for range 1 + p.r.IntN(3) {
			keys += []string{"]hghr", "]hgha", "[hghr", "ghu", "ggVGghr"}[p.r.IntN(5)]
		}
		p.logf("keys %s", keys)
		p.press(keys)
		p.WaitLua("Deciding == 0")
		if strings.Contains(keys, "gha") && strings.Contains(hunks, `"conflict"`) {
			return // theirs may have been taken
		}
	}
	p.same()
	left := p.buffer() + p.baseline() + p.hunks()
	for _, w := range userWord.FindAllString(everything, -1) {
		if !strings.Contains(left, w) {
			p.fail("the person's %s is lost by a decision: text\n%s", w, p.buffer())
		}
	}
}

// same checks that acp-ls has the text that Neovim has, when nothing is under way.
func (p *person) same() {
	p.t.Helper()
	for {
		p.Exec(`require('acp.client').flush()`, nil) // else changes are told after a moment
		before := p.buffer()
		p.baseline() // acp-ls has taken in what was told before
		got := p.read(p.other)
		if now := p.buffer(); now != before {
			continue // a decision's edit came between
		}
		if got != before {
			p.fail("the other agent reads\n%q\nNeovim has\n%q", got, before)
		}
		return
	}
}

// Whatever somebody types while an agent writes what they are typing in stays; and what
// they decide becomes true.
func TestRandomPerson(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for i := range *randomRuns {
			seed := *randomSeed + uint64(i)
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				p := startPerson(t, version, seed)
				for range *randomSteps {
					p.step()
				}
				if err := p.agent.Reply(p.turn, scriptagent.Answer{Result: map[string]any{"stopReason": "end_turn"}}); err != nil {
					t.Fatal(err)
				}
			})
		}
	})
}
