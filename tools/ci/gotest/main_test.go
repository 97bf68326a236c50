package main

import (
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	in := `{"Action":"start","Package":"a"}
{"Action":"run","Package":"a","Test":"TestGood"}
{"Action":"output","Package":"a","Test":"TestGood","Output":"=== RUN   TestGood\n"}
{"Action":"output","Package":"a","Test":"TestGood","Output":"    x_test.go:1: not of interest\n"}
{"Action":"pass","Package":"a","Test":"TestGood"}
{"Action":"output","Package":"a","Test":"TestRoot","Output":"=== RUN   TestRoot\n"}
{"Action":"output","Package":"a","Test":"TestRoot","Output":"    x_test.go:9: not as root\n"}
{"Action":"output","Package":"a","Test":"TestRoot","Output":"--- SKIP: TestRoot (0.00s)\n"}
{"Action":"skip","Package":"a","Test":"TestRoot"}
{"Action":"output","Package":"a","Test":"TestBad","Output":"=== RUN   TestBad\n"}
{"Action":"output","Package":"a","Test":"TestBad","Output":"--- FAIL: TestBad (0.00s)\n"}
{"Action":"output","Package":"a","Test":"TestBad","Output":"    x_test.go:5: wrong\n"}
{"Action":"fail","Package":"a","Test":"TestBad"}
{"Action":"output","Package":"a","Test":"TestHung","Output":"panic: test timed out\n"}
{"Action":"output","Package":"a","Output":"FAIL\ta\t1s\n"}
{"Action":"fail","Package":"a"}
{"ImportPath":"b","Action":"build-output","Output":"b/b.go:1:1: syntax error\n"}
{"Action":"output","Package":"c","Output":"PASS\n"}
{"Action":"output","Package":"c","Output":"ok  \tc\t(cached)\n"}
{"Action":"pass","Package":"c"}
{"Action":"output","Package":"d","Output":"?   \td\t[no test files]\n"}
{"Action":"skip","Package":"d"}
go: something else
`
	want := `--- FAIL: TestBad (0.00s)
    x_test.go:5: wrong
FAIL	a	1s
panic: test timed out
b/b.go:1:1: syntax error
ok  	c	(cached)
?   	d	[no test files]
go: something else
skipped tests (1):
  a TestRoot: x_test.go:9: not as root
`
	var out strings.Builder
	report(strings.NewReader(in), &out)
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
