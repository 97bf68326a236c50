package lspbridge

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"

	"acp-ls/buffers"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/position"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/session"
)

// Review is what there is to decide on in one file.
type Review struct {
	URI     string              `json:"uri"`
	Rev     string              `json:"rev"`
	Seq     int64               `json:"seq"`     // of two of a file, the greater is newer
	Version *int32              `json:"version"` // of the open document, or null
	File    *session.FileChange `json:"file,omitzero"`
	Hunks   []Hunk              `json:"hunks"`
}

// Hunk is what is decided at once. Range is whole lines of the current text that
// it occupies or would replace; empty: between lines. BaseText is what reject
// puts there (pending), or what stands there now; Text what stands there
// (pending), or what would.
type Hunk struct {
	ID        string   `json:"id"`
	State     string   `json:"state"`
	Origins   []Origin `json:"origins"`
	Range     Range    `json:"range"`
	BaseText  string   `json:"baseText"`
	Text      string   `json:"text"`
	Mixed     bool     `json:"mixed"`
	Committed bool     `json:"committed,omitzero"`
	Marked    string   `json:"marked,omitzero"`  // of a proposed one: apply, discard or both
	Decided   int64    `json:"decided,omitzero"` // of a rejected one: as in session.FileChange
	Deletes   bool     `json:"deletes,omitzero"` // of a rejected one: brought back, it deletes the file
}

// Origin says where a part of a hunk comes from. Sure is false where that is
// concluded, not known. Changes of which all of it is alike are named once.
type Origin struct {
	Session  string `json:"session"`
	Agent    string `json:"agent"`
	Turn     string `json:"turn"`
	ToolCall string `json:"toolCall"`
	Title    string `json:"title"`
	Author   string `json:"author"`
	Sure     bool   `json:"sure"`
}

func (e *editor) wireReview(r session.Review) Review {
	out := Review{URI: r.URI, Rev: r.Rev, Seq: r.Seq, Version: r.Version, File: r.File, Hunks: make([]Hunk, len(r.Hunks))}
	for i, h := range r.Hunks {
		out.Hunks[i] = wireHunk(h, wholeLines(e.line(r.URI, h.StartLine), e.endLine(r.URI, h)))
		out.Hunks[i].Decided, out.Hunks[i].Deletes = r.Decided[h.ID], r.Deletes == h.ID
	}
	return out
}

func (e *editor) wireReviews(all []session.Review) []Review {
	out := make([]Review, len(all))
	for i, r := range all {
		out[i] = e.wireReview(r)
	}
	return out
}

// line is what the editor calls a row. The two differ in editors that do not
// count a lone CR, and only in files that have one.
func (e *editor) line(uri string, row int) int {
	if e.client.encoding&position.LFRows == 0 {
		return row
	}
	d, ok := e.docs.Document(uri)
	if !ok || row > d.Text.LineCount() {
		return row
	}
	if row == d.Text.LineCount() {
		return int(position.OffsetPosition(d.Text, d.Text.Len(), e.client.encoding).Line) + 1
	}
	return int(position.OffsetPosition(d.Text, d.Text.LineStart(row), e.client.encoding).Line)
}

// endLine is what the editor calls the row behind a hunk. A hunk of rows that are a part
// of one of the editor's has all of that.
func (e *editor) endLine(uri string, h review.Hunk) int {
	line := e.line(uri, h.EndLine)
	if h.EndLine > h.StartLine && line == e.line(uri, h.EndLine-1) {
		line++
	}
	return line
}

// marks are the words for what is to become of a proposed hunk.
var marks = map[review.Take]string{review.TakeTheirs: "apply", review.TakeMine: "discard", review.TakeBoth: "both"}

func wireHunk(h review.Hunk, lines Range) Hunk {
	out := Hunk{
		ID: h.ID, State: string(h.State), Range: lines,
		BaseText: h.BaseText, Text: h.Text, Mixed: h.Mixed, Committed: h.Committed, Marked: marks[h.Marked],
		Origins: []Origin{},
	}
	for _, o := range h.Origins {
		// What was taken in in pieces is several changes, and nothing that a user sees tells them apart.
		if o := (Origin{o.Session, o.Agent, o.Turn, o.ToolCall, o.Title, string(o.Author), o.Sure}); !slices.Contains(out.Origins, o) {
			out.Origins = append(out.Origins, o)
		}
	}
	return out
}

type reviewListParams struct {
	URI     string `json:"uri,omitzero"`
	Session string `json:"session,omitzero"`
	State   string `json:"state,omitzero"`
}

type reviewListResult struct {
	Files     []Review           `json:"files"`
	Discarded *session.Discarded `json:"discarded,omitzero"` // of what is rejected
}

