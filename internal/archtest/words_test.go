package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What the layers below the bridge say is shown in every editor, and each has its own
// names for what can be done: ids of LSP's commands are nothing that a user of VS Code or
// Neovim could run.
func TestWordsNameNoCommandIDs(t *testing.T) {
	t.Parallel()
	id := regexp.MustCompile(`\bacp\.[a-z]+(\.[a-zA-Z]+)+`)
	for _, root := range []string{"../../acpclient", "../../buffers", "../session", "../review", "../policy", "../mcp"} {
		err := filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, name, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if found := id.FindString(lit.Value); found != "" {
						t.Errorf("%s: the text names %s", files.Position(lit.Pos()), found)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
