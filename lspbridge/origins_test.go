package lspbridge

import (
	"slices"
	"testing"

	"acp-ls/internal/review"
)

// Changes that nothing tells apart which a user sees are named once, in the order of the first;
// what differs in anything is named for itself.
func TestAlikeOriginsAreNamedOnce(t *testing.T) {
	as := func(change review.ChangeID, differs func(*review.Origin)) review.Origin {
		o := agentOrigin
		if o.Change = change; differs != nil {
			differs(&o)
		}
		return o
	}
	all := []review.Origin{agentOrigin, as("c2", nil)}
	for _, differs := range []func(*review.Origin){
		func(o *review.Origin) { o.Session = "s2" },
		func(o *review.Origin) { o.Agent = "other" },
		func(o *review.Origin) { o.Turn = "t2" },
		func(o *review.Origin) { o.ToolCall = "w2" },
		func(o *review.Origin) { o.Title = "Edit" },
		func(o *review.Origin) { o.Author = review.AuthorDisk },
		func(o *review.Origin) { o.Sure = false },
	} {
		all = append(all, as("c3", differs), as("c4", nil), as("c5", differs))
	}
	h := hunk("h1", review.StatePending, 0, 1, "one\n", "two\n")
	h.Origins = all
	got := wireHunk(h, Range{}).Origins
	var want []Origin
	for i := 0; i < len(all); i += 3 {
		o := all[max(i-1, 0)]
		want = append(want, Origin{o.Session, o.Agent, o.Turn, o.ToolCall, o.Title, string(o.Author), o.Sure})
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