func (e *editor) reviewList(_ context.Context, p *reviewListParams) (reviewListResult, error) {
	var states []review.State
	switch s := review.State(p.State); s {
	case "":
	case review.StatePending, review.StateProposed, review.StateConflict, review.StateRejected:
		states = append(states, s)
	default:
		return reviewListResult{}, session.Errorf(session.KindInvalid, "acp.review.list: member state is %q, and must be pending, proposed, conflict or rejected", p.State)
	}
	out := reviewListResult{Files: e.wireReviews(e.core.Reviews(p.URI, p.Session, states...))}
	if p.State == string(review.StateRejected) && p.Session == "" {
		out.Discarded = e.core.Discarded(p.URI)
	}
	return out, nil
}

// decideParams name hunks. A caller who meant some must never decide all: an
// argument whose members are all unknown, or an empty list, is no "all".
type decideParams struct {
	Hunks   *[]string `json:"hunks,omitzero"`
	URI     string    `json:"uri,omitzero"`
	Session string    `json:"session,omitzero"`
	Turn    string    `json:"turn,omitzero"`
	Rev     string    `json:"rev,omitzero"`

	empty bool // the argument had no members at all
}

func (p *decideParams) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	type plain decideParams
	given := map[string]jsontext.Value{}
	if err := json.Unmarshal(raw, (*plain)(p), dec.Options()); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &given, dec.Options()); err != nil {
		return err
	}
	p.empty = len(given) == 0
	return nil
}

type decisionResult struct {
	Decided []string          `json:"decided"`
	Refused []session.Refusal `json:"refused"`
	Files   []Review          `json:"files"`
}

type decider func(context.Context, session.Decide) (session.Decision, error)

func (e *editor) decide(ctx context.Context, p *decideParams, decide decider) (decisionResult, error) {
	d := session.Decide{URI: p.URI, Session: p.Session, Turn: p.Turn, Rev: p.Rev}
	switch {
	case p.Hunks != nil && len(*p.Hunks) == 0:
		return decisionResult{}, nil
	case p.Hunks != nil:
		d.Hunks = *p.Hunks
	case !p.empty && d.URI == "" && d.Session == "" && d.Turn == "":
		return decisionResult{}, session.Errorf(session.KindInvalid, "name hunks, uri, session or turn; an argument without any member means everything")
	}
	return e.decided(decide(ctx, d))
}

func (e *editor) decided(d session.Decision, err error) (decisionResult, error) {
	return decisionResult{d.Decided, d.Refused, e.wireReviews(d.Files)}, err
}

func (e *editor) reviewAccept(ctx context.Context, p *decideParams) (decisionResult, error) {
	return e.decide(ctx, p, e.core.Accept)
}

func (e *editor) reviewReject(ctx context.Context, p *decideParams) (decisionResult, error) {
	return e.decide(ctx, p, e.core.Reject)
}

type undoParams struct {
	Session string `json:"session"`
	Turn    string `json:"turn,omitzero"`
}

func (e *editor) reviewUndo(ctx context.Context, p *undoParams) (decisionResult, error) {
	return e.decided(e.core.Undo(ctx, p.Session, p.Turn))
}

type undoableResult struct {
	Sessions []session.Undoable `json:"sessions"`
}

func (e *editor) reviewUndoable(ctx context.Context, _ *none) (undoableResult, error) {
	list, err := e.core.Undoable(ctx)
	return undoableResult{list}, err
}

func (e *editor) reviewRestore(ctx context.Context, p *decideParams) (decisionResult, error) {
	return e.decide(ctx, p, e.core.Restore)
}

type resolveParams struct {
	Hunk string `json:"hunk"`
	Take string `json:"take"`
}

func (e *editor) reviewResolve(ctx context.Context, p *resolveParams) (decisionResult, error) {
	switch p.Take {
	case "mine", "theirs", "both":
		return e.decided(e.core.Resolve(ctx, p.Hunk, p.Take))
	}
	return decisionResult{}, session.Errorf(session.KindInvalid, "acp.review.resolve: member take is %q, and must be mine, theirs or both", p.Take)
}

type textResult struct {
	Text string `json:"text"`
}

func (e *editor) reviewBaseline(_ context.Context, p *uriParams) (textResult, error) {
	text, err := e.core.Baseline(p.URI)
	return textResult{text}, err
}

// writeReview shows a file's hunks wherever the editor shows them.
func (e *editor) writeReview(r session.Review) {
	if e.Can("review") {
		e.notify("acp/review", e.wireReview(r))
	}
	e.publishDiagnostics(r)
	e.lenses.refresh(e)
	e.contents.changed(e, r.URI)
}

// shownHunk is a hunk with the lines, first to last, it is shown at.
type shownHunk struct {
	review.Hunk
	first, last int
	number      int // 1-based, of so many in the file
	of          int
}

