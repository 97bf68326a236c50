package lspbridge

import (
	"acp-ls/buffers"
	"acp-ls/internal/session"
)

// What the user makes, renames and deletes in the editor is theirs, though it looks on
// disk like what an agent does: the editor's word is all there is.

type fileOperationParams struct {
	Files []struct {
		URI    string `json:"uri"`
		OldURI string `json:"oldUri"`
		NewURI string `json:"newUri"`
	} `json:"files"`

	delete bool
}

func (e *editor) didOperateOnFiles(p *fileOperationParams) error {
	var ops []session.FileOperation
	for _, f := range p.Files {
		path, isFile := buffers.URIPath(f.URI)
		from, isFrom := buffers.URIPath(f.OldURI)
		to, isTo := buffers.URIPath(f.NewURI)
		switch {
		case isFile && p.delete:
			ops = append(ops, session.FileOperation{From: path})
		case isFile:
			ops = append(ops, session.FileOperation{To: path})
		case isFrom || isTo: // from, or to, what is no file of this machine
			ops = append(ops, session.FileOperation{From: from, To: to})
		}
	}
	if len(ops) > 0 {
		e.docs.FilesOperated(ops)
	}
	return nil
}
