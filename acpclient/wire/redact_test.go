package wire

import "testing"

func TestRedact(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"params":{"env":[{"name":"KEY","value":"hunter2"}],"cwd":"/w"}}`, `{"params":{"env":[{"name":"KEY","value":"[redacted]"}],"cwd":"/w"}}`},
		{`{"env":{"KEY":"hunter2","N":1}}`, `{"env":{"KEY":"[redacted]","N":"[redacted]"}}`},
		{`{"env":[{"value":"hunter2","name":"value"}]}`, `{"env":[{"value":"[redacted]","name":"value"}]}`},
		{`{"headers":[{"name":"Authorization","value":"Bearer abc"}]}`, `{"headers":[{"name":"Authorization","value":"[redacted]"}]}`},
		{`{"accessToken":"abc","totalTokens":12,"apiKey":{"a":1}}`, `{"accessToken":"[redacted]","totalTokens":12,"apiKey":"[redacted]"}`},
		{`{"text":"curl -H 'Authorization: Bearer abcdef0123456789' x"}`, `{"text":"curl -H 'Authorization: Bearer [redacted]' x"}`},
		{`{"args":["--token=abcdefgh","-v"]}`, `{"args":["--token=[redacted]","-v"]}`},
		{`{"text":"use sk-ant-REDACTED now"}`, `{"text":"use [redacted] now"}`},
		{`{"text":"plain text, token count high"}`, `{"text":"plain text, token count high"}`},
		{`starting with OPENAI_API_KEY=abcdefgh`, `starting with OPENAI_API_KEY=[redacted]`},
		{`{broken "apiKey":"abcdefgh"`, `{broken "apiKey":"[redacted]"`},
		{``, ``},
	} {
		if got := string(Redact([]byte(c.in))); got != c.want {
			t.Errorf("redact %s\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}