// hunks are the undecided hunks of a document. One between lines is shown at the
// line below it, or at the last.
func (e *editor) hunks(uri string) (session.Review, []shownHunk) {
	var out []shownHunk
	var file session.Review
	for _, r := range e.core.Reviews(uri, "") {
		file = r
		for i, h := range r.Hunks {
			out = append(out, e.shown(uri, h, i, len(r.Hunks)))
		}
	}
	return file, out
}

func (e *editor) shown(uri string, h review.Hunk, index, of int) shownHunk {
	s := shownHunk{Hunk: h, first: h.StartLine, last: max(h.EndLine-1, h.StartLine), number: index + 1, of: of}
	if d, ok := e.docs.Document(uri); ok {
		end := d.Text.LineCount() - 1
		s.first, s.last = e.line(uri, min(s.first, end)), e.line(uri, min(s.last, end))
	}
	return s
}

// touches says whether a hunk is shown on one of the lines of a range. A range
// that ends before the first character of a line does not touch that line.
func (h shownHunk) touches(r Range) bool {
	from, to := int(r.Start.Line), int(r.End.Line)
	if r.End.Character == 0 && to > from {
		to--
	}
	return h.first <= to && from <= h.last
}

// who names the author of a hunk, or the first of several.
func who(h review.Hunk) string {
	for _, o := range h.Origins {
		switch {
		case o.Agent != "":
			return o.Agent
		case o.Author == review.AuthorGit:
			return "git"
		}
	}
	return "another program"
}

// describe says in a few words what a hunk is.
func describe(h review.Hunk) string {
	removed, added := countRows(h.BaseText), countRows(h.Text)
	agent := who(h)
	switch h.State {
	case review.StateConflict:
		return agent + " and you changed the same place" + markOf(h) // rows that only touch, it may be
	case review.StateProposed:
		return agent + " would " + verb(removed, added, "change", "add", "remove") + " " + lines(max(removed, added)) + titleOf(h) + markOf(h)
	}
	what := "changed lines that are gone again"
	if removed > 0 || added > 0 {
		what = verb(removed, added, "changed", "added", "removed") + " " + lines(max(removed, added))
		what = withEnds(what, text.New(h.BaseText), text.New(h.Text), added)
	}
	if h.Mixed {
		what += " (edited by you)"
	}
	return agent + " " + what + titleOf(h)
}

// withEnds is what, which says how many rows are changed, with what became of their line ends: these
// look alike, and where nothing else has changed that is all there is to say.
func withEnds(what string, base, now text.Text, rows int) string {
	from, to := buffers.EndsOf(base), buffers.EndsOf(now)
	alike := base.LineCount() == now.LineCount() || from.FinalNewline != to.FinalNewline
	alike = alike && base.Len() > 0 && now.Len() > 0 && buffers.NormHashText(base) == buffers.NormHashText(now)
	turned := fmt.Sprintf("(%s to %s)", from.EOL.Name(), to.EOL.Name())
	switch {
	case alike && from.Turned(to):
		return "turned the line ends of " + lines(rows) + " " + turned
	case alike && from.FinalNewline && !to.FinalNewline:
		return "removed the final line end"
	case alike && to.FinalNewline && !from.FinalNewline:
		return "added a final line end"
	case alike && from.BOM == to.BOM && !base.Equal(now):
		return "changed the line ends of " + lines(rows)
	case from.Turned(to):
		return what + " and turned their line ends " + turned
	}
	return what
}

// verb is the word for rows that are taken out, put in, or both.
func verb(removed, added int, change, add, remove string) string {
	switch {
	case removed == 0:
		return add
	case added == 0:
		return remove
	}
	return change
}

// markOf says what is to become of a proposed hunk, if that was said.
func markOf(h review.Hunk) string {
	switch h.Marked {
	case review.TakeTheirs:
		return " (applied, when all is decided)"
	case review.TakeMine:
		return " (discarded, when all is decided)"
	case review.TakeBoth:
		return " (both, when all is decided)"
	}
	return ""
}

func titleOf(h review.Hunk) string {
	for _, o := range h.Origins {
		if t := shownText(o.Title); t != "" {
			return ": " + t
		}
	}
	return ""
}

func lines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

func countRows(s string) int {
	if s == "" {
		return 0
	}
	rows := linediff.Split(s)
	if rows[len(rows)-1] == "" {
		return len(rows) - 1
	}
	return len(rows)
}

// resolve answers codeAction/resolve and codeLens/resolve: nothing is left out
// of what we list, so each is its own resolution. Some editors ask all the same.
func (e *editor) resolve(_ context.Context, params jsonrpc2.RawMessage) (any, error) {
	return params, nil
}
