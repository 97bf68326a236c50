package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// longest is how much of a string is kept: all that are of a file are shorter.
const longest = 1500

// cut shortens what is long and says nothing of files: lists of commands and
// models, and what programs have printed.
func cut(v any) {
	switch v := v.(type) {
	case map[string]any:
		current := fmt.Sprint(v["currentValue"], v["currentModelId"], v["currentModeId"])
		for _, k := range slices.Sorted(maps.Keys(v)) {
			list, _ := v[k].([]any)
			_, isOption := v["currentValue"]
			switch {
			case k == "availableCommands" || k == "availableModels" || k == "models" && list != nil || k == "options" && isOption:
				v[k] = few(list, current)
			case k == "_meta" && v["availableCommands"] != nil, k == "description":
				delete(v, k)
				continue
			}
			if s, ok := v[k].(string); ok && len(s) > longest {
				v[k] = s[:longest]
			}
			cut(v[k])
		}
	case []any:
		for _, one := range v {
			cut(one)
		}
	}
}

// few are the first of a list, and what is current.
func few(list []any, current string) []any {
	out := []any{}
	for i, one := range list {
		m, _ := one.(map[string]any)
		is := false
		for _, k := range []string{"value", "modelId", "id"} {
			s, ok := m[k].(string)
			is = is || ok && s != "" && strings.Contains(current, s)
		}
		if i < 2 || is {
			out = append(out, one)
		}
	}
	return out
}
