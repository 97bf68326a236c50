package config

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// What README.md calls the defaults are the defaults, all of them, and its example is
// understood.
func TestSettingsInReadme(t *testing.T) {
	readme := section(t, "../../README.md", "\n## Settings\n", "\n## ")
	blocks := regexp.MustCompile("(?s)```jsonc\n(.*?)```").FindAllStringSubmatch(readme, -1)
	if len(blocks) != 2 || !strings.Contains(readme[:strings.Index(readme, "```")], "The defaults:") {
		t.Fatalf("%d blocks of settings, and not the defaults and an example", len(blocks))
	}
	defaults, example := blocks[0][1], blocks[1][1]
	got, problems := Load(layer(defaults))
	want := Default()
	want.Permissions, want.MCPServers = got.Permissions, got.MCPServers // an empty list is none
	if len(problems) > 0 || !reflect.DeepEqual(got, want) || len(got.Permissions)+len(got.MCPServers) > 0 {
		t.Errorf("the defaults of README.md are %+v, problems %v", got, problems)
	}
	if got, problems := Load(layer(example)); len(problems) > 0 || len(got.Permissions) == 0 || len(got.Agents) == 0 {
		t.Errorf("the example of README.md is %+v, problems %v", got, problems)
	}
	// Those of the contract are all there.
	contract := section(t, "../../docs/editor-contract.md", "\n## Settings\n", "\n## ")
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]+) \\|").FindAllStringSubmatch(contract, -1) {
		for _, key := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			last := key[1][strings.LastIndexByte(key[1], '.')+1:]
			if !strings.Contains(defaults, `"`+last+`":`) {
				t.Errorf("%s is not among the defaults of README.md", key[1])
			}
		}
	}
}

// section is what stands in a file between two texts.
func section(t *testing.T, name, from, to string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(b), from)
	if !ok {
		t.Fatalf("%s has no %q", name, from)
	}
	part, _, _ := strings.Cut(rest, to)
	return part
}
