package wire

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// What we send, to the byte: what must be there is there, what is absent is not
// null.
func TestSentValues(t *testing.T) {
	size, yes, code := int64(7), true, uint32(0)
	for _, c := range []struct {
		v    any
		want string
	}{
		{NewSessionRequest{Cwd: "/w"}, `{"cwd":"/w","mcpServers":[]}`},
		{NewSessionRequest{Cwd: "/w", AdditionalDirectories: []string{"/x"}, MCPServers: []MCPServer{
			{Name: "a", Command: "/bin/a"},
			{Name: "b", Command: "/bin/b", Args: []string{"-v"}, Env: []EnvVariable{{Name: "K", Value: ""}}},
			{Type: "http", Name: "c", URL: "http://c"},
			{Type: "sse", Name: "d", URL: "http://d", Headers: []EnvVariable{{Name: "K", Value: "v"}}},
			{Raw: jsontext.Value("{\n\"type\": \"acp\"}")},
		}}, `{"cwd":"/w","mcpServers":[{"name":"a","command":"/bin/a","args":[],"env":[]},` +
			`{"name":"b","command":"/bin/b","args":["-v"],"env":[{"name":"K","value":""}]},` +
			`{"type":"http","name":"c","url":"http://c","headers":[]},` +
			`{"type":"sse","name":"d","url":"http://d","headers":[{"name":"K","value":"v"}]},{"type":"acp"}],"additionalDirectories":["/x"]}`},
		{LoadSessionRequest{SessionID: "s", Cwd: "/w"}, `{"sessionId":"s","cwd":"/w","mcpServers":[]}`},
		{ListSessionsRequest{}, `{}`},
		{PromptRequest{SessionID: "s"}, `{"sessionId":"s","prompt":[]}`},
		{PromptRequest{SessionID: "s", Prompt: []ContentBlock{
			TextBlock(""), TextBlock("a\u2028<b>"), LinkBlock("file:///a", "a"), ResourceBlock("file:///a", "", ""), ResourceBlock("file:///a", "x", "text/plain"),
			{Type: ContentImage, Data: "", MimeType: "image/png"}, {Type: ContentAudio, Data: "AA==", MimeType: "audio/wav"},
			{Type: ContentResourceLink, URI: "u", Name: "n", Size: &size, Annotations: &Annotations{Audience: []string{"user"}}},
		}}, `{"sessionId":"s","prompt":[{"type":"text","text":""},{"type":"text","text":"a\u2028<b>"},{"type":"resource_link","uri":"file:///a","name":"a"},` +
			`{"type":"resource","resource":{"uri":"file:///a","text":""}},{"type":"resource","resource":{"uri":"file:///a","text":"x","mimeType":"text/plain"}},` +
			`{"type":"image","data":"","mimeType":"image/png"},{"type":"audio","data":"AA==","mimeType":"audio/wav"},` +
			`{"type":"resource_link","uri":"u","name":"n","size":7,"annotations":{"audience":["user"]}}]}`},
		{SetConfigOptionRequest{SessionID: "s", ConfigID: "c", Value: ""}, `{"sessionId":"s","configId":"c","value":""}`},
		{SetConfigOptionRequest{SessionID: "s", ConfigID: "c", Bool: &yes}, `{"sessionId":"s","configId":"c","type":"boolean","value":true}`},
		{InitializeRequest{ProtocolVersion: 1, ClientInfo: &Implementation{Name: "n", Version: ""}}, `{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false},"clientInfo":{"name":"n","version":""}}`},
		{ClientCapabilities{Session: &ClientSessionCapabilities{ConfigOptions: &ConfigOptionsCapabilities{Boolean: &Capability{}}, Notices: &Capability{}}, Elicitation: &ElicitationCapabilities{Form: &Capability{}}},
			`{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"session":{"configOptions":{"boolean":{}},"notices":{}},"elicitation":{"form":{}}}`},
		{ReadTextFileResponse{}, `{"content":""}`},
		{WriteTextFileResponse{}, `{}`},
		{TerminalOutputResponse{}, `{"output":"","truncated":false}`},
		{TerminalOutputResponse{ExitStatus: &TerminalExitStatus{ExitCode: &code}}, `{"output":"","truncated":false,"exitStatus":{"exitCode":0}}`},
		{TerminalExitStatus{Signal: "SIGKILL"}, `{"signal":"SIGKILL"}`},
		{ElicitationResponse{Action: ElicitAccept, Content: map[string]any{"b": 1, "a": []string{"x"}}}, `{"action":"accept","content":{"a":["x"],"b":1}}`},
		{ElicitationResponse{Action: ElicitCancel}, `{"action":"cancel"}`},
	} {
		if got, err := Encode(c.v); err != nil || string(got) != c.want {
			t.Errorf("%T\n got %s, %v\nwant %s", c.v, got, err, c.want)
		}
	}
}

