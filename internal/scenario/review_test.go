package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"acp-ls/lspbridge/fakeeditor"
)

// hunk and review are what the contract says of them.
type hunk struct {
	ID      string   `json:"id"`
	State   string   `json:"state"`
	Origins []origin `json:"origins"`
	Range   struct {
		Start struct{ Line int } `json:"start"`
		End   struct{ Line int } `json:"end"`
	} `json:"range"`
	BaseText string `json:"baseText"`
	Text     string `json:"text"`
	Mixed    bool   `json:"mixed"`
	Marked   string `json:"marked"`

	Committed bool `json:"committed"`
}

type origin struct {
	Session  string `json:"session"`
	Agent    string `json:"agent"`
	Turn     string `json:"turn"`
	ToolCall string `json:"toolCall"`
	Title    string `json:"title"`
	Author   string `json:"author"`
	Sure     bool   `json:"sure"`
}

type review struct {
	URI     string `json:"uri"`
	Rev     string `json:"rev"`
	Version *int   `json:"version"`
	File    *struct {
		ID     string `json:"id"`
		Op     string `json:"op"`
		From   string `json:"from"`
		Mode   string `json:"mode"`
		Opaque string `json:"opaque"`
		To     string `json:"to"`
		State  string `json:"state"`
	} `json:"file"`
	Hunks []hunk `json:"hunks"`
}

type decision struct {
	Decided []string `json:"decided"`
	Refused []struct {
		ID     string `json:"id"`
		Reason string `json:"reason"`
	} `json:"refused"`
	Files []review `json:"files"`
}

func (w *world) reviews(in map[string]any) ([]review, error) {
	var r struct {
		Files []review `json:"files"`
	}
	_, err := w.command("acp.review.list", in, &r)
	return r.Files, err
}

// review is what there is to decide on in a file, once the editor has been shown
// just that.
func (w *world) review(name string) (review, error) {
	ctx, cancel := w.limit()
	defer cancel()
	for {
		before := len(w.theEditor().Log())
		files, err := w.reviews(map[string]any{"uri": w.uri(name)})
		if err != nil {
			return review{}, err
		}
		var r review
		if len(files) > 0 {
			r = files[0]
		}
		if r.URI == "" {
			r.URI = w.uri(name)
		}
		if w.shown(w.editor.Log(), r) {
			return r, nil
		}
		// The server tells what it has to tell, and then it is compared anew.
		err = w.editor.Await(ctx, "what is to be reviewed in "+name, func(s fakeeditor.State) bool {
			return slices.ContainsFunc(s.Log[before:], func(m fakeeditor.Message) bool {
				return !m.FromEditor && (m.Method == "acp/review" || m.Method == "textDocument/publishDiagnostics")
			})
		})
		if err != nil {
			return r, fmt.Errorf("the editor is not shown %+v: %w", r, err)
		}
	}
}

