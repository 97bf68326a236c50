package proc

import "testing"

func TestBatchCommandLine(t *testing.T) {
	const head = `"C:\Windows\System32\cmd.exe" /d /e:on /v:off /s /c "`
	for _, c := range []struct {
		script string
		args   []string
		want   string
	}{
		{`C:\npm\agent.cmd`, nil, `"C:\npm\agent.cmd""`},
		{`C:\My Tools\agent.cmd`, []string{"--acp"}, `"C:\My Tools\agent.cmd" --acp"`},
		{`C:\a.cmd`, []string{"", "a b", "c&d", `e"f`, `g\`, `h\"i`}, `"C:\a.cmd" "" "a b" "c&d" "e""f" "g\\" "h\\""i""`},
		{`C:\a.cmd`, []string{"%PATH%", "!x!", "^", "é"}, `"C:\a.cmd" "%%cd:~,%PATH%%cd:~,%" "!x!" "^" é"`},
	} {
		got, err := batchCommandLine(`C:\Windows\System32\cmd.exe`, c.script, c.args)
		if err != nil || got != head+c.want {
			t.Errorf("%q\n got %s, %v\nwant %s", c.args, got, err, head+c.want)
		}
	}
	for _, bad := range []string{"a\nb", "a\rb", "a\x00b"} {
		if _, err := batchCommandLine("cmd", "a.cmd", []string{bad}); err == nil {
			t.Errorf("%q accepted", bad)
		}
	}
	if _, err := batchCommandLine("cmd", `a".cmd`, nil); err == nil {
		t.Error("a script with a quote accepted")
	}
}