// Every kind of update: read, and written again as it was.
func TestUpdatesRoundTrip(t *testing.T) {
	for _, c := range []struct {
		in   string
		kind Update
	}{
		{`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}}`, &MessageChunk{}},
		{`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":""},"messageId":"m"}`, &MessageChunk{}},
		{`{"sessionUpdate":"agent_thought_chunk","content":{"type":"image","data":"AA==","mimeType":"image/png","uri":"u"},"_meta":{"a":1}}`, &MessageChunk{}},
		{`{"sessionUpdate":"agent_message_chunk","content":{"type":"hologram","data":"x","depth":{"a":[1]}},"novel":true}`, &MessageChunk{}},
		{`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"u","blob":"AA=="}}}`, &MessageChunk{}},
		{`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","name":"n","kind":"edit","status":"pending","content":[{"type":"content","content":{"type":"text","text":"x"}},{"type":"diff","path":"/p","oldText":"a","newText":""},{"type":"diff","path":"/p","newText":"b"},{"type":"terminal","terminalId":"x"},{"type":"novel","x":1}],"locations":[{"path":"/p","line":3}],"rawInput":{"a":[1,"x"]},"rawOutput":"o","_meta":{"k":"v"}}`, &ToolCall{}},
		{`{"sessionUpdate":"tool_call_update","toolCallId":"t"}`, &ToolCallUpdate{}},
		{`{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"","status":"novel","content":[],"locations":[]}`, &ToolCallUpdate{}},
		{`{"sessionUpdate":"plan","entries":[{"content":"c","priority":"high","status":"pending"}]}`, &Plan{}},
		{`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"n","description":"d","input":{"hint":"h"}},{"name":"m","description":""}]}`, &AvailableCommands{}},
		{`{"sessionUpdate":"current_mode_update","currentModeId":"m"}`, &CurrentMode{}},
		{`{"sessionUpdate":"config_option_update","configOptions":[{"type":"boolean","id":"b","name":"B","currentValue":true},{"type":"select","id":"s","name":"S","currentValue":"x","options":[{"value":"x","name":"X"}]},{"type":"select","id":"g","name":"G","category":"model","currentValue":"x","options":[{"group":"a","name":"A","options":[{"value":"x","name":"X"}]},{"group":"b","name":"B","options":[]}]},{"type":"select","id":"e","name":"E","currentValue":"","options":[]}]}`, &ConfigOptions{}},
		{`{"sessionUpdate":"session_info_update","title":null,"updatedAt":"2026-01-01T00:00:00Z"}`, &SessionInfoUpdate{}},
		{`{"sessionUpdate":"session_info_update"}`, &SessionInfoUpdate{}},
		{`{"sessionUpdate":"usage_update","used":0,"size":18446744073709551615,"cost":{"amount":0.25,"currency":"USD"}}`, &Usage{}},
		{`{"sessionUpdate":"notice","severity":"novel","title":"T","description":"d"}`, &Notice{}},
		{`{"sessionUpdate":"compaction_update","compactionId":"c","status":"completed","summary":[{"type":"text","text":"s"}],"error":null}`, &Compaction{}},
		{`{"sessionUpdate":"compaction_update","compactionId":"c","status":"in_progress","summary":null}`, &Compaction{}},
		{`{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"s"}}`, &CompactionChunk{}},
	} {
		u, tolerated := DecodeUpdate([]byte(c.in))
		if len(tolerated) > 0 || reflect.TypeOf(u) != reflect.TypeOf(c.kind) {
			t.Errorf("%s\n is %T %+v, tolerated %v", c.in, u, u, tolerated)
			continue
		}
		if again, err := Encode(u); err != nil || !sameJSON(string(again), c.in) {
			t.Errorf("%s\n again %s, %v", c.in, again, err)
		}
		if !strings.Contains(c.in, `"sessionUpdate":"`+u.UpdateKind()+`"`) {
			t.Errorf("%s\n is of kind %q", c.in, u.UpdateKind())
		}
	}
}

