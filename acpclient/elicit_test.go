package acpclient

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"acp-ls/acpclient/wire"
)

// A form is asked with its fields in the agent's order, and what is bad of one of them
// costs itself: neither the field nor the form.
func TestForms(t *testing.T) {
	for name, c := range map[string]struct {
		schema    string
		want      string // the questions; "": there is no form
		tolerated []string
	}{
		"the agent's order": {`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer","default":2.0},"m":{"type":"boolean"}}}`,
			`[{"id":"z","prompt":"z","type":"string"},{"id":"a","prompt":"a","type":"integer","default":2},{"id":"m","prompt":"m","type":"boolean"}]`, nil},
		"twice": {`{"properties":{"z":{"type":"string"},"a":{"type":"string"},"z":{"type":"boolean"}}}`,
			`[{"id":"z","prompt":"z","type":"boolean"},{"id":"a","prompt":"a","type":"string"}]`, nil},
		"choices": {`{"properties":{"one":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b"}],"default":"a"},"many":{"type":"array","items":{"type":"string","enum":["x","y"]},"default":["y"]},"titled":{"type":"array","items":{"anyOf":[{"const":"t","title":"T"}]}}},"required":["many"]}`,
			`[{"id":"one","prompt":"one","type":"choice","options":[{"id":"a","label":"A"},{"id":"b","label":"b"}],"default":"a"},{"id":"many","prompt":"many","type":"choice","options":[{"id":"x","label":"x"},{"id":"y","label":"y"}],"multiple":true,"required":true,"default":["y"]},{"id":"titled","prompt":"titled","type":"choice","options":[{"id":"t","label":"T"}],"multiple":true}]`, nil},
		"unknown types": {`{"properties":{"when":{"type":"date-range","title":"When","items":true},"what":{}}}`,
			`[{"id":"when","prompt":"When","type":"string"},{"id":"what","prompt":"what","type":"string"}]`, []string{"when: items"}},
		"bad words": {`{"properties":{"a":{"type":"string","title":7,"description":["x"]},"b":{"type":"boolean","title":null,"description":"sure"}}}`,
			`[{"id":"a","prompt":"a","type":"string"},{"id":"b","prompt":"b: sure","type":"boolean"}]`, []string{"a: title", "a: description"}},
		"bad choices": {`{"properties":{"a":{"type":"string","enum":["x",7]},"b":{"type":"integer","enum":[1,2]},"c":{"type":"string","oneOf":[{"title":"no const","const":5},{"const":"k","title":{}}]}}}`,
			`[{"id":"a","prompt":"a","type":"choice","options":[{"id":"x","label":"x"}]},{"id":"b","prompt":"b","type":"integer"},{"id":"c","prompt":"c","type":"choice","options":[{"id":"k","label":"k"}]}]`,
			[]string{"a: enum[1]", "b: enum[0]", "b: enum[1]", "c: oneOf[0]", "c: oneOf[1].title"}},
		"bad defaults": {`{"properties":{"a":{"type":"boolean","default":"yes"},"b":{"type":"integer","default":1.5},"c":{"type":"string","default":{}},"d":{"type":"array","items":{"enum":["x"]},"default":["x",7]},"e":{"type":"string","enum":["x"],"default":["x"]},"f":{"type":"number","default":null}}}`,
			`[{"id":"a","prompt":"a","type":"boolean"},{"id":"b","prompt":"b","type":"integer"},{"id":"c","prompt":"c","type":"string"},{"id":"d","prompt":"d","type":"choice","options":[{"id":"x","label":"x"}],"multiple":true,"default":["x"]},{"id":"e","prompt":"e","type":"choice","options":[{"id":"x","label":"x"}]},{"id":"f","prompt":"f","type":"number"}]`,
			[]string{"a: default", "b: default", "c: default", "d: default", "e: default"}},
		"no field": {`{"properties":{"a":7,"b":{"type":"string"}},"required":["b",7]}`,
			`[{"id":"a","prompt":"a","type":"string"},{"id":"b","prompt":"b","type":"string","required":true}]`, []string{"a: ", "required[1]"}},
		"no fields":     {`{"type":"object"}`, `null`, nil},
		"null":          {`{"properties":null,"required":null}`, `null`, nil},
		"not an object": {`{"properties":[1]}`, ``, []string{"not an object"}},
		"not a schema":  {`7`, ``, []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			form, tolerated, ok := toForm("agent", &wire.ElicitationRequest{Mode: wire.ElicitForm, Message: "m", RequestedSchema: []byte(c.schema)})
			got := ""
			if ok {
				b, err := json.Marshal(form.Questions)
				if err != nil {
					t.Fatal(err)
				}
				got = string(b)
			}
			if got != c.want {
				t.Errorf("asks  %s\nwant %s", got, c.want)
			}
			text := errors.Join(tolerated...)
			if len(tolerated) != len(c.tolerated) {
				t.Errorf("tolerated %v, want %q", text, c.tolerated)
				return
			}
			for _, want := range c.tolerated {
				if !strings.Contains(text.Error(), want) {
					t.Errorf("tolerated %v, want %s", text, want)
				}
			}
		})
	}
}
