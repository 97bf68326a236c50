package wire

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"
)

// Whatever comes before it, a message on a line of its own is read; and what is
// read does not depend on how the bytes arrive.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"", hello, hello + hello, "x" + hello + "y", "\uFEFF" + hello, "\r\n", "[" + hello + "]", "{", "{}", `{"a":[{"b":"\"}"}]}`,
		`{"jsonrpc":"2.0","id":1.0,"method":"m","params":null}`, `{"jsonrpc":"2.0","id":"1","result":{},"error":null}`,
		`{"jsonrpc":"2.0","id":3,"error":{"code":"x","message":5,"data":null}}`, `{"jsonrpc":"2.0","id":"\u0000","method":"\ud83d"}`,
		`{"jsonrpc":"2.0","id":"` + strings.Repeat("long", 40) + `","method":"m"}`, chunkLine(1), permissionLine, `{"jsonrpc"{"jsonrpc":"2.0"}`,
		"{\"a\":\"\\\\\\\"\"}", "{\"a\":1,\"a\":2,}", "\x00\xff\xfe", `{"id":1,"method":"m","params":"` + strings.Repeat(`\"`, 70) + `"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var first []string
		for i, r := range []io.Reader{
			bytes.NewReader(append(slices.Clone(in), "\n"+hello...)),
			iotest.OneByteReader(bytes.NewReader(append(slices.Clone(in), "\n"+hello...))),
		} {
			messages, reports := readAll(t, r, StreamOptions{MaxLine: 128})
			if len(messages) == 0 || messages[len(messages)-1] != "note hello " {
				t.Fatalf("the message at the end was lost: %q", messages)
			}
			for _, r := range reports {
				messages = append(messages, fmt.Sprintf("%v %q", r, r.Line))
			}
			if i == 0 {
				first = messages
			} else if !slices.Equal(first, messages) {
				t.Fatalf("at once   %q\nin pieces %q", first, messages)
			}
		}
	})
}

// Updates never fail to decode, and what was decoded can be written and read
// again with the same meaning.
func FuzzUpdate(f *testing.F) {
	for _, seed := range []string{
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a\ud83d\ude00"},"messageId":"m"}`,
		`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","content":[{"type":"diff","path":"/p","oldText":null,"newText":"n"},{"type":"content","content":{"type":"resource","resource":{"uri":"u","text":"t"}}}],"locations":[{"path":"/p","line":"1"}],"rawInput":{"a":1}}`,
		`{"sessionUpdate":"config_option_update","configOptions":[{"type":"select","id":"s","name":"S","currentValue":"x","options":[{"group":"g","name":"G","options":[{"value":"x","name":"X"}]},{"value":"y","name":"Y"}]}]}`,
		`{"sessionUpdate":"session_info_update","title":null}`, `{"sessionUpdate":"usage_update","used":1e3,"size":2,"cost":{"amount":1,"currency":"USD"}}`,
		`{"sessionUpdate":"compaction_update","compactionId":"c","status":"s","summary":[{"type":"audio","data":"","mimeType":""}]}`, `{"sessionUpdate":7}`, `[`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		u, _ := DecodeUpdate(in)
		if _, unknown := u.(*UnknownUpdate); unknown {
			return
		}
		out, err := Encode(u)
		if err != nil {
			t.Fatalf("%q was read as %+v and can not be written: %v", in, u, err)
		}
		if !out.IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
			t.Fatalf("%q was written as %q", in, out)
		}
		again, tolerated := DecodeUpdate(out)
		second, err := Encode(again)
		if err != nil || len(tolerated) > 0 || !sameJSON(string(out), string(second)) {
			t.Fatalf("%q\n is %s\nthen %s (%v, %v)", in, out, second, tolerated, err)
		}
	})
}