// Kinds that are not part of the stable protocol, or not known at all, are kept.
func TestUnknownUpdates(t *testing.T) {
	for _, in := range []string{
		`{"sessionUpdate":"plan_update","plan":{"planId":"p","type":"items","entries":[]}}`,
		`{"sessionUpdate":"subagent_update","sessionId":"child","title":"T"}`,
		`{"sessionUpdate":"session_message_chunk","messageId":"m","content":{"type":"text","text":"x"}}`,
		`{"sessionUpdate":"state_update","state":"idle"}`,
	} {
		u, _ := DecodeUpdate([]byte(in))
		if unknown, ok := u.(*UnknownUpdate); !ok || string(unknown.Raw) != in || unknown.Err != nil || unknown.Kind == "" {
			t.Errorf("%s\n is %+v", in, u)
		}
	}
	for _, in := range []string{`{}`, `[]`, `7`, `{"sessionUpdate":5}`, `{"sessionUpdate":"tool_call"}`, `{"sessionUpdate":"tool_call","toolCallId":7}`,
		`{"sessionUpdate":"current_mode_update"}`, `{"sessionUpdate":"notice","severity":"info"}`, `{"sessionUpdate":"usage_update","used":-1,"size":1}`,
		`{"sessionUpdate":"compaction_update","status":"x"}`, `{"sessionUpdate":"compaction_summary_chunk","content":{"type":"text","text":"s"}}`,
		`{"sessionUpdate":"agent_message_chunk"}`, `{"sessionUpdate":"agent_message_chunk","content":{"type":"resource"}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"text":"x"}}`} {
		u, _ := DecodeUpdate([]byte(in))
		if unknown, ok := u.(*UnknownUpdate); !ok || unknown.Err == nil || string(unknown.Raw) != in {
			t.Errorf("%s\n is %+v", in, u)
		}
	}
}

