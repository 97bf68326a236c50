package lspbridge

import (
	"errors"
	"path/filepath"

	"acp-ls/buffers"

	"go.lsp.dev/protocol"
)

// What the editor sees of the disk is a hint: where to look, now rather than at the
// next point of a turn. Nothing is believed of it, and nothing depends on it.

// watchFiles asks the editor to tell of changes on disk. Neovim is not asked: it would
// walk and watch the whole workspace for it, while we watch the few folders that matter.
func (e *editor) watchFiles() {
	err := e.call(e.ctx, protocol.MethodClientRegisterCapability, &protocol.RegistrationParams{
		Registrations: []protocol.Registration{{
			ID: "acp-files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles,
			RegisterOptions: protocol.LSPAny(`{"watchers":[{"globPattern":"**/*"}]}`),
		}},
	}, nil)
	if err != nil && !errors.Is(err, errGone) {
		e.log.Info("the editor will not tell of files that change", "error", err)
	}
}

type didChangeWatchedFilesParams struct {
	Changes []documentChange `json:"changes"`
}

type documentChange struct {
	URI string `json:"uri"`
}

func (e *editor) didChangeWatchedFiles(p *didChangeWatchedFilesParams) error {
	seen := map[string]bool{}
	var folders []string
	for _, c := range p.Changes {
		if path, ok := buffers.URIPath(c.URI); ok && !seen[filepath.Dir(path)] {
			seen[filepath.Dir(path)] = true
			folders = append(folders, filepath.Dir(path))
		}
	}
	if len(folders) > 0 {
		e.docs.FoldersChanged(folders)
	}
	return nil
}
