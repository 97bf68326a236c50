package wire

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// heard records what arrives of a session.
type heard struct {
	Unimplemented
	got []string
}

func (u *heard) SessionUpdate(_ context.Context, session string, update Update) {
	s := session + " " + update.UpdateKind()
	switch v := update.(type) {
	case *MessageChunk:
		s += fmt.Sprintf(" %s %q %s", v.Content.Type, v.Content.Text, v.MessageID)
		if v.Extra != nil || v.Meta != nil || v.Content.Extra != nil {
			s += " more"
		}
	case *UnknownUpdate:
		s += fmt.Sprintf(" unknown %v", v.Err != nil)
	}
	u.got = append(u.got, s)
}

// Chunks of text are read in passing. However a message is laid out, that gives
// what the general way gives.
func TestUpdateInPassing(t *testing.T) {
	const chunk = `"sessionUpdate":"agent_message_chunk"`
	for params, want := range map[string]string{
		`{"sessionId":"s","update":{` + chunk + `,"content":{"type":"text","text":"a"}}}`:                                            `s agent_message_chunk text "a" `,
		` { "update" : { "content" : { "text" : "a" , "type" : "text" } , ` + chunk + ` } , "sessionId" : "s" } `:                    `s agent_message_chunk text "a" `,
		`{"_meta":{"x":[1]},"sessionId":"s","update":{"messageId":"m",` + chunk + `,"content":{"type":"text","text":"\n}"}},"y":{}}`: `s agent_message_chunk text "\n}" m`,
		`{"sessionId":"s","update":{` + chunk + `,"content":{"type":"text","text":"a","new":1}}}`:                                    `s agent_message_chunk text "a"  more`,
		`{"sessionId":"s","update":{` + chunk + `,"content":{"type":"text","text":"a"},"_meta":{"k":1}}}`:                            `s agent_message_chunk text "a"  more`,
		`{"sessionId":"s","update":{` + chunk + `,"content":{"type":"image","data":"","mimeType":"image/png"}}}`:                     `s agent_message_chunk image "" `,
		`{"sessionId":"s","update":{"sessionUpdate":"new_thing","content":{"type":"text","text":"a"}}}`:                              `s new_thing unknown false`,
		`{"sessionId":"s","update":{"content":{"type":"text","text":"a"}}}`:                                                          `s  unknown true`,
		`{"sessionId":"s","update":{` + chunk + `,"content":7}}`:                                                                     `s agent_message_chunk unknown true`,
		`{"sessionId":"s","update":{` + chunk + `,"content":{"type":"text","text":"a"}},"update":{"sessionUpdate":"new_thing"}}`:     `s new_thing unknown false`,
		`{"sessionId":"s","update":{"sessionUpdate":"new_thing"},"update":{` + chunk + `,"content":{"type":"text","text":"b"}}}`:     `s agent_message_chunk text "b" `,
		`{"sessionId":"s","update":{` + chunk + `,"content":{"type":"text","text":"a"}} 5}`:                                          "",
		`{"sessionId":"s","update":{` + chunk + `,"content":{"type":"text","text":"a"} 5}}`:                                          `s agent_message_chunk unknown true`,
		`{"sessionId":"s","update":7}`: `s  unknown true`,
		`{"sessionId":"s"}`:            "",
		`{"update":{` + chunk + `,"content":{"type":"text","text":"a"}}}`: "",
	} {
		h, reports := &heard{}, 0
		c := NewConn(io.NopCloser(strings.NewReader("")), nopWriteCloser{}, StreamOptions{Report: func(Report) { reports++ }})
		c.stream.message = []byte(params)
		(&dispatcher{c, h}).sessionUpdate(c.stream.message)
		var wanted []string
		if want != "" {
			wanted = []string{want}
		}
		if !slices.Equal(h.got, wanted) {
			t.Errorf("%s is %q, want %q", params, h.got, want)
		}
		if bad := want == "" || strings.HasSuffix(want, "unknown true"); bad != (reports > 0) {
			t.Errorf("%s: %d reports", params, reports)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

type nopWriteCloser struct{}

func (nopWriteCloser) Write(p []byte) (int, error) { return len(p), nil }
func (nopWriteCloser) Close() error                { return nil }