// One bad optional member costs itself and nothing else.
func TestLenientMembers(t *testing.T) {
	for _, c := range []struct {
		into      any
		in, again string
		tolerated []string
	}{
		{new(ToolCall), `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","locations":[{"path":"/p","line":"12"},{"path":7},{"line":1},{"path":"/q","line":4.0},5],"kind":7,"rawInput":{"x":1},"new":1}`,
			`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","locations":[{"path":"/p"},{"path":"/q","line":4}],"rawInput":{"x":1},"new":1}`,
			[]string{"locations[0].line", "locations[1]", "locations[4]", "kind", "location without path"}},
		{new(ToolCall), `{"sessionUpdate":"tool_call","toolCallId":"t","title":null,"content":{"type":"text"},"status":null}`, `{"sessionUpdate":"tool_call","toolCallId":"t","title":""}`, []string{"content"}},
		{new(ToolCallUpdate), `{"toolCallId":"t","content":[{"type":"diff","path":"/p"},{"type":"diff","newText":"x"},{"type":"content"},{"type":"content","content":{"type":"resource","resource":{"uri":"u"}}},{"type":"terminal"},{},{"type":"diff","path":"/p","oldText":5,"newText":"n"}]}`,
			`{"toolCallId":"t","content":[{"type":"diff","path":"/p","newText":"n"}]}`, []string{"content[6].oldText", "content[0]", "content[1]", "content[2]", "content[3]", "content[4]", "content[5]"}},
		{new(InitializeResponse), `{"protocolVersion":1.0,"agentCapabilities":{"loadSession":"yes","promptCapabilities":{"image":1,"embeddedContext":true},"sessionCapabilities":{"list":{},"close":true,"resume":null}},"authMethods":[{"id":"a","name":"A"},{"name":"B"},7,{"id":"t","name":"T","type":"terminal","args":["x",1]}],"agentInfo":"x"}`,
			`{"protocolVersion":1,"agentCapabilities":{"promptCapabilities":{"embeddedContext":true},"sessionCapabilities":{"list":{}}},"authMethods":[{"id":"a","name":"A"}]}`,
			[]string{"agentCapabilities.loadSession", "agentCapabilities.promptCapabilities.image", "agentCapabilities.sessionCapabilities.close", "authMethods[2]", "authMethods[3].args", "agentInfo", "authMethods[1]"}},
		{new(PromptResponse), `{"stopReason":"novel","usage":{"totalTokens":1.5,"inputTokens":2,"outputTokens":3}}`, `{"stopReason":"novel","usage":{"totalTokens":0,"inputTokens":2,"outputTokens":3}}`, []string{"usage.totalTokens"}},
		{new(NewSessionResponse), `{"sessionId":"s","modes":{"currentModeId":"m","availableModes":[{"id":"m","name":"M"},{"id":7}]},"configOptions":[{"type":"novel","id":"n","name":"N","currentValue":1},{"type":"select","id":"x","name":"X","currentValue":true,"options":[]},{"type":"boolean","id":"b","name":"B","currentValue":"x"},{"type":"boolean","id":"c","name":"C","currentValue":false},{"type":"select","name":"X","currentValue":"v","options":[]},{"type":"select","id":"s","name":"S","category":7,"currentValue":"v","options":[{"value":"v","name":"V"},{"name":"W"},8]}]}`,
			`{"sessionId":"s","modes":{"currentModeId":"m","availableModes":[{"id":"m","name":"M"}]},"configOptions":[{"type":"boolean","id":"c","name":"C","currentValue":false},{"type":"select","id":"s","name":"S","currentValue":"v","options":[{"value":"v","name":"V"}]}]}`,
			[]string{"modes.availableModes[1]", "configOptions[1]", "configOptions[2]", "configOptions[0]", "configOptions[2]"}},
		{new(NewSessionResponse), `{"sessionId":"s","modes":5,"configOptions":null}`, `{"sessionId":"s"}`, []string{"modes"}},
		{new(ListSessionsResponse), `{"sessions":[{"sessionId":"s","cwd":"/w","additionalDirectories":["/a",7],"title":7},{"cwd":"/w"},null],"nextCursor":7}`,
			`{"sessions":[{"sessionId":"s","cwd":"/w","additionalDirectories":["/a"]}]}`, []string{"sessions[0].additionalDirectories[1]", "sessions[0].title", "nextCursor", "sessions[1]", "sessions[2]"}},
		{new(Compaction), `{"sessionUpdate":"compaction_update","compactionId":"c","status":"x","summary":[{"type":"text","text":"a"},{"text":"b"}]}`,
			`{"sessionUpdate":"compaction_update","compactionId":"c","status":"x","summary":[{"type":"text","text":"a"}]}`, []string{"summary[1]"}},
		{new(MessageChunk), `{"sessionUpdate":"agent_message_chunk","messageId":7,"content":{"type":"text","text":"x","annotations":{"audience":["user",7],"priority":"high"}}}`,
			`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x","annotations":{"audience":["user"]}}}`,
			[]string{"messageId", "content.annotations.audience[1]", "content.annotations.priority"}},
		{new(Usage), `{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":"1"}}`, `{"sessionUpdate":"usage_update","used":1,"size":2}`, []string{"cost.amount"}},
		{new(LoadSessionResponse), `null`, `{}`, nil},
		{new(LoadSessionResponse), ``, `{}`, nil},
	} {
		tolerated, err := Decode([]byte(c.in), c.into)
		if err != nil {
			t.Errorf("%s\n %v", c.in, err)
			continue
		}
		if again, err := Encode(c.into); err != nil || !sameJSON(string(again), c.again) {
			t.Errorf("%s\n is   %s, %v\n want %s", c.in, again, err, c.again)
		}
		text := errors.Join(tolerated...)
		if len(tolerated) != len(c.tolerated) {
			t.Errorf("%s\n tolerated %v", c.in, text)
		}
		for _, want := range c.tolerated {
			if !strings.Contains(text.Error(), want) {
				t.Errorf("%s\n tolerated %v, want %s", c.in, text, want)
			}
		}
	}
}