// shown says whether the editor has been shown a review: as acp/review, or as
// diagnostics.
func (w *world) shown(log []fakeeditor.Message, r review) bool {
	var want, got []string
	for _, h := range r.Hunks {
		want = append(want, h.ID)
	}
	if r.File != nil {
		want = append(want, r.File.ID)
	}
	for _, m := range slices.Backward(log) {
		if m.FromEditor || m.Response() {
			continue
		}
		if w.can("review") && m.Method == "acp/review" {
			var p review
			if json.Unmarshal(m.Params, &p) != nil || p.URI != r.URI {
				continue
			}
			for _, h := range p.Hunks {
				got = append(got, h.ID)
			}
			if p.File != nil {
				got = append(got, p.File.ID)
			}
			break
		}
		if !w.can("review") && m.Method == "textDocument/publishDiagnostics" {
			var p struct {
				URI         string `json:"uri"`
				Diagnostics []struct {
					Data string `json:"data"`
				} `json:"diagnostics"`
			}
			if json.Unmarshal(m.Params, &p) != nil || p.URI != r.URI {
				continue
			}
			for _, d := range p.Diagnostics {
				got = append(got, d.Data)
			}
			break
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	return slices.Equal(want, got)
}

func (h hunk) lines() []string {
	first, last := h.Range.Start.Line+1, h.Range.End.Line
	where := fmt.Sprintf("lines %d-%d", first, last)
	switch {
	case last < first:
		where = fmt.Sprintf("before line %d", first)
	case last == first:
		where = fmt.Sprintf("line %d", first)
	}
	head := where + " " + h.State
	if h.Mixed {
		head += " mixed"
	}
	if h.Marked != "" {
		head += " marked " + h.Marked
	}
	if h.Committed {
		head += " committed"
	}
	for _, o := range h.Origins {
		head += " [" + o.Author
		for _, s := range []string{o.Agent, o.Turn, o.ToolCall} {
			if s != "" {
				head += " " + s
			}
		}
		head += fmt.Sprintf(" %q", o.Title)
		if !o.Sure {
			head += " unsure"
		}
		head += "]"
	}
	out := []string{head}
	for _, part := range []struct{ mark, text string }{{"-", h.BaseText}, {"+", h.Text}} {
		if part.text == "" {
			continue
		}
		for _, r := range rows(part.text) {
			out = append(out, part.mark+r)
		}
	}
	return out
}

func (w *world) baseline(name string) (string, error) {
	var r struct {
		Text string `json:"text"`
	}
	refused, err := w.command("acp.review.baseline", map[string]any{"uri": w.uri(name)}, &r)
	if refused != nil {
		return "", fmt.Errorf("%v", refused)
	}
	return r.Text, err
}

// hunkIDs turns words like a.txt#2 into ids of the hunks last listed.
func (w *world) hunkIDs(words []string) ([]string, error) {
	ids := []string{}
	for _, word := range words {
		name, n, ok := strings.Cut(word, "#")
		if !ok {
			ids = append(ids, word)
			continue
		}
		i, err := strconv.Atoi(n)
		if n == "file" {
			id := "file:" + w.path(name)
			if r, err := w.review(name); err == nil && r.File != nil {
				id = r.File.ID
			}
			ids = append(ids, id)
			continue
		}
		list := w.hunks[name]
		if err != nil || i < 1 || i > len(list) {
			return nil, fmt.Errorf("there is no hunk %s", word)
		}
		ids = append(ids, list[i-1].ID)
	}
	return ids, nil
}

// decideStep decides. Words are hunks; file=, session=, turn= and rev= name them
// in other ways; all is everything.
func (w *world) decideStep(command string) func(*world, *args) ([]string, error) {
	return func(w *world, a *args) ([]string, error) {
		in := map[string]any{}
		if f, ok := a.option("file"); ok {
			in["uri"] = w.uri(f)
		}
		for _, k := range []string{"session", "turn", "rev"} {
			if v, ok := a.option(k); ok {
				in[k] = v
			}
		}
		if name, ok := a.option("revof"); ok { // that of a file, with what may be more
			r, err := w.review(name)
			if err != nil {
				return nil, err
			}
			in["rev"] = r.Rev
		}
		if !a.flag("all") && len(a.words) > 0 || len(in) == 0 && len(a.words) > 0 {
			ids, err := w.hunkIDs(a.words)
			if err != nil {
				return nil, err
			}
			in["hunks"] = ids
			a.words = nil
		}
		return w.decided(command, in)
	}
}

func (w *world) decided(command string, in any) ([]string, error) {
	l := w.lawsOfDecision(command, in)
	var d decision
	refused, err := w.command(command, in, &d)
	if err != nil || refused != nil {
		return refused, err
	}
	out := []string{fmt.Sprintf("%d decided", len(d.Decided))}
	for _, r := range d.Refused {
		out = append(out, "refused: "+r.Reason)
	}
	ctx, cancel := w.limit()
	defer cancel()
	return out, l.after(ctx)
}

func init() {
	for _, verb := range []string{"accept", "reject", "restore"} {
		steps[verb] = (*world)(nil).decideStep("acp.review." + verb)
	}
	register(map[string]func(*world, *args) ([]string, error){
		// hunks says what is to be decided on in a file, or the hunks of a state.
		"hunks": func(w *world, a *args) ([]string, error) {
			name := a.take("a path")
			var r review
			var err error
			if len(a.words) > 0 {
				var files []review
				files, err = w.reviews(map[string]any{"uri": w.uri(name), "state": a.take("a state")})
				if len(files) > 0 {
					r = files[0]
				}
				if r.File != nil && r.File.State != "rejected" {
					r.File = nil
				}
			} else {
				r, err = w.review(name)
			}
			if err != nil {
				return nil, err
			}
			w.hunks[name] = r.Hunks
			var out []string
			if r.File != nil {
				line := "file " + r.File.Op
				to := r.File.To
				if to != "" {
					to = "to " + to
				}
				for _, s := range []string{r.File.Opaque, r.File.Mode, r.File.From, to, r.File.State} {
					if s != "" {
						line += " " + s
					}
				}
				out = append(out, line)
			}
			for _, h := range r.Hunks {
				out = append(out, h.lines()...)
			}
			if out == nil {
				out = []string{"(none)"}
			}
			return out, nil
		},
		"baseline": func(w *world, a *args) ([]string, error) {
			text, err := w.baseline(a.take("a path"))
			return rows(text), err
		},
		"resolve": func(w *world, a *args) ([]string, error) {
			ids, err := w.hunkIDs([]string{a.take("a hunk")})
			if err != nil {
				return nil, err
			}
			return w.decided("acp.review.resolve", map[string]any{"hunk": ids[0], "take": a.take("what to take")})
		},
		// stale decides on a file at the revision before the one shown now.
		"stale": func(w *world, a *args) ([]string, error) {
			verb, name := a.take("a verb"), a.take("a path")
			r, err := w.review(name)
			if err != nil {
				return nil, err
			}
			return w.decided("acp.review."+verb, map[string]any{"uri": w.uri(name), "rev": r.Rev + "0"})
		},
		// shown decides on a file at the revision that is shown.
		"shown": func(w *world, a *args) ([]string, error) {
			verb, name := a.take("a verb"), a.take("a path")
			r, err := w.review(name)
			if err != nil {
				return nil, err
			}
			return w.decided("acp.review."+verb, map[string]any{"uri": w.uri(name), "rev": r.Rev})
		},
	})
}