// What a message can not do without is refused.
func TestStrictMembers(t *testing.T) {
	for _, c := range []struct {
		into any
		in   string
	}{
		{new(InitializeResponse), `{}`}, {new(InitializeResponse), `{"protocolVersion":"1"}`}, {new(InitializeResponse), `[]`}, {new(InitializeResponse), `{`},
		{new(NewSessionResponse), `{"sessionId":7}`}, {new(NewSessionResponse), `null`},
		{new(PromptResponse), `{"stopReason":7}`}, {new(PromptResponse), ``},
		{new(ReadTextFileRequest), `{"sessionId":"s","path":"/p","limit":"5"}`}, {new(ReadTextFileRequest), `{"sessionId":"s","path":"/p","limit":1.5}`},
		{new(CreateTerminalRequest), `{"sessionId":"s","command":"c","env":[{"name":1}]}`}, {new(CreateTerminalRequest), `{"sessionId":"s","command":"c","env":{"K":"V"}}`},
		{new(CreateTerminalRequest), `{"sessionId":"s","command":"c","cwd":7}`}, {new(CreateTerminalRequest), `{"sessionId":"s"}`},
		{new(RequestPermissionRequest), `{"sessionId":"s","toolCall":{},"options":[{"optionId":"o","name":"N","kind":"allow_once"}]}`},
		{new(TerminalRequest), `{"sessionId":"s","terminalId":7}`},
	} {
		if tolerated, err := Decode([]byte(c.in), c.into); err == nil {
			t.Errorf("%T takes %s (tolerated %v)", c.into, c.in, tolerated)
		}
	}
}

// Decoded values own their memory: the buffer they came from is used again.
func TestDecodedValuesAreOwned(t *testing.T) {
	for _, in := range []string{
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"plain text"},"messageId":"m1"}`,
		`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","rawInput":{"a":"b"},"novel":[1],"locations":[{"path":"/p","line":"x"}],"_meta":{"m":1}}`,
		`{"sessionUpdate":"config_option_update","configOptions":[{"type":"select","id":"s","name":"S","currentValue":"x","options":[{"value":"x","name":"X","_meta":{"a":1}}],"novel":1}]}`,
		`{"sessionUpdate":"novel_update","x":"y"}`,
		`{"sessionUpdate":"plan","entries":"bad","novel":{"k":"v"}}`,
	} {
		buf := []byte(in)
		u, _ := DecodeUpdate(buf)
		before, err := Encode(u)
		if err != nil {
			t.Fatal(err)
		}
		for i := range buf {
			buf[i] = '#'
		}
		if after, _ := Encode(u); string(before) != string(after) {
			t.Errorf("%s\n became %s", before, after)
		}
	}
	buf := []byte(`{"sessionId":"s","path":"/p","content":"text","_meta":{"a":1}}`)
	r, err := decodeWriteTextFile(buf)
	if err != nil {
		t.Fatal(err)
	}
	clear(buf)
	if r.Path != "/p" || r.Content != "text" || string(r.Meta) != `{"a":1}` {
		t.Errorf("became %+v", r)
	}
}

// The fast ways give what the general one does.
func TestFastDecoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		quoted, err := Encode(text)
		if err != nil {
			quoted = quote(text)
		}
		want := MessageChunk{Kind: AgentThoughtChunk, Content: TextBlock(validUTF8(text)), MessageID: rapid.StringMatching(`[a-z]{0,5}`).Draw(t, "id")}
		raw, err := Encode(&want)
		if err != nil {
			t.Fatal(err)
		}
		if got := fastChunk(raw); got == nil || !reflect.DeepEqual(*got, want) {
			t.Fatalf("%s is %+v", raw, got)
		}
		r, err := decodeWriteTextFile([]byte(`{"path":"/p","content":` + string(quoted) + `,"sessionId":"s"}`))
		if err != nil || r.Content != validUTF8(text) {
			t.Fatalf("content %q, %v", r, err)
		}
	})
}

func TestUnquote(t *testing.T) {
	for in, want := range map[string]string{
		`""`: "", `"a"`: "a", `"\u0041\n"`: "A\n", `"\ud83d\ude00"`: "😀", `"\ud83d"`: "\uFFFD", `"\ude00x"`: "\uFFFDx", `"\ud83d\u0041"`: "\uFFFDA",
		`"\ud83d\ud83d\ude00"`: "\uFFFD😀", "\"a\xffb\"": "a\uFFFDb", "\"tab\t\"": "tab\t", `"\/\\\""`: `/\"`, `"\uABCD\uabcd"`: "\uABCD\uabcd",
	} {
		if got, ok := unquote([]byte(in)); !ok || got != want {
			t.Errorf("%s is %q, %v", in, got, ok)
		}
	}
	for _, in := range []string{``, `"`, `a`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\"`, `5`, `null`} {
		if got, ok := unquote([]byte(in)); ok {
			t.Errorf("%s is %q", in, got)
		}
	}
}
